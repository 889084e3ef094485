"""A server with a copy: the card of its machine, its threads, and the layers below.

request ──> [card, in] ──> [threads]: time by size ──> below ──> [card, out] ──> answer
                                └──> copies to other servers: [card, out] and [their card, in] at the same time

The client has a link or a card of its own above. An unlimited card takes no time, and has no place.
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
    """One server.

    Attributes:
        threads: threads of this server.
        work: thread time of a request, by its size.
    """

    card: Card
    threads: Station
    work: TimeTable
    below: FileLayer

    def worked(self, io: FileIO) -> Path:
        """Work of a thread on ``io`` before it goes on, here or elsewhere."""
        work_s = self.work.at(io.op, io.size_bytes)
        return (Use(self.threads, work_s),) if work_s else ()

    def asked(self, io: FileIO, network: Network, work: Path) -> Path:
        """Receive ``io`` through the card, do the ``work``, and send the answer."""
        if math.isinf(network.bytes_per_s):
            return work
        asked_s, answered_s = (
            (network.header_bytes + (io.size_bytes if io.op == op else 0)) / network.bytes_per_s
            for op in ("write", "read")
        )
        return (Use(self.card.into, asked_s), *work, Use(self.card.out, answered_s))
