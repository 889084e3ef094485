"""Storage that the calling thread serves itself, before its call returns.

I/O of libaio or io_uring ──> [thread of its process]: below, one after the other
I/O of a plain call       ──> below

Files in memory, drivers that copy or compress at once (brd, zram) and FUSE without asynchronous I/O do so: a call
that submits several I/Os returns when they are done. So a depth above one gains nothing. On a virtual
machine of two cores (Linux 6.18, fio 3.33) one process read 4 KiB of tmpfs 455,000 times a second by libaio at
depth 1 and 332,000 at depth 8, and of bindfs 44,000 and 39,000 times.
"""

from __future__ import annotations

from dataclasses import dataclass

from models.io import FileIO
from models.layer import FileLayer
from sim import Hold, Lock, Path
from sim.system.stack.kinds import IO_URING, Below


@dataclass(frozen=True)
class Caller:
    """Synchronous storage below its caller: I/Os of one process follow each other, at any depth."""

    @staticmethod
    def refuses() -> dict[str, str]:
        """io_uring: Linux leaves I/Os that would block to workers (``io_issue_sqe`` in io_uring.c)."""
        why = "cannot answer it, as workers of the kernel would do the work; ask with ioengine=libaio or psync"
        return {IO_URING: why}

    def layer(self, name: str, below: Below) -> InTurn:
        """Threads above ``below``."""
        return InTurn(name, below(""))


@dataclass(frozen=True)
class InTurn:
    """Threads of processes, called ``name`` and a number, above the storage."""

    name: str
    below: FileLayer

    def path(self, io: FileIO) -> Path:
        """One I/O, which holds the thread of its process if others of that process may be in flight."""
        below = self.below.path(io)
        return (Hold(Lock(f"{self.name} {io.process + 1}").exclusive, *below),) if io.asynchronous else below
