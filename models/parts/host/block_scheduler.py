"""The I/O scheduler of a block device: its requests, and one lock, which the queues of all cores share.

I/O ──> take one of the [requests] ──> hold its core ── hold the [lock]  free: time; else: contended ──> below
                                                        kyber: time on the core, no lock
flush ──────────────────────────────────────────────────────────────────────────────────────────────────> below

A waiter spins: its core does nothing else meanwhile. A lock that comes from another core brings its cache lines
and those of the queue along, so that it is held for longer. The number of waiters does not matter for that: in a
queued spinlock each spins on its own line (Linux 4.2, kernel/locking/qspinlock.c). A time that grows with the
number of waiters fits the measurements much worse.

An I/O keeps its request until it is done; when all are in use, the next I/O waits asleep (blk-mq,
block/blk-mq-tag.c: blk_mq_get_tag). So many writes in flight hold up a single read, too.
"""

from __future__ import annotations

from dataclasses import dataclass

from models.io import FileIO
from models.layer import FileLayer
from models.parts.host.host import fetched
from sim import Delay, Hold, IfAny, Lock, Path, Pool
from sim.system.quantities import duration
from sim.system.settings import choice, count
from sim.system.stack.kinds import Below


@dataclass(frozen=True)
class Policy:
    """Cost of an I/O under a scheduler.

    Attributes:
        time_s: hold time of the lock if it was free, or core time if there is no lock.
        contended_s: hold time of the lock if it was not free; None if there is no lock for all queues.
    """

    time_s: float
    contended_s: float | None = None


POLICIES = {
    "none": Policy(0.0),
    "kyber": Policy(0.68e-6),  # block/kyber-iosched.c: a lock for each queue, kcq->lock, without contention
    "mq-deadline": Policy(0.66e-6, 1.98e-6),  # block/mq-deadline.c: dd->lock, to insert and to dispatch
    "bfq": Policy(1.66e-6, 3.28e-6),  # block/bfq-iosched.c: bfqd->lock, likewise
}
"""Times fitted to the ICPE 2024 study of I/O schedulers: 1 to 4 processes at depth 128, one SSD, 10 cores."""


@dataclass(frozen=True)
class Scheduler:
    """The I/O scheduler of one device."""

    scheduler: str = choice("none", "as in /sys/block/*/queue/scheduler", tuple(POLICIES))
    time: float = duration(0.0, "time for which an I/O holds the lock, or with kyber a core; 0: the fitted value")
    contended: float = duration(
        0.0, "time for which it holds a lock that was held or waited for before; 0: the fitted value"
    )
    requests: int = count(
        0, "I/Os that the device's queues hold: nr_requests times hardware queues; 0: any number", low=0
    )

    def layer(self, name: str, below: Below) -> SchedulerLayer:
        """The scheduler above ``below``; each name has its own lock."""
        policy = POLICIES[self.scheduler]
        lock = None if policy.contended_s is None else Lock(f"{name} lock")
        time_s, contended_s = self.time or policy.time_s, self.contended or policy.contended_s or 0.0
        requests = Pool(f"{name} requests", self.requests) if self.requests else None
        return SchedulerLayer(lock, time_s, contended_s, below(""), requests)


@dataclass(frozen=True)
class SchedulerLayer:
    """Core time of each I/O, some of it under the ``lock`` of the device; an I/O keeps one of its ``requests``."""

    lock: Lock | None
    time_s: float
    contended_s: float
    below: FileLayer
    requests: Pool | None = None

    def path(self, io: FileIO) -> Path:
        """Insert and dispatch, then go on below; a flush is dispatched directly."""
        below = self.below.path(io)
        if io.op == "flush":
            return below
        work = self._work(io) if self.time_s else ()
        on_core = (Hold(io.core, *work),) if work and io.core else work
        return (Hold(self.requests, *on_core, *below),) if self.requests else (*on_core, *below)

    def _work(self, io: FileIO) -> Path:
        free = Delay(self.time_s)
        if not self.lock:
            return (free,)
        alone = self.lock.exclusive
        from_others = fetched(io, io.processes)
        return (IfAny(self.lock, Hold(alone, Delay(self.contended_s)), Hold(alone, *from_others, free)),)
