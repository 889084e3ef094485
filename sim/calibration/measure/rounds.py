"""Every job several times over, until its figures are steady; and what the repeats say of the machine."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from sim.calibration.measure.fio import HungError, megabytes_per_s
from sim.calibration.measure.jobs import Job
from sim.errors import InputError

LEAST, MOST = 2, 4
"""Runs of each job: always, and where they disagree."""

MOST_LOST = 3
"""Jobs that may not end: of more, the storage hangs."""

STEADY = 0.1
"""Runs of a job that differ by more, as a share of their median, disagree."""

UNSTEADY = 0.25
"""What still differs by more is said not to be steady."""

TREND, SURE = 0.1, 3.0
"""A change over the whole measurement that is said, and by how many of its own deviations it has to be known."""

WARMED = 1.5
"""Reads that are so many times as fast when repeated were in no cache at first."""

Run = Callable[[Job], dict[str, Any]]
OnRun = Callable[[int, int], None]
"""Called before each run with how many are done, and of how many."""


@dataclass
class Rounds:
    """All results in their order: the job, and what fio said of it.

    Attributes:
        beside: what is to be known of the machine beside the jobs, a line each.
        lost: jobs that did not end, which have no results, and what was said of each.
    """

    results: list[tuple[Job, dict[str, Any]]] = field(default_factory=list)
    beside: list[str] = field(default_factory=list)
    lost: dict[Job, str] = field(default_factory=dict)

    def values(self, job: Job) -> list[float]:
        """The throughput of its runs in MB/s, first to last."""
        return [megabytes_per_s(result, job.op) for each, result in self.results if each == job]

    def spread(self, job: Job) -> float:
        """Largest less smallest run, as a share of the median."""
        values = self.values(job)
        return (max(values) - min(values)) / statistics.median(values)

    def lose(self, job: Job, why: str) -> None:
        """Forget a ``job`` that did not end.

        Raises:
            InputError: it is one too many.
        """
        self.lost[job] = why
        self.results = [each for each in self.results if each[0] != job]
        if len(self.lost) > MOST_LOST:
            raise InputError(why)

    def notes(self, jobs: Sequence[Job]) -> list[str]:
        """What whoever reads the figures has to know, a line each."""
        return [*self.beside, *self.lost.values(), *self._unsteady(jobs), *self._trend(), *self._warmed(jobs)]

    def _unsteady(self, jobs: Sequence[Job]) -> Iterator[str]:
        unsteady = [job for job in jobs if self.spread(job) > UNSTEADY]
        if unsteady:
            worst = max(unsteady, key=self.spread)
            yield (
                f"{len(unsteady)} of {len(jobs)} jobs are not steady after {MOST} runs: {worst.name} differs by "
                f"{self.spread(worst):.0%}; is the machine, or who shares it, busy with something else?"
            )

    def _trend(self) -> Iterator[str]:
        """A straight line through the logarithms of all runs about the medians of their jobs."""
        medians = {job: statistics.median(self.values(job)) for job, _ in self.results}
        logs = np.log([megabytes_per_s(result, job.op) / medians[job] for job, result in self.results])
        if len(logs) < 2 * LEAST:
            return
        place = np.linspace(-0.5, 0.5, len(logs))
        slope = float(place @ logs / (place @ place))
        left = logs - logs.mean() - slope * place
        deviation = float(np.sqrt(left @ left / (len(logs) - 2) / (place @ place)))
        if abs(slope) > max(TREND, SURE * deviation):
            falls = slope < 0.0
            why = "heat, or credits that are spent" if falls else "a cache that fills, or somebody who has left"
            change = abs(float(np.expm1(slope)))
            yield f"figures {'fall' if falls else 'rise'} by {change:.0%} while it goes on: {why}?"

    def _warmed(self, jobs: Sequence[Job]) -> Iterator[str]:
        warmed = [job for job in jobs if job.op == "read" and _warms(self.values(job))]
        if 2 * len(warmed) > len([job for job in jobs if job.op == "read"]):
            yield f"{len(warmed)} kinds of reads are faster when repeated: a cache takes part, and is measured"


def _warms(values: Sequence[float]) -> bool:
    first, *others = values
    return bool(others) and min(others) > WARMED * first


def run_rounds(jobs: Sequence[Job], run: Run, on_run: OnRun) -> Rounds:
    """Run all ``jobs``, round after round; from the third on only those whose runs disagree.

    A job that does not end is left out from then on.

    Raises:
        InputError: too many do not end.
    """
    rounds = Rounds()
    for number in range(MOST):
        left = [job for job in jobs if job not in rounds.lost]
        due = left if number < LEAST else [job for job in left if rounds.spread(job) > STEADY]
        total = len(rounds.results) + len(due)
        for job in due:
            on_run(len(rounds.results), max(total, LEAST * len(left)))
            try:
                rounds.results.append((job, run(job)))
            except HungError as error:
                rounds.lose(job, str(error))
    return rounds
