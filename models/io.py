"""The request that all layers share: a read or a write of so many bytes, of pages of a cache, or of a file."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal

from sim import AddressSource, Path, Pool, Station

Op = Literal["read", "write", "flush"]
"""A flush carries no bytes: the device makes durable what it has taken."""

Durable = Literal["no", "data", "all"]
"""What is durable when a write returns: nothing; the data (O_DSYNC, fdatasync); or the metadata, too (O_SYNC)."""


@dataclass(frozen=True)
class IO:
    """One read or write of ``size_bytes`` bytes."""

    op: Op
    size_bytes: int

    def piece(self, size_bytes: int) -> IO:
        """A part of it, of so many bytes."""
        return IO(self.op, size_bytes)

    def split(self, max_bytes: int) -> Iterator[tuple[int, IO]]:
        """Yield (how many, piece): pieces of at most ``max_bytes``, whole ones first, then the rest."""
        whole, rest = divmod(self.size_bytes, max_bytes)
        for size_bytes, times in Counter({max_bytes: whole, rest: 1}).items():
            if size_bytes and times:
                yield times, self.piece(size_bytes)


@dataclass(frozen=True)
class PagedIO(IO):
    """One that goes to pages of a cache.

    Attributes:
        addresses: where its pages are, one after the other.
        pages: how many.
        sequential: it is a piece of a run.
        stream: name of all I/Os of one load that share ``addresses``.
        clients: of these, so many at a time.
    """

    addresses: AddressSource
    pages: int
    sequential: bool
    stream: str
    clients: int


@dataclass(frozen=True)
class HostTimes:
    """What threads take on the host of an I/O.

    Attributes:
        wake: steps until one that slept is put on a core.
        copy_bytes_per_s: that a core copies.
        busy_s: for which the switch to it keeps that core.
        memory, memory_bytes_per_s: which all its cores share; None: it has enough for all.
        line_s: until a lock, and what it guards, come from the core that had them last.
    """

    wake: Path
    copy_bytes_per_s: float
    busy_s: float = 0.0
    memory: Station | None = None
    memory_bytes_per_s: float = math.inf
    line_s: float = 0.0


@dataclass(frozen=True)
class FileIO(IO):
    """One that a process asks for, in a stack of layers.

    Attributes:
        file: number of the file that it goes to; processes of one number share the file.
        process: number of the process that asks, from 0 on each host: it decides which core and which queue.
        processes: how many ask on its host; ``sharers`` how many of all for its file.
        host, hosts: number of its host, from 0, and of how many.
        sequential: it goes on where the last one of its process ended.
        aligned_bytes: a power of two that divides its offset and its size.
        durable: what is durable when it returns.
        synced: what flushes of the same load make durable behind it; a flush says what was announced so.
        appends: it goes behind the end of the file.
        asynchronous: it is submitted by a call that need not wait for it (libaio, io_uring).
        beside: processes of its host ask for other things, so that it matters how they share its cores.
        core: the core that its process is on, if a layer above knows: work further down holds it.
        turn: of its process at that core, if several share it by time.
        times: of its host, if a layer above knows.
        slow: how many times as long a device takes for it, as a layer above sends it to one that is degraded.
    """

    file: int = 0
    process: int = 0
    processes: int = 1
    sharers: int = 1
    host: int = 0
    hosts: int = 1
    sequential: bool = False
    aligned_bytes: int = 4096
    durable: Durable = "no"
    synced: Durable = "no"
    appends: bool = False
    asynchronous: bool = False
    beside: bool = False
    core: Pool | None = None
    turn: Pool | None = None
    times: HostTimes | None = None
    slow: float = 1.0

    @property
    def process_of_all(self) -> int:
        """Number of its process among those of all hosts, to which they are dealt in turn: the load's number."""
        return self.process * self.hosts + self.host

    def piece(self, size_bytes: int) -> FileIO:
        """A part of it, of so many bytes."""
        return replace(self, size_bytes=size_bytes)
