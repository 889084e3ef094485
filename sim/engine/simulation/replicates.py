"""Runs of one model with different random numbers: answers of each, and of all together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from sim.engine.model.distributions import NANOSECONDS_PER_SECOND
from sim.engine.model.model import Model
from sim.engine.result import Result
from sim.engine.simulation.fixed_length import RunLength, measured
from sim.engine.simulation.options import COARSEST, Run, RunOptions
from sim.engine.simulation.replications import Replication, seed_of
from sim.engine.simulation.summary import result_of
from sim.engine.statistics.answers import QUANTILES, THROUGHPUT
from sim.engine.statistics.estimates import Series
from sim.engine.statistics.histogram import Counts, Quantiles


@dataclass(frozen=True)
class Replicate:
    """One run.

    Attributes:
        completed: requests of the watched group.
        time_ns: simulated time of these completions.
        latency_ns: sum of their latencies.
        histogram: histogram of their latencies, shape (BINS,).
    """

    record: Result
    completed: float
    time_ns: float
    latency_ns: float
    histogram: Counts


def replicate(model: Model, watch: str, length: RunLength | None, seed: int, number: int) -> Replicate:
    """Replication ``number``, from 0: a run of ``length`` whose random numbers follow from it and ``seed``.

    If ``length`` is None, a job is run to its end.
    """
    own_seed = seed_of(seed, number)
    fixed = Run(model, watch, RunOptions(precision=COARSEST, answers=THROUGHPUT, seed=seed))
    if length is None:
        job = Replication(fixed, own_seed)
        record, snapshots, edges = job.record, job.snapshots, [0, job.snapshots.intervals]
    else:
        engine, snapshots, edges = measured(fixed, length, own_seed)
        record, edges = result_of(fixed, engine, snapshots, edges, ()), [edges[0], edges[-1]]
    requests = snapshots.request_batches(fixed.rows, model.groups.index(watch), edges)
    completed, time_ns, latency_ns = (
        float(each[0]) for each in (requests.completed, requests.times_ns, requests.latency_ns)
    )
    return Replicate(record, completed, time_ns, latency_ns, requests.histograms()[0])


@dataclass(frozen=True)
class Pool:
    """Requests of several ``replicates`` pooled."""

    replicates: Sequence[Replicate]

    def pseudovalues(self, answer: str) -> Series:
        """Pseudovalues of one of ``ANSWERS`` for each run, in requests/s or seconds, shape (replicates,).

        They follow from all runs and all but one (Tukey's jackknife: Efron, "The jackknife, the bootstrap and
        other resampling plans", SIAM 1982): percentiles of single runs would be biased, these are not, and their
        mean has the interval of a mean.
        """
        count, whole = len(self.replicates), self.value(answer)
        without = np.array([self._without(number).value(answer) for number in range(count)])
        return np.where(without == whole, whole, count * whole - (count - 1) * without)

    def value(self, answer: str) -> float:
        """One of ``ANSWERS``, from all requests together."""
        completed, time_ns, latency_ns = self._sums
        if answer == "throughput":
            return completed / time_ns * NANOSECONDS_PER_SECOND
        if answer in QUANTILES and not self._all_the_same:
            return self._quantiles.at(QUANTILES[answer]) / NANOSECONDS_PER_SECOND
        return latency_ns / completed / NANOSECONDS_PER_SECOND if completed else float("nan")

    def coarseness(self, answer: str) -> float:
        """Largest error in seconds of a percentile whose histogram bin may hold equal times."""
        if answer not in QUANTILES or self._all_the_same or not self._quantiles.total:
            return 0.0
        share, value = QUANTILES[answer], self._quantiles.at(QUANTILES[answer])
        ends = self._quantiles.least(share), self._quantiles.most(share)
        return max(abs(end - value) for end in ends) / NANOSECONDS_PER_SECOND

    def _without(self, number: int) -> Pool:
        return Pool([*self.replicates[:number], *self.replicates[number + 1 :]])

    @cached_property
    def _sums(self) -> tuple[float, float, float]:
        runs = self.replicates
        return (
            sum(run.completed for run in runs),
            sum(run.time_ns for run in runs),
            sum(run.latency_ns for run in runs),
        )

    @cached_property
    def _quantiles(self) -> Quantiles:
        return Quantiles(np.sum([run.histogram for run in self.replicates], axis=0))

    @cached_property
    def _all_the_same(self) -> bool:
        """True if all times fell into one bin; then their mean is more exact than the bin."""
        return bool(np.count_nonzero(np.sum([run.histogram for run in self.replicates], axis=0)) <= 1)
