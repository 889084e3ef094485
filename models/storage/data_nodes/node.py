"""A data node: a machine that sleeps when idle, its card, its processors, and its SSDs.

message in ──> [card] ──> awake or woken ──> [cpu] ──> [one of its SSDs] ──> [cpu] ──> …

A file's extents lie on all SSDs of a node alike, so each request goes to one by chance.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from models.host.asleep import SleepingMachine
from models.io import Op
from models.paths import any_of
from models.storage.data_nodes.cards import Card
from sim import Exponential, Path, Station, Use


@dataclass(frozen=True)
class NodeTimes:
    """What a request takes of a data node, in seconds.

    Attributes:
        request_s: of a processor for each message that asks for something.
        byte_s: of a processor for each byte: checksum and copies.
        access_s: of an SSD for each request, by ``read`` and ``write``; exponential together with the transfer.
        ssd_byte_s: of an SSD for each byte.
    """

    request_s: float
    commit_s: float
    commit_threads: float
    byte_s: float
    read_access_s: float
    write_access_s: float
    ssd_byte_s: float

    def ssd_s(self, op: Op, size_bytes: int) -> float:
        """Mean time of an SSD."""
        access_s = self.read_access_s if op == "read" else self.write_access_s
        return access_s + size_bytes * self.ssd_byte_s


@lru_cache(maxsize=1024)
def _any_ssd(ssds: tuple[Station, ...], mean_s: float) -> Path:
    """One of ``ssds`` by chance; all requests of a size have the step in common, which is built once."""
    return any_of([(Use(ssd, Exponential(mean_s)),) for ssd in ssds])


@dataclass(frozen=True)
class DataNode:
    """One data node."""

    machine: SleepingMachine
    card: Card
    cpu: Station
    ssds: tuple[Station, ...]
    times: NodeTimes

    def asked(self, size_bytes: int, more_s: float = 0.0, threads: float = 1.0) -> Path:
        """A request arrives, and a processor looks at it and its ``size_bytes`` of data."""
        work_s = self.times.request_s + more_s + size_bytes * self.times.byte_s
        return (*self.machine.message(threads), Use(self.cpu, work_s))

    def stored(self, op: Op, size_bytes: int) -> Path:
        """One of the SSDs reads or writes."""
        return _any_ssd(self.ssds, self.times.ssd_s(op, size_bytes))

    def read(self, size_bytes: int) -> Path:
        """All that a read does here."""
        fetched = Use(self.cpu, size_bytes * self.times.byte_s)
        return (*self.asked(0), *self.stored("read", size_bytes), fetched)
