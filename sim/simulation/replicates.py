"""Runs of one model with other random numbers each: what each says, and all of them together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from sim.model.distributions import NANOSECONDS_PER_SECOND
from sim.model.model import Model
from sim.result import Result
from sim.simulation.fixed_length import RunLength, measured
from sim.simulation.options import COARSEST, Run, RunOptions
from sim.simulation.replications import Replication, seed_of
from sim.simulation.summary import result_of
from sim.statistics.answers import QUANTILES, THROUGHPUT
from sim.statistics.estimates import Series
from sim.statistics.histogram import Counts, Quantiles


@dataclass(frozen=True)
class Replicate:
    """One run.

    Attributes:
        completed: requests of the watched group.
        time_ns: in which they were completed.
        latency_ns: sum of their latencies.
        histogram: of their latencies, shape (BINS,).
    """

    record: Result
    completed: float
    time_ns: float
    latency_ns: float
    histogram: Counts


def replicate(model: Model, watch: str, length: RunLength | None, seed: int, number: int) -> Replicate:
    """Replication ``number`` from 0, whose random numbers follow from it and ``seed``: a run of ``length``.

    Without a length, a job to its end.
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
    """The requests of several ``replicates`` together."""

    replicates: Sequence[Replicate]

    def pseudovalues(self, answer: str) -> Series:
        """What each run says of one of ``ANSWERS``, in requests per second or seconds, shape (replicates,).

        From the answer of all runs and of all but one (Tukey's jackknife: Efron, "The jackknife, the bootstrap and
        other resampling plans", SIAM 1982): percentiles of single runs would be biased, these are not, and their
        mean has the interval of a mean.
        """
        count, whole = len(self.replicates), self.value(answer)
        without = np.array([self._without(number).value(answer) for number in range(count)])
        return np.where(without == whole, whole, count * whole - (count - 1) * without)

    def value(self, answer: str) -> float:
        """One of ``ANSWERS``, of all requests together."""
        completed, time_ns, latency_ns = self._sums
        if answer == "throughput":
            return completed / time_ns * NANOSECONDS_PER_SECOND
        if answer in QUANTILES and not self._all_the_same:
            return self._quantiles.at(QUANTILES[answer]) / NANOSECONDS_PER_SECOND
        return latency_ns / completed / NANOSECONDS_PER_SECOND if completed else float("nan")

    def coarseness(self, answer: str) -> float:
        """Seconds by which a percentile may be off because its bin of the histogram holds times that are equal."""
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
        """Whether all times fell into one bin; their mean says most exactly which they are."""
        return bool(np.count_nonzero(np.sum([run.histogram for run in self.replicates], axis=0)) <= 1)
