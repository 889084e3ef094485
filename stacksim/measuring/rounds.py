"""Repeated runs of every job until its figures are steady, and notes on the machine from the repeats."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from sim.engine.errors import InputError
from stacksim.measuring.fio import HungError, megabytes_per_s
from stacksim.measuring.jobs import Job

LEAST, MOST = 2, 4
"""Runs of each job: at least, and at most if they disagree."""

MOST_LOST = 3
"""Largest number of jobs that may hang: with more, the storage hangs."""

STEADY = 0.1
"""Range of a job's runs, as a share of their median, above which they disagree."""

UNSTEADY = 0.25
"""Range of a job's runs above which it is reported as not steady."""

TREND, SURE = 0.1, 3.0
"""Reported change over the whole measurement, and its least significance in its own deviations."""

WARMED = 1.5
"""Speed-up of repeated reads above which the first ones count as uncached."""

Run = Callable[[Job], dict[str, Any]]
OnRun = Callable[[int, int], None]
"""Callback before each run with the numbers of done and of all runs."""


@dataclass
class Rounds:
    """All results in their order: jobs with fio's output.

    Attributes:
        beside: notes on other work on the machine, a line each.
        lost: jobs that did not end and have no results, with a note on each.
    """

    results: list[tuple[Job, dict[str, Any]]] = field(default_factory=list)
    beside: list[str] = field(default_factory=list)
    lost: dict[Job, str] = field(default_factory=dict)

    def values(self, job: Job) -> list[float]:
        """Throughput of its runs in MB/s, first to last."""
        return [megabytes_per_s(result, job.op) for each, result in self.results if each == job]

    def spread(self, job: Job) -> float:
        """Range of the runs, as a share of the median."""
        values = self.values(job)
        return (max(values) - min(values)) / statistics.median(values)

    def lose(self, job: Job, why: str) -> None:
        """Forget a ``job`` that did not end.

        Raises:
            InputError: too many jobs are lost.
        """
        self.lost[job] = why
        self.results = [each for each in self.results if each[0] != job]
        if len(self.lost) > MOST_LOST:
            raise InputError(why)

    def followed_by(self, later: Rounds) -> Rounds:
        """All results of these and of ``later`` jobs."""
        beside = dict.fromkeys((*self.beside, *later.beside))
        return Rounds([*self.results, *later.results], [*beside], {**self.lost, **later.lost})

    def notes(self, jobs: Sequence[Job]) -> list[str]:
        """Notes for readers of the figures, a line each."""
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
        """Yield a note if a line through the logarithms of all runs about their jobs' medians has a slope."""
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
        InputError: too many jobs do not end.
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
