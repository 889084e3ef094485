"""Files in memory: a core calls, and copies between their pages and the process.

call ──> [a core]: the call, the first pages one by one, and then all bytes at a rate ──> done
         a host that says what its memory moves: of that, the bytes ──> [memory], which all its cores share

If the file is larger than the processor's caches, the copy waits for each of the first pages of a call; then the
processor detects the sequence of pages, and prefetches. On a virtual machine of two cores (AMD EPYC,
Linux 6.18, tmpfs, 256 MiB at random) a page of a read took 0.42, 0.41 and 0.49 us for the second to the fourth,
and 0.19 us each from the ninth on; of a file of 8 MiB, which the caches hold, 0.16 us all of them.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace

from models.io import FileIO
from models.parts.host.memory import CopyingCores
from sim import Path
from sim.system.quantities import bandwidth, duration
from sim.system.settings import count, flag
from sim.system.stack.kinds import FLUSH, PAGE_CACHE, Below

PAGE_BYTES, FIRST_PAGES = 4096, 4
"""Pages until the processor prefetches: about as many as in the measurement above; assumed."""


@dataclass(frozen=True)
class Copy:
    """Cores that copy; below the layer ``cores``, the process's core. A flush finds nothing to write."""

    cores: int = count(
        1, "cores that call and copy; with the layer cores above, a process copies on its own core", high=4096
    )
    read_call: float = duration(1e-6, "core time of a read of any size")
    read_first: float = duration(0.0, "extra core time for each of the first four pages (4 KiB) of a read")
    read_rate: float = bandwidth(16e9, "bytes a second that a core copies to a process")
    write_call: float = duration(1e-6, "core time of a write of any size")
    write_first: float = duration(0.0, "extra core time for each of the first four pages (4 KiB) of a write")
    write_rate: float = bandwidth(12e9, "bytes a second that a core copies from a process")
    submit: float = duration(
        0.0, "extra core time for an I/O that libaio or io_uring submits and reaps: two more system calls"
    )
    flush: float = duration(0.2e-6, "core time of a flush, a system call that finds nothing to write; assumed")
    pages: bool = flag(
        "the files are the page cache; no: a driver copies for a device below one, and buffered I/O is refused",
        default=True,
    )

    def gives(self, _written: Collection[str]) -> tuple[str, ...]:
        """A flush, which has nothing to write; and a page cache, if the files are one."""
        return (FLUSH, PAGE_CACHE) if self.pages else (FLUSH,)

    def layer(self, name: str, below: Below) -> Copying:  # noqa: ARG002  (nothing is below memory)
        """The cores, which are the last layer."""
        reading = Cost(self.read_call, self.read_first, self.read_rate)
        writing = Cost(self.write_call, self.write_first, self.write_rate)
        return Copying(f"{name} cores", self.cores, reading, writing, self.submit, self.flush)


@dataclass(frozen=True)
class Cost:
    """Cost of a call: seconds of a core, extra seconds for each first page, and copy rate in bytes/s."""

    call_s: float
    first_s: float
    bytes_per_s: float

    def of(self, size_bytes: int) -> float:
        """Seconds of a core for a call of ``size_bytes``, which begins at a page."""
        first = min(-(-size_bytes // PAGE_BYTES), FIRST_PAGES)
        return self.call_s + first * self.first_s + size_bytes / self.bytes_per_s


@dataclass(frozen=True)
class Copying:
    """The cores, the cost of reads and writes, and extra time of asynchronous submission."""

    name: str
    cores: int
    reading: Cost
    writing: Cost
    submit_s: float
    flush_s: float

    def path(self, io: FileIO) -> Path:
        """Steps of one call."""
        cost = self.reading if io.op == "read" else self.writing
        cores = CopyingCores.of(self.name, self.cores, io)
        own = replace(cores, cores=io.core, turn=io.turn) if io.core else cores
        if io.op == "flush":
            return own.kernel(self.flush_s)
        return own.copied(io.size_bytes, cost.of(io.size_bytes) + (self.submit_s if io.asynchronous else 0.0))
