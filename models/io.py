"""The request that all layers share: a read or write of some bytes, of pages of a cache, or of a file."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal

from sim import AddressSource, Path, Pool, Station

Op = Literal["read", "write", "flush"]
"""Operations; a flush carries no bytes: it makes all data that the device has accepted durable."""

Durable = Literal["no", "data", "all"]
"""Durability when a write returns: none; data (O_DSYNC, fdatasync); or metadata, too (O_SYNC)."""


@dataclass(frozen=True)
class IO:
    """One read or write of ``size_bytes`` bytes."""

    op: Op
    size_bytes: int

    def piece(self, size_bytes: int) -> IO:
        """A part of it, of ``size_bytes`` bytes."""
        return IO(self.op, size_bytes)

    def split(self, max_bytes: int) -> Iterator[tuple[int, IO]]:
        """Yield (count, piece): pieces of at most ``max_bytes``, whole ones first, then the rest."""
        whole, rest = divmod(self.size_bytes, max_bytes)
        for size_bytes, times in Counter({max_bytes: whole, rest: 1}).items():
            if size_bytes and times:
                yield times, self.piece(size_bytes)


@dataclass(frozen=True)
class PagedIO(IO):
    """An I/O on pages of a cache.

    Attributes:
        addresses: source of the addresses of its pages, in sequence.
        pages: number of its pages.
        sequential: True if it is part of a sequential run.
        stream: common name of all I/Os of a load that share ``addresses``.
        clients: number of these at a time.
    """

    addresses: AddressSource
    pages: int
    sequential: bool
    stream: str
    clients: int


@dataclass(frozen=True)
class HostTimes:
    """Times of threads on the host of an I/O.

    Attributes:
        wake: steps until a sleeping thread is on a core.
        copy_bytes_per_s: copy rate of a core.
        busy_s: time for which the switch to it occupies that core.
        memory, memory_bytes_per_s: memory bandwidth that its cores share; None if it never limits.
        line_s: time to transfer a lock and the data that it guards from their last core.
    """

    wake: Path
    copy_bytes_per_s: float
    busy_s: float = 0.0
    memory: Station | None = None
    memory_bytes_per_s: float = math.inf
    line_s: float = 0.0


@dataclass(frozen=True)
class FileIO(IO):
    """An I/O of a process, in a stack of layers.

    Attributes:
        file: number of its file; processes with equal numbers share the file.
        process: number of its process, from 0 on each host: it selects core and queue.
        processes: number of processes on its host; ``sharers``: number of all that use its file.
        host, hosts: number of its host, from 0, and number of hosts.
        sequential: True if it begins where the last one of its process ended.
        aligned_bytes: a power of two that divides its offset and its size.
        durable: durability when it returns.
        synced: durability by later flushes of the same load; in a flush, that of the I/Os before it.
        appends: True if it extends the file.
        asynchronous: True if it is submitted without waiting (libaio, io_uring).
        beside: True if processes of its host run other loads, so that it matters how they share its cores.
        core: core of its process, if a layer above sets it: work in lower layers holds it.
        turn: turn of its process at that core, if several time-share it.
        times: times of its host, if a layer above sets them.
        slow: factor on a device's time, set by a layer above for a degraded device.
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
        """Number of its process in the load, whose processes are dealt to the hosts round-robin."""
        return self.process * self.hosts + self.host

    def piece(self, size_bytes: int) -> FileIO:
        """A part of it, of ``size_bytes`` bytes."""
        return replace(self, size_bytes=size_bytes)
