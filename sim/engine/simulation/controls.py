"""Controls of a run: counters whose exact mean is known from the model, as deviations from it in every batch.

They are in the counters that every run has, and cost nothing while it goes on:

- busy time of servers, less visits × mean service time (the utilisation law);
- clients who arrived, less rate × time;
- think time of clients, less requests × mean think time (Little's law for thinking clients).

Each has mean zero in the long run of any model. Stations with equal service times, and workloads with equal
think times, are summed: a few batches cannot determine the coefficients of a thousand nodes.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from sim.engine.events.protocol import PLACE_COLUMNS
from sim.engine.model.distributions import (
    NANOSECONDS_PER_SECOND,
    Empirical,
    Exponential,
    Gamma,
    Lognormal,
    Time,
    variance,
)
from sim.engine.model.model import Model
from sim.engine.model.steps import Use
from sim.engine.model.workloads import Closed, Open, Poisson
from sim.engine.simulation.snapshots import BATCHES, Snapshots
from sim.engine.simulation.tails import skewness
from sim.engine.statistics.estimates import Series

FROM_STEPS = 50_000
"""Steps from which a run has controls. As an answer has to be known at half the run, too, they end runs from twice
as many on, whose loop takes some milliseconds: in a shorter one there is nothing to save."""

NORMAL = 10.0
"""Draws in a batch from which the batches of a control are about normal, as a multiple of the squared coefficient
of variation; of recorded times, whose longest may come once in ten thousand, of the squared skewness. With fewer,
some batches have met a long time and others have not, and the relation is not linear."""

MOST = 6
"""Largest number of controls, those that vary most: each costs one of at least 63 degrees of freedom."""

LEAST_S = 1e-6
"""Least mean time in seconds: the clock rounds shorter times, so that their mean is not exact."""

Rows = dict[Time, list[int]]
"""Rows of stations or workloads, by their common time distribution."""


@dataclass(frozen=True)
class Controls:
    """Controls of runs of ``model``; none if clients come and go by the clock."""

    model: Model

    def in_batches(self, snapshots: Snapshots, edges: list[int]) -> Series | None:
        """Controls in the batches between ``edges``, shape (batches, controls); None for a short run."""
        few = snapshots.steps < FROM_STEPS or len(edges) <= BATCHES or _short(snapshots, edges)
        if few or any(workload.timed for workload in self.model.workloads):
            return None
        controls = [control for control in self._all(snapshots, edges) if control.any()]
        controls.sort(key=lambda control: float(control.std()), reverse=True)
        return np.stack(controls[:MOST], axis=1) if controls else None

    def _all(self, snapshots: Snapshots, edges: list[int]) -> Iterator[Series]:
        """All controls in nanoseconds, each of shape (batches,)."""
        times_ns = snapshots.times_ns(edges)
        for time, rows in self._services.items():
            busy_ns, visits = (_of_places(snapshots, column, rows, edges) for column in ("busy_ns", "visits"))
            if self._about_normal(time, visits):
                yield busy_ns - visits * time.mean * NANOSECONDS_PER_SECOND
        for per_second, rows in self._arrivals.items():
            arrived = snapshots.batches("started", rows, edges)
            yield arrived / per_second * NANOSECONDS_PER_SECOND - len(rows) * times_ns
        for think, rows in self._thinkers.items():
            completed, away_ns = (snapshots.batches(each, rows, edges) for each in ("completed", "population_ns"))
            thinking_ns = sum(self._closed[row].clients for row in rows) * times_ns - away_ns
            if self._about_normal(think, completed):
                yield thinking_ns - completed * think.mean * NANOSECONDS_PER_SECOND

    def _about_normal(self, time: Time, drawn: Series) -> bool:
        """True if ``time`` was ``drawn`` often enough in batches, shape (batches,), for a linear relation."""
        return float(drawn.mean()) >= self._least_draws[time]

    @cached_property
    def _least_draws(self) -> dict[Time, float]:
        """Least draws of each time in a batch for it to be a control."""
        return {time: NORMAL * _roughness(time) for time in (*self._services, *self._thinkers)}

    @cached_property
    def _services(self) -> Rows:
        """Times that vary, each with the rows of the stations that serve nothing else."""
        times: dict[str, set[Time]] = defaultdict(set)
        for step in self.model.steps():
            if isinstance(step, Use):
                times[step.station.name].add(step.time)
        rows: Rows = defaultdict(list)
        for row, place in enumerate(self.model.places):
            if len(times[place.name]) == 1 and _controls(time := next(iter(times[place.name]))):
                rows[time].append(row)
        return rows

    @cached_property
    def _arrivals(self) -> dict[float, list[int]]:
        """Rates of Poisson arrivals, each with the rows of its workloads."""
        rows: dict[float, list[int]] = defaultdict(list)
        for row, workload in enumerate(self.model.workloads):
            if isinstance(workload, Open) and isinstance(workload.arrivals, Poisson):
                rows[workload.arrivals.per_second].append(row)
        return rows

    @cached_property
    def _thinkers(self) -> Rows:
        """Think times that vary, each with the rows of its workloads; their whole path is the request."""
        rows: Rows = defaultdict(list)
        for row, workload in self._closed.items():
            if workload.think is not None and _controls(workload.think) and not workload.begins:
                rows[workload.think].append(row)
        return rows

    @cached_property
    def _closed(self) -> dict[int, Closed]:
        return {row: each for row, each in enumerate(self.model.workloads) if isinstance(each, Closed)}


def _short(snapshots: Snapshots, edges: list[int]) -> bool:
    """True if requests of some workload take longer than a batch, on average.

    Services in a batch then belong to requests of other batches, and a run of so few requests for each
    client may still be in an undetected warm-up.
    """
    at_once = snapshots.growth("population_ns", edges) / float(snapshots.times_ns(edges).sum())
    return bool((snapshots.growth("completed", edges) < at_once * (len(edges) - 1)).any())


def _of_places(snapshots: Snapshots, column: str, rows: list[int], edges: list[int]) -> Series:
    """Growth of a counter of the places ``rows`` in each batch, shape (batches,)."""
    counts = snapshots.history.places[edges][:, rows, PLACE_COLUMNS.index(column)].astype(np.uint64)
    grown: Series = np.diff(counts, axis=0).astype(np.float64).sum(axis=1)
    return grown


def _roughness(time: Time) -> float:
    """Draws of ``time`` that compensate for its variation."""
    match time:
        case Empirical():
            return skewness(time) ** 2
        case Exponential() | Gamma() | Lognormal():
            return variance(time) / time.mean**2
    return math.inf


def _controls(time: Time) -> bool:
    """True if the mean of ``time`` is known exactly, and not only that of each draw."""
    return isinstance(time, Exponential | Gamma | Lognormal | Empirical) and time.mean >= LEAST_S
