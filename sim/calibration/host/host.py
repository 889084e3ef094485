"""Times of this machine's threads: to wake up, to wake a sleeping core, to copy, to hand over a lock.

ping-pong   this process ──> a byte through a pipe ──> a child that sleeps until it comes ──> a byte back

A round trip is two wake-ups, and twice a write and a read of a pipe, which are measured alone and subtracted. On
one core a wake-up is a context switch, all of it work of the core; on two, each process interrupts the other's
core, which in a virtual machine takes the hypervisor. If this process keeps its core busy for a while, the child's
idle core goes to sleep, and the round trip is longer by the time to wake it (`Host` of the models has these
times).
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from statistics import quantiles
from typing import cast

from typing_extensions import TypedDict

from sim.calibration.host.copies import measured_copies, memory_bytes_per_s
from sim.calibration.host.lines import handovers_s

ROUNDS = 2000
"""Number of round trips for a median; some hundred a millisecond."""

GAPS_S = (50e-6, 100e-6, 200e-6, 400e-6, 800e-6, 1.6e-3, 3.2e-3)
"""Idle times of the child's core before a round trip."""

AFTER_GAP = 60
"""Number of round trips after each idle time."""

_ECHO = "import os\nwhile os.read(0, 1): os.write(1, b'.')"


@dataclass(frozen=True)
class Seen:
    """Median and quartiles of many measurements."""

    value: float
    low: float
    high: float

    @classmethod
    def of(cls, values: list[float]) -> Seen:
        """Summary of at least two ``values``."""
        low, value, high = quantiles(values, n=4)
        return cls(value, low, high)

    def mapped(self, change: Callable[[float], float]) -> Seen:
        """Apply ``change`` to each number; the ends stay in their order."""
        low, high = sorted((change(self.low), change(self.high)))
        return Seen(change(self.value), low, high)


class HostRecord(TypedDict):
    """Measured times of this machine, in seconds; fields as of ``HostMeasured``."""

    switch_s: Seen
    same_core_s: Seen
    halted_s: Seen
    awake_s: float
    copy_bytes_per_s: Seen
    memory_bytes_per_s: float | None
    line_s: Seen | None
    load: float
    notes: list[str]


@dataclass(frozen=True)
class HostMeasured:
    """Measured times of this machine.

    Attributes:
        switch_s: time to wake a sleeping thread on another core, which is awake.
        same_core_s: time to wake it on the core of its waker, which then sleeps: work of that core.
        halted_s: additional time to wake a sleeping core.
        awake_s: time for which an idle core stays awake; 0 if none was seen to sleep.
        copy_bytes_per_s: copy rate of a core in the kernel, between a program and a file in memory.
        memory_bytes_per_s: rate of memory for all cores; None if they do not slow each other down.
        line_s: time to transfer a lock and the data that it guards from another core; None with one core, or if
            others were too busy.
        load: load average of the last minute.
    """

    switch_s: Seen
    same_core_s: Seen
    halted_s: Seen
    awake_s: float
    copy_bytes_per_s: Seen
    memory_bytes_per_s: float | None
    line_s: Seen | None
    load: float

    def record(self) -> HostRecord:
        """The stable interface of ``stack host --json``."""
        return cast("HostRecord", {**asdict(self), "notes": list(self.notes)})

    def layer(self) -> str:
        """A layer ``host`` of a stack file."""
        times = {"switch": self.switch_s.value, "busy": self.same_core_s.value}
        if self.awake_s:
            times |= {"awake": self.awake_s, "halted": self.halted_s.value}
        if self.line_s:
            times["line"] = self.line_s.value
        lines = ("[[layer]]", 'kind = "host"', *(f'{name} = "{time_text(time)}"' for name, time in times.items()))
        rates = {"copy": self.copy_bytes_per_s.value, "memory": self.memory_bytes_per_s}
        lines += tuple(f'{name} = "{rate / 1e9:.3g}GB/s"' for name, rate in rates.items() if rate)
        return "\n".join((*lines, ""))

    @property
    def notes(self) -> tuple[str, ...]:
        """Reasons to doubt these numbers, one line or none."""
        if self.load < BUSY:
            return ()
        return (f"other work runs on this machine (load average {self.load:.1f}); measure when it is quiet",)


BUSY = 0.5
"""Load average from which on other work disturbs the wake-ups."""


def time_text(time_s: float) -> str:
    """A time in the form of a stack file."""
    return f"{time_s * 1e3:.3g}ms" if time_s >= 1e-3 else f"{time_s * 1e6:.3g}us"  # noqa: PLR2004


def measure_host(rounds: int = ROUNDS, after_gap: int = AFTER_GAP) -> HostMeasured:
    """Measure this machine, which takes about three seconds; other work on it makes times longer."""
    load = os.getloadavg()[0]
    calls_s = Seen.of(list(_own_calls(rounds))).value

    def wake_up(trips: Seen) -> Seen:
        return trips.mapped(lambda trip_s: max(1e-9, trip_s / 2 - calls_s))

    with _echoed(apart=False) as round_trip:
        together = Seen.of([round_trip(0.0) for _ in range(rounds)])
    with _echoed(apart=True) as round_trip:
        quick = Seen.of([round_trip(0.0) for _ in range(rounds)])
        late = [Seen.of([round_trip(gap_s) for _ in range(after_gap)]) for gap_s in GAPS_S]
    most = max(late, key=lambda each: each.value)
    more = most.mapped(lambda trip_s: max(0.0, trip_s - quick.value))
    half = quick.value + more.value / 2
    awake_s = next((gap_s for gap_s, each in zip(GAPS_S, late, strict=True) if each.value > half), 0.0)
    sleeps = more.value > quick.value / 4  # else the difference is within the scatter of round trips
    copies, handed_s = measured_copies(), handovers_s()
    return HostMeasured(
        wake_up(quick),
        wake_up(together),
        more,
        awake_s if sleeps else 0.0,
        Seen.of(copies[1]),
        memory_bytes_per_s(copies),
        Seen.of(handed_s).mapped(lambda time_s: max(1e-9, time_s)) if len(handed_s) > 1 else None,
        load,
    )


def _own_calls(rounds: int) -> Iterator[float]:
    """Yield the seconds of a write and a read of a pipe without another process."""
    out, into = os.pipe()
    for _ in range(rounds):
        began = time.perf_counter()
        os.write(into, b".")
        os.read(out, 1)
        yield time.perf_counter() - began
    os.close(out)
    os.close(into)


@contextmanager
def _echoed(*, apart: bool) -> Iterator[Callable[[float], float]]:
    """Context of a function that waits for some seconds, and then times a round trip."""
    words = [sys.executable, "-SE", "-c", _ECHO]
    with (
        subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0) as child,  # noqa: S603
        _placed(child.pid, apart=apart),
    ):
        assert child.stdin  # noqa: S101  (both are pipes)
        assert child.stdout  # noqa: S101
        into, out = child.stdin.fileno(), child.stdout.fileno()

        def round_trip(gap_s: float) -> float:
            until = time.perf_counter() + gap_s
            while (began := time.perf_counter()) < until:
                pass
            os.write(into, b".")
            os.read(out, 1)
            return time.perf_counter() - began

        round_trip(0.0)
        try:
            yield round_trip
        finally:
            child.stdin.close()


@contextmanager
def _placed(child: int, *, apart: bool) -> Iterator[None]:
    """Context with this process on one core, and the ``child`` on it or, if ``apart``, on another one."""
    cores = sorted(os.sched_getaffinity(0))
    os.sched_setaffinity(child, cores[1:] or cores if apart else cores[:1])
    os.sched_setaffinity(0, cores[:1])
    try:
        yield
    finally:
        os.sched_setaffinity(0, cores)
