"""A server that keeps a copy: the card of its machine, its threads, and what is below.

request ──> [card, in] ──> [threads]: time by size ──> below ──> [card, out] ──> answer
                                └──> copies to other servers: [card, out] and [their card, in] at the same time

Who asks has a link or a card of his own above. An unlimited card takes no time, and no place.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from models.io import FileIO
from models.layer import FileLayer
from models.parts.link.messages import Card, Network
from sim import Path, Station, Use
from sim.system.quantities import TimeTable


@dataclass(frozen=True)
class StorageServer:
    """One of them.

    Attributes:
        threads: of the server alone.
        work: seconds of a thread for a request, by its size.
    """

    card: Card
    threads: Station
    work: TimeTable
    below: FileLayer

    def worked(self, io: FileIO) -> Path:
        """A thread looks at ``io`` before it goes on, here or elsewhere."""
        work_s = self.work.at(io.op, io.size_bytes)
        return (Use(self.threads, work_s),) if work_s else ()

    def asked(self, io: FileIO, network: Network, work: Path) -> Path:
        """``io`` comes in through the card, is worked on, and its answer goes out."""
        if math.isinf(network.bytes_per_s):
            return work
        asked_s, answered_s = (
            (network.header_bytes + (io.size_bytes if io.op == op else 0)) / network.bytes_per_s
            for op in ("write", "read")
        )
        return (Use(self.card.into, asked_s), *work, Use(self.card.out, answered_s))
