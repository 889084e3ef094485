"""One FUSE request: a queue, a daemon that sleeps when idle, copies beside the queue, a caller who sleeps, too.

caller ──> [threads] of the daemon, awake or woken ──────────────────────┄┄> the caller wakes up
              ├─ [queue]  of the mount: one request at a time, its bytes are not copied here
              ├─ [cores]  handler, and all copies of the bytes
              └─ below

The way of a request is that of B. K. R. Vangoor, V. Tarasov and E. Zadok, "To FUSE or not to FUSE: performance of
user-space file systems", FAST 2017, section 2.
"""

from __future__ import annotations

from dataclasses import dataclass

from models.io import Op
from models.parts.host.asleep import Threads, wake_up
from models.parts.host.memory import CopyingCores
from sim import Exponential, Path, Pool, Station, Step, Use

PAGE_BYTES = 4096


@dataclass(frozen=True)
class RequestTimes:
    """Times of a request in the mount and the daemon, in seconds.

    Attributes:
        queue_s: time for which it occupies the queue.
        page_s: additional time in the queue for each copied page; 0 since Linux 4.2. Until then
            each page took the lock of the mount twice (``lock_request`` and ``unlock_request`` in
            ``fuse_copy_fill``, fs/fuse/dev.c of Linux 3.0).
        handler_s: core time of the library, the daemon and its system calls.
        copy_s_per_byte: core time of all copies together.
        wake_s: mean time to wake a sleeping thread.
        varies: True if the time in the queue is exponential, False if constant.
    """

    queue_s: float
    handler_s: float
    copy_s_per_byte: float
    wake_s: float
    page_s: float = 0.0
    varies: bool = False

    def queued_s(self, size_bytes: int) -> float:
        """Mean time in the queue. The first page is part of ``queue_s``; buffers begin anywhere in a page."""
        return self.queue_s + size_bytes / PAGE_BYTES * self.page_s

    def idle_s(self, size_bytes: int = 0) -> dict[str, float]:
        """Seconds of one request by activity, without queueing and with all threads asleep."""
        return {
            "queue": self.queued_s(size_bytes),
            "wake-ups": 2.0 * self.wake_s,
            "handler": self.handler_s,
            "copies": size_bytes * self.copy_s_per_byte,
        }


@dataclass(frozen=True)
class FuseRequests:
    """Requests of one mount, or of one of its queues."""

    times: RequestTimes
    threads: Pool
    queue: Station
    cores: CopyingCores
    wake: Path | None = None

    @property
    def _woken(self) -> Path:
        """Steps to wake a sleeping thread: the host's, or by ``times``."""
        return wake_up(self.times.wake_s) if self.wake is None else self.wake

    def served(self, *work: Step, size_bytes: int = 0) -> Path:
        """A request that the daemon serves by the steps ``work``, without waiting for the reply."""
        queued_s = self.times.queued_s(size_bytes)
        queued = Use(self.queue, Exponential(queued_s) if self.times.varies else queued_s)
        handled = self.cores.kernel(self.times.handler_s)
        return Threads(self.threads, self._woken).serve(queued, *handled, *work)

    def moved(self, op: Op, size_bytes: int, below: Path) -> Path:
        """A request that carries ``size_bytes`` and goes ``below``, without waiting for the reply."""
        copied = self.copied(size_bytes)
        work = (*below, *copied) if op == "read" else (*copied, *below)
        return self.served(*work, size_bytes=size_bytes)

    def copied(self, size_bytes: int) -> Path:
        """Copy of ``size_bytes``."""
        return self.cores.copied(size_bytes, size_bytes * self.times.copy_s_per_byte)

    def waited_for(self, served: Path) -> Path:
        """The caller sleeps until a request is served, and wakes up."""
        return (*served, *self._woken)
