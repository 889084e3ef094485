"""A data node: a machine that sleeps when idle, its card, its processors, and its SSDs.

message in ──> [card] ──> awake, or woken ──> [cpu] ──> [one of its SSDs] ──> …

A file's extents are spread evenly over the SSDs of a node, so each request goes to a random one. Sequential
requests are prefetched and take the time of their bytes alone.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache

from models.io import FileIO, Op
from models.layer import FileLayer
from models.parts.flash import Flash
from models.parts.host.asleep import SleepingMachine
from models.parts.link.messages import Card
from models.paths import any_of
from sim import Path, Station, Use
from sim.system.quantities import linear


@dataclass(frozen=True)
class NodeTimes:
    """Times of a request at a data node, in seconds.

    Attributes:
        request_s: processor time for each request message.
        byte_s: processor time for each byte: checksum and copies.
    """

    request_s: float
    byte_s: float


@dataclass(frozen=True)
class Disks:
    """The SSDs of one node, for random and for sequential requests."""

    random: tuple[FileLayer, ...]
    sequential: tuple[FileLayer, ...]

    @classmethod
    def of(cls, name: str, count: int, ssd: Flash) -> Disks:
        """The SSDs of the node ``name``."""
        names = [f"{name} ssd {number}" for number in range(1, count + 1)]
        known = replace(ssd, latency=linear(0.0, 1.0 / ssd.bandwidth), access=linear(0.0), unit_share=0.0)
        return cls(*(tuple(each.layer(name, source="") for name in names) for each in (ssd, known)))


@dataclass(frozen=True)
class Handling:
    """Treatment of a write by the nodes, besides storing it.

    Attributes:
        needed: copies that must be stored before it returns.
        work_s: processor time on each node.
        sequential: True if it begins where the last one ended.
        threads: threads of each node that pass it on to one another.
    """

    needed: int
    sequential: bool = False
    work_s: float = 0.0
    threads: float = 1.0


@dataclass(frozen=True)
class DataNode:
    """One data node."""

    machine: SleepingMachine
    card: Card
    cpu: Station
    ssds: Disks
    times: NodeTimes

    def read(self, size_bytes: int, *, sequential: bool) -> Path:
        """Everything that a read does here."""
        return _read(self, size_bytes, sequential=sequential)

    def written(self, size_bytes: int, how: Handling) -> Path:
        """Receive a write and check its bytes; it is not stored yet."""
        work_s = self.times.request_s + how.work_s + size_bytes * self.times.byte_s
        return (*self.machine.message(how.threads), Use(self.cpu, work_s))

    def stored(self, op: Op, size_bytes: int, *, sequential: bool) -> Path:
        """Read or write on one of the SSDs."""
        ssds = self.ssds.sequential if sequential else self.ssds.random
        return _any_of(ssds, FileIO(op, size_bytes))


@lru_cache(maxsize=1024)
def _any_of(ssds: tuple[FileLayer, ...], io: FileIO) -> Path:
    """One of ``ssds`` at random; cached, as all requests of a size share this step."""
    return any_of([ssd.path(io) for ssd in ssds])


@lru_cache(maxsize=1024)
def _read(node: DataNode, size_bytes: int, *, sequential: bool) -> Path:
    """Everything that a read does at ``node``; cached, as all clients share it."""
    fetched = Use(node.cpu, size_bytes * node.times.byte_s)
    asked = Use(node.cpu, node.times.request_s)
    return (*node.machine.message(), asked, *node.stored("read", size_bytes, sequential=sequential), fetched)
