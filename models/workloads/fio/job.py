"""A job of fio: identical processes, and the I/Os of each of them.

process 1..n ──> [pause or pace] ──> [read or write, of a size] ──> [after some writes: fsync] ──> again
             as many requests at once as are in flight
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from math import fsum
from typing import Literal

from models.io import Durable
from models.workloads.fio.job_options import ASYNCHRONOUS
from models.workloads.fio.values import Sizes, power_of_two_in

What = Literal["read", "write", "sync", "trim"]
"""Operations that fio reports separately; sync is a flush, and no job trims."""

Direction = Literal["read", "write"]

BLOCK: Sizes = ((4096, 1.0),)
"""fio's default block size."""


@dataclass(frozen=True)
class Job:
    """One section of a job file, as far as it affects its requests to storage.

    Attributes:
        reads: the share of I/Os that read.
        random: True for random I/Os; else each begins where the last one of its process and direction ended.
        block_bytes: alignment of random reads, and of random writes; 0: their smallest size.
        offsets_bytes: offset in the file, and its increment for each process.
        in_flight: requests of a process in flight at once.
        engine: fio's I/O engine.
        size_bytes: bytes that each process moves in total; None for an endless one.
        file: name of the file that all processes with this name share; ``$jobnum`` stands for the number of the
            process, from 0. None: each process has its own.
        direct: True to bypass the page cache; the stack must support it.
        durable: durability when a write returns.
        sync_every: number of writes before each fsync or, if ``sync_data_only``, fdatasync; 0: never.
        pace: limit of I/Os a second of each process; 0: none.
        poisson: True for a pace with exponential times between I/Os, False for equal ones.
        think_s: pause of a client between two I/Os.
        runtime_s: run time of fio; None: until the size is done.
        behind: True if it waits for the jobs before it (stonewall).
        apart: True if it begins a new group in reports.
        together: True if it is reported with the jobs of its group.
        options: options of its section, for reports.
        notes: a line for each option that another part answers, or without effect here.
    """

    name: str = "fio"
    reads: float = 1.0
    random: bool = False
    read_sizes: Sizes = BLOCK
    write_sizes: Sizes = BLOCK
    block_bytes: tuple[int, int] = (0, 0)
    offsets_bytes: tuple[int, int] = (0, 0)
    processes: int = 1
    in_flight: int = 1
    engine: str = "psync"
    size_bytes: int | None = None
    file: str | None = None
    direct: bool = False
    appends: bool = False
    durable: Durable = "no"
    sync_every: int = 0
    sync_data_only: bool = False
    pace: float = 0.0
    poisson: bool = False
    think_s: float = 0.0
    runtime_s: float | None = None
    behind: bool = False
    apart: bool = False
    together: bool = False
    options: Mapping[str, str] = field(default_factory=dict, hash=False)
    notes: tuple[str, ...] = ()

    @property
    def asynchronous(self) -> bool:
        """True if calls of its engine submit I/Os without waiting."""
        return self.engine in ASYNCHRONOUS

    @property
    def shares(self) -> dict[What, float]:
        """Number of reads, writes and flushes for each I/O; zeros are left out."""
        writes = 1.0 - self.reads
        shares: dict[What, float] = {"read": self.reads, "write": writes}
        if self.sync_every:
            shares["sync"] = writes / self.sync_every
        return {what: share for what, share in shares.items() if share}

    @property
    def alike(self) -> bool:
        """True if the latency of an I/O is that of a request: one kind of I/O, no flush after it."""
        return len(self.shares) == 1

    @property
    def sharing(self) -> str:
        """``each`` if each of its processes has a file, ``shared`` if they share one."""
        return "shared" if self.file and "$jobnum" not in self.file else "each"

    def sizes(self, op: What) -> Sizes:
        """The sizes of reads or of writes."""
        return self.read_sizes if op == "read" else self.write_sizes

    def mean_bytes(self, op: What) -> float:
        """Mean size of a read or of a write."""
        return fsum(size * share for size, share in self.sizes(op))

    @property
    def io_bytes(self) -> float:
        """Mean size of an I/O."""
        return self.reads * self.mean_bytes("read") + (1.0 - self.reads) * self.mean_bytes("write")

    @property
    def count(self) -> int | None:
        """Number of I/Os of each process; None for an endless one."""
        return None if self.size_bytes is None else int(self.size_bytes / self.io_bytes)

    def aligned_bytes(self, op: Direction) -> int:
        """The largest power of two that divides all offsets and sizes of ``op``."""
        smallest = min(size for size, _ in self.sizes(op))
        block = (self.block_bytes[op != "read"] or smallest) if self.random else 0
        return power_of_two_in([size for size, _ in self.sizes(op)] + [block, *self.offsets_bytes])

    def ios(self) -> Iterator[tuple[float, Direction, int]]:
        """(share, op, bytes) of each kind of I/O."""
        ops: tuple[tuple[Direction, float], ...] = (("read", self.reads), ("write", 1.0 - self.reads))
        for op, share_of_op in ops:
            for size, share in self.sizes(op):
                if share_of_op:
                    yield share_of_op * share, op, size
