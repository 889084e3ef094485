"""A job of fio: processes that are alike, and the I/Os that each of them makes.

process 1..n ──> [pause or pace] ──> [read or write, of a size] ──> [every so many writes: fsync] ──> again
             as many requests at once as are in flight
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from math import fsum
from typing import Literal

from models.io import Durable
from models.workloads.fio.values import Sizes, power_of_two_in

What = Literal["read", "write", "sync", "trim"]
"""What fio reports apart; sync is a flush, and no job trims."""

Direction = Literal["read", "write"]

BLOCK: Sizes = ((4096, 1.0),)
"""fio's default block size."""


@dataclass(frozen=True)
class Job:
    """One section of a job file, as far as it changes what storage is asked for.

    Attributes:
        reads: the share of I/Os that read.
        random: each I/O goes anywhere; else where the last one of its process and direction ended.
        block_bytes: multiples of it are where random reads, and random writes, begin; 0: of their smallest size.
        offsets_bytes: where the file begins, and by how much further for each process.
        in_flight: requests of a process under way at once.
        asynchronous: they are submitted by calls that need not wait for them.
        size_bytes: what each process moves in all; None: it goes on.
        file: all processes of all jobs with this name share a file; in it, ``$jobnum`` stands for the number of
            the process, from 0. None: each has one of its own.
        direct: past the page cache; for the stack to honour.
        durable: what is durable when a write returns.
        sync_every: so many writes, and then an fsync or, if ``sync_data_only``, an fdatasync; 0: never.
        pace: I/Os a second that each process keeps to; 0: as many as it can.
        poisson: a pace with exponential times between I/Os, not with equal ones.
        think_s: pause of a client between two I/Os.
        runtime_s: how long fio would run; None: until the size is done.
        behind: it waits for the jobs before it (stonewall).
        apart: it begins a group of its own in reports.
        together: it is reported with the jobs of its group.
        options: what its section says, for reports.
        notes: a line for each option whose answer is elsewhere, or which has no effect here.
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
    asynchronous: bool = False
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
    def shares(self) -> dict[What, float]:
        """How many reads, writes and flushes there are for one I/O; those that there are none of are left out."""
        writes = 1.0 - self.reads
        shares: dict[What, float] = {"read": self.reads, "write": writes}
        if self.sync_every:
            shares["sync"] = writes / self.sync_every
        return {what: share for what, share in shares.items() if share}

    @property
    def alike(self) -> bool:
        """Whether the latency of an I/O is that of a request: one kind of them, nothing behind."""
        return len(self.shares) == 1

    @property
    def sharing(self) -> str:
        """Whether its processes have a file each, or a shared one."""
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
        """How many I/Os each process makes; None: it goes on."""
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
