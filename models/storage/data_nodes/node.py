"""A data node: a machine that sleeps when idle, its card, its processors, and its SSDs.

message in ──> [card] ──> awake, or woken ──> [cpu] ──> [one of its SSDs] ──> …

A file's extents lie on all SSDs of a node alike, so each request goes to one by chance. An SSD is busy with one
request after the other.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from models.io import Op
from models.parts.host.asleep import SleepingMachine
from models.parts.link.messages import Card
from models.paths import any_of
from sim import Constant, Exponential, Path, Station, Use
from sim.model.distributions import Distribution


@dataclass(frozen=True)
class NodeTimes:
    """What a request takes of a data node, in seconds.

    Attributes:
        request_s: of a processor for each message that asks for something.
        byte_s: of a processor for each byte: checksum and copies.
        read_access_s, write_access_s: of an SSD for each request.
        ssd_byte_s: of an SSD for each byte.
    """

    request_s: float
    byte_s: float
    read_access_s: float
    write_access_s: float
    ssd_byte_s: float

    def ssd_s(self, op: Op, size_bytes: int, *, sequential: bool) -> float:
        """Mean time of an SSD; in sequence that of the bytes alone, as what comes next is known beforehand."""
        access_s = self.read_access_s if op == "read" else self.write_access_s
        return size_bytes * self.ssd_byte_s + (0.0 if sequential else access_s)


@dataclass(frozen=True)
class Handling:
    """What the nodes do with a write, beyond storing it.

    Attributes:
        needed: copies that must have it before it returns.
        work_s: of a processor of each node.
        sequential: whether it goes on where the last one ended.
        threads: of each node that hand it on to one another.
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
    ssds: tuple[Station, ...]
    times: NodeTimes

    def read(self, size_bytes: int, *, sequential: bool) -> Path:
        """All that a read does here."""
        return _read(self, size_bytes, sequential=sequential)

    def written(self, size_bytes: int, how: Handling) -> Path:
        """A write arrives, and a processor looks at its bytes; it is not stored yet."""
        work_s = self.times.request_s + how.work_s + size_bytes * self.times.byte_s
        return (*self.machine.message(how.threads), Use(self.cpu, work_s))

    def stored(self, op: Op, size_bytes: int, *, sequential: bool) -> Path:
        """One of the SSDs reads or writes."""
        mean_s = self.times.ssd_s(op, size_bytes, sequential=sequential)
        return _any_of(self.ssds, Constant(mean_s) if sequential else Exponential(mean_s))


@lru_cache(maxsize=1024)
def _any_of(ssds: tuple[Station, ...], time: Distribution) -> Path:
    """One of ``ssds`` by chance: a step that all requests of a size have in common, so it is built once."""
    return any_of([(Use(ssd, time),) for ssd in ssds])


@lru_cache(maxsize=1024)
def _read(node: DataNode, size_bytes: int, *, sequential: bool) -> Path:
    """All that a read does at ``node``: for whomever, so it is built once, too."""
    fetched = Use(node.cpu, size_bytes * node.times.byte_s)
    asked = Use(node.cpu, node.times.request_s)
    return (*node.machine.message(), asked, *node.stored("read", size_bytes, sequential=sequential), fetched)
