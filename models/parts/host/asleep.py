"""Idle threads and machines sleep, and take a while to run again.

threads  request ──> does a thread sleep? ┄┄> it wakes up ──> takes the request that waits longest, or sleeps again
                 └─> wait ──> served ──> the thread takes the request that waits longest, or goes to sleep
lock     taken at once, or: wait ──> wake up, while the lock is one's own already

A thread that has just served a request takes the next one; only a thread that finds none goes to sleep. So a
single client pays for a wake-up with every request, and each further client makes wake-ups rarer: an awake thread
is often faster than the one being woken. At first, throughput grows faster than the number of clients.

machine  message ──> idle for long? ┄┄> it wakes up ──> go on, and it stays awake for a while
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from sim import Buffer, Delay, Exponential, Fork, Gamma, Hold, IfAny, Lock, Path, Pool, Put, Step, Take

_ANY_NUMBER = 1 << 30


def wake_up(wake_s: float, wake_cv: float = 1.0) -> Path:
    """Wake-up of a sleeping thread. It varies widely, so the time is exponential with mean ``wake_s``.

    With another coefficient of variation ``wake_cv`` it is a gamma distribution.
    """
    if not wake_s:
        return ()
    return (Delay(Exponential(wake_s) if wake_cv == 1.0 else Gamma(wake_s, wake_cv)),)


def handed_over(lock: Lock, wake: Path, *steps: Step, free: Path = ()) -> Step:
    """Take ``steps`` with ``lock`` held exclusively; a waiter sleeps, and wakes up once it owns the lock.

    It owns the lock while it wakes up, by the steps ``wake``; a process that finds the lock free does not sleep,
    and takes the steps ``free`` first.
    """
    alone = Hold(lock.exclusive, *free, *steps)
    return IfAny(lock, Hold(lock.exclusive, *wake, *steps), alone) if wake else alone


@dataclass(frozen=True)
class Threads:
    """Threads that serve requests in order of arrival.

    With one thread this is the queue M/G/1 with an exceptional first service (P. D. Welch, "On a generalized M/G/1
    queuing process in which the first customer of each busy period receives exceptional service", Operations
    Research 12 (1964), 736-752).

    Attributes:
        pool: a token for each thread; a request keeps one while it is served.
        wake: steps to wake a sleeping thread; empty for threads that never sleep.
    """

    pool: Pool
    wake: Path

    @property
    def buffers(self) -> tuple[Buffer, Buffer, Buffer]:
        """Sleeping threads, waiting requests, and threads that have chosen a request."""
        name, tokens = self.pool.name, self.pool.tokens
        # A thread no longer counts as asleep once its wake-up has begun, nor a request as waiting once a thread
        # has chosen it: so two requests never wake the same thread, nor two threads take the same request.
        asleep = Buffer(f"{name} asleep", tokens, tokens)
        return asleep, Buffer(f"{name} waited for", _ANY_NUMBER), Buffer(f"{name} ready", tokens, role="internal")

    def serve(self, *steps: Step) -> Path:
        """A thread takes ``steps`` for the caller, which waits until they are done."""
        served = Hold(self.pool, *steps)
        if not self.wake:
            return (served,)
        asleep, waiting, ready = self.buffers
        look = IfAny(waiting, (Take(waiting), Put(ready)), Put(asleep))
        woken = Fork((*self.wake, look), wait=False)
        return (Put(waiting), IfAny(asleep, (Take(asleep), woken)), Take(ready), served, look)


@dataclass(frozen=True)
class Depth:
    """One depth of sleep.

    Attributes:
        after_s: mean idle time after which the machine sleeps at this depth.
        wake_s: time to wake up from it.
    """

    after_s: float
    wake_s: float


@dataclass(frozen=True)
class SleepingMachine:
    """A machine that sleeps when idle, deeper the longer; its places are named after ``name``.

    Each message keeps the machine awake for a period; when all have ended, it sleeps. Each depth has its own
    period, and a machine that sleeps deeply sleeps lightly, too, and pays for both. Periods are exponential, since
    messages spread over cores that fall asleep one by one: under messages at a rate r that come at random, a
    machine sleeps at a depth with probability exp(-r after_s), as a queue M/G/∞ is empty (L. Kleinrock, "Queueing
    Systems", volume 1, 1975, section 3.4), and a little more often, as a period begins after the wake-up. Each
    message that finds it asleep waits for a wake-up of its own.
    """

    name: str
    depths: tuple[Depth, ...]

    def message(self, threads: float = 1.0) -> Path:
        """Arrival of a message: the machine wakes up, if it slept, and stays awake for a period.

        Args:
            threads: number of threads that wake one another in turn for the message; all but the first wake up
                from the first depth.
        """
        return _message(self, threads)


@lru_cache(maxsize=1024)
def _message(machine: SleepingMachine, threads: float) -> Path:
    """A message to ``machine``; cached, as all messages share its steps."""
    light, *deeper = machine.depths
    woken = _woken(f"{machine.name} awake 1", light.after_s, threads * light.wake_s)
    for number, depth in enumerate(deeper, 2):
        woken += _woken(f"{machine.name} awake {number}", depth.after_s, depth.wake_s)
    return woken


def _woken(name: str, after_s: float, wake_s: float) -> Path:
    """Wake up from one depth, in which the buffer ``name`` is empty, and stay awake for a period."""
    if not (wake_s and after_s):
        return ()
    awake = Buffer(name, _ANY_NUMBER)
    falls_asleep = (Delay(Exponential(after_s)), Take(awake))
    return (
        IfAny(awake, (), Delay(wake_s)),
        Put(awake),
        Fork(falls_asleep, wait=False),
    )
