"""Parameters of the system ``nvme``, with the arithmetic that derives some from published rates.

One process at depth 128 keeps its core busy, so that 1 / rate is the core's time for a read; the extra time of a
scheduler or of several devices is a difference of two such times. If several processes contend for the lock of a
scheduler it is always held, and 1 / rate is its hold time.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from sim.system import Parameters, derivation, parameter

_ONE = "nvme/1 SSD, QD 128 each, by scheduler (lock); scheduler {}/procs {} kIOPS"
_EIGHT = "nvme/8 SSDs, QD 128 each, by scheduler (lock); scheduler {}/procs 1 kIOPS"
_GRID = "nvme/One SSD, {}; procs 1/QD {} {}"
_DEPTHS = tuple(2**power for power in range(9))
_STUDY = "ICPE 2024 study of I/O schedulers"


@dataclass(frozen=True)
class _Figures:
    """Published reads/s: of one process at depth 128, unless a number is named."""

    none: float = derivation.measured(381.1e3, 50, _ONE.format("none", 1))
    kyber: float = derivation.measured(304.0e3, 50, _ONE.format("kyber", 1))
    deadline: float = derivation.measured(309.7e3, 50, _ONE.format("mq-deadline", 1))
    bfq: float = derivation.measured(241.2e3, 50, _ONE.format("bfq", 1))
    deadline_of_four: float = derivation.measured(498.8e3, 50, _ONE.format("mq-deadline", 4))
    bfq_of_four: float = derivation.measured(309.3e3, 50, _ONE.format("bfq", 4))
    none_of_eight_devices: float = derivation.measured(354.7e3, 50, _EIGHT.format("none"))

    def kyber_s(self) -> float:
        """Core time that Kyber adds to a read."""
        return 1 / self.kyber - 1 / self.none

    def deadline_s(self) -> float:
        """Core time that mq-deadline adds without contention."""
        return 1 / self.deadline - 1 / self.none

    def bfq_s(self) -> float:
        """Core time that BFQ adds without contention."""
        return 1 / self.bfq - 1 / self.none

    def deadline_contended_s(self) -> float:
        """Hold time of mq-deadline's lock if four processes never leave it free."""
        return 1 / self.deadline_of_four

    def bfq_contended_s(self) -> float:
        """Hold time of BFQ's lock if four processes never leave it free."""
        return 1 / self.bfq_of_four

    def switch_s(self) -> float:
        """Core time of a switch to another device for each read."""
        return 1 / self.none_of_eight_devices - 1 / self.none


_FIGURES = _Figures()
_MOVED = derivation.moves(_FIGURES)


def _derived(derive: Callable[[_Figures], float], source: str, low: float, high: float) -> Any:
    """A parameter that ``derive`` makes of the figures, with a range from theirs."""
    outcome = derivation.outcome(derive, _FIGURES, _MOVED)
    return parameter(
        outcome.value, "s", low, high, "derived", f"{_STUDY}: {source}", outcome.cells, follows=outcome.follows
    )


@dataclass(frozen=True)
class NvmeParameters:
    """Numbers of the host and a device."""

    cores: float = parameter(10, "cores", 1, 1024, "published", f"{_STUDY}: 10 cores")
    core_s: float = parameter(2.65e-6, "s", 5e-7, 1.5e-5, "fitted", "a core for a read by io_uring, both ways")
    interrupt_s: float = parameter(
        4.7e-6, "s", 1e-6, 2e-5, "fitted", "from the device to the process that sleeps; SPDK polls instead"
    )
    between_s: float = parameter(
        3.7e-7,
        "s",
        1e-8,
        2e-6,
        "derived",
        f"{_STUDY}: depth / rate, less the mean latency, at depth 128: 0.44 µs by io_uring, 0.3 µs by SPDK",
        tuple(_GRID.format(by, 128, what) for by in ("io_uring, none", "SPDK") for what in ("kIOPS", "mean")),
        likely=(2e-7, 5e-7),
    )
    switch_s: float = _derived(
        _Figures.switch_s, "one process on eight devices takes longer for a read than on one", 1e-9, 1e-6
    )
    spdk_s: float = parameter(
        1 / 1338.4e3,
        "s",
        2e-7,
        2e-6,
        "derived",
        f"{_STUDY}: one process over SPDK does 1,338,400 reads/s on eight devices. On one, where the device is "
        "the limit, it may take less, as fewer queues are polled",
        (_EIGHT.format("spdk"),),
        likely=(6.2e-7, 7.6e-7),
    )
    slice_s: float = parameter(
        3e-3,
        "s",
        1e-4,
        1e-1,
        "assumed",
        "time slice of Linux on ten cores: 0.75 ms, times 1 + log2(8); 12 ms at most for two processes",
        likely=(1.5e-3, 12e-3),
    )
    kyber_s: float = _derived(_Figures.kyber_s, "one process with Kyber less one without", 1e-8, 1e-5)
    deadline_s: float = _derived(_Figures.deadline_s, "one process with mq-deadline less one without", 1e-8, 1e-5)
    moved_s: float = parameter(
        2.5e-7,
        "s",
        2e-8,
        2e-6,
        "fitted",
        "a lock that is free, but was another core's: its lines and those of the queue come from there",
    )
    deadline_contended_s: float = parameter(
        _FIGURES.deadline_contended_s(),
        "s",
        5e-7,
        1e-5,
        "derived",
        f"{_STUDY}: four processes with mq-deadline; more who wait may make it slower yet",
        (_ONE.format("mq-deadline", 4),),
        likely=(1.9e-6, 2.6e-6),
    )
    bfq_s: float = _derived(_Figures.bfq_s, "one process with BFQ less one without", 1e-8, 1e-5)
    bfq_contended_s: float = parameter(
        _FIGURES.bfq_contended_s(),
        "s",
        5e-7,
        1e-5,
        "derived",
        f"{_STUDY}: four processes with BFQ; three do the same, two 5% less",
        (_ONE.format("bfq", 4),),
        likely=(3.15e-6, 3.5e-6),
    )
    window: float = parameter(
        320,
        "commands",
        16,
        65536,
        "assumed",
        "commands that the device works on at once: fewer than 250 would be too few, and more make no difference",
        likely=(256, 1024),
    )
    dies: float = parameter(
        44,
        "dies",
        1,
        1024,
        "derived",
        f"{_STUDY}: the best of a scan from 38 to 50, each with a fit of its own to rates, means and p99",
        tuple(
            f"nvme/One SSD, io_uring, none; procs {processes}/QD {depth} p99"
            for processes in (1, 2, 4, 8)
            for depth in _DEPTHS
        ),
        likely=(42, 46),
    )
    command_s: float = parameter(1.27e-6, "s", 5e-7, 5e-6, "fitted", "the controller for a command")
    fixed_s: float = parameter(8e-6, "s", 2e-6, 3e-5, "fitted", "a read outside of cores, controller and die")
    die_s: float = parameter(5e-5, "s", 2e-5, 1.2e-4, "fitted", "a die for a page, the only one of a read")
    variation: float = parameter(
        0.08,
        "1",
        0.01,
        1.0,
        "derived",
        f"{_STUDY}: a read alone takes 9 to 10 µs more in one of a hundred cases than in the mean, which is 2.45 "
        "standard deviations, by a die's 50 µs",
        tuple(_GRID.format(by, 1, what) for by in ("io_uring, none", "SPDK") for what in ("mean", "p99")),
        likely=(0.06, 0.12),
    )
    pages_fixed_s: float = parameter(
        2.4e-5, "s", 8e-6, 7.2e-5, "fitted", "a read of several pages outside of cores, controller and dies"
    )
    pages_die_s: float = parameter(
        6.4e-5, "s", 3.2e-5, 1.28e-4, "fitted", "a die for each page of a read of several: another kind of read"
    )
    further_s: float = parameter(
        2e-6, "s", 8e-7, 5e-6, "fitted", "the controller for each page of a read after the first"
    )
    early_s: float = parameter(
        2e-5, "s", 5e-6, 4.5e-5, "fitted", "how long before its die is free a page is there, run by block size"
    )
    interval_s: float = parameter(
        5.4e-5, "s", 1.8e-5, 1.6e-4, "fitted", "the least between two interrupts of a queue, run by block size"
    )


PARAMETERS = Parameters.of(NvmeParameters)
"""All parameters of the system ``nvme``."""
