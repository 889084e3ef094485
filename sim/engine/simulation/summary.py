"""Results from counters: groups and places over a window of a run."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import pairwise

import numpy as np

from sim.engine.events.protocol import PLACE_COLUMNS, WORKLOAD_COLUMNS, Engine, Snapshot
from sim.engine.model import places
from sim.engine.model.demands import capacity
from sim.engine.model.distributions import NANOSECONDS_PER_SECOND
from sim.engine.model.model import Model
from sim.engine.model.places import Place
from sim.engine.result import GroupResult, Latency, PlaceResult, Result
from sim.engine.simulation.allowances import allowed
from sim.engine.simulation.options import Run
from sim.engine.simulation.snapshots import Snapshots
from sim.engine.statistics import intervals
from sim.engine.statistics.answers import ANSWERS, QUANTILES
from sim.engine.statistics.estimates import Estimate
from sim.engine.statistics.intervals import Batches

PARTS = 20
"""Parts of a run whose records give the interval of a system's measure (Schmeiser 1982: 10 to 30)."""


def result_of(
    run: Run, engine: Engine, snapshots: Snapshots, edges: list[int], warnings: tuple[str, ...]
) -> Result:
    """Complete result from batches between ``edges``; an estimate is known if its interval is narrow enough."""
    window = snapshots.window(edges[0], edges[-1])
    record = _record(run, engine, snapshots, edges, dict(PlaceResults(run.model, window)))
    bounds = allowed(run.model, run.watch, record.throughput.value)
    parts: list[Result] = []
    if run.parts:
        cuts = edges[:: -max(1, (len(edges) - 1) // PARTS)][::-1]
        parts = [values_of(run, engine, snapshots, list(cut)) for cut in pairwise(cuts)]
    return replace(record, limits=bounds, warnings=warnings, parts=tuple(parts))


def values_of(run: Run, engine: Engine, snapshots: Snapshots, edges: list[int]) -> Result:
    """The result without intervals, all marked as not known, and without bounds; much cheaper.

    Records of places are computed on demand.
    """
    ends = [edges[0], edges[-1]]
    return _record(run, engine, snapshots, ends, PlaceResults(run.model, snapshots.window(*ends)))


def _record(
    run: Run, engine: Engine, snapshots: Snapshots, edges: list[int], places: Mapping[str, PlaceResult]
) -> Result:
    """The result of the counts between ``edges``."""
    return Result(
        groups={group: group_result(run, snapshots, group, edges) for group in run.model.groups},
        places=places,
        watched=run.watch,
        limits=(),
        elapsed=None,
        measured_s=snapshots.seconds(edges[-1], since=edges[0]),
        warmup_s=snapshots.seconds(edges[0]),
        steps=snapshots.steps,
        engine=engine.name,
        seed=run.options.seed,
        warnings=(),
    )


def group_result(run: Run, snapshots: Snapshots, group: str, edges: list[int]) -> GroupResult:
    """Result of all workloads of ``group``, from batches between ``edges``."""
    rows = run.model.rows(group)
    ends = [edges[0], edges[-1]]
    begin_ns, end_ns = snapshots.history.now_ns[ends].tolist()  # a window would hold all groups
    first, last = (
        dict(zip(WORKLOAD_COLUMNS, each, strict=True)) for each in snapshots.counters(rows, ends).tolist()
    )
    looked_up = last["lookups"] > first["lookups"]
    controls = run.controls.in_batches(snapshots, edges)
    batches = snapshots.request_batches(rows, run.model.groups.index(group), edges, controls)
    throughput, latency, narrowed = answers(run, batches)
    population = (last["population_ns"] - first["population_ns"]) / (end_ns - begin_ns)
    if narrowed:  # so that Little's law holds between them
        grown = snapshots.batches("population_ns", rows, edges)
        ratio = intervals.ratio(grown, batches.times_ns, run.options.confidence, controls=controls)
        population = ratio.estimate.value
    return GroupResult(
        throughput=throughput,
        latency=latency,
        completed=int(last["completed"] - first["completed"]),
        in_flight=int(last["started"] - last["completed"]),
        background=int(last["background"]),
        population=population,
        hit_ratio=_hit_ratio(run, snapshots, rows, edges) if looked_up else None,
        narrowed=narrowed,
    )


def answers(run: Run, batches: Batches) -> tuple[Estimate, Latency, dict[str, float]]:
    """Throughput and latency of one group, known if the interval is narrow enough, and the gain by controls."""
    estimates, narrowed = {}, {}
    for name in ANSWERS:
        interval = batches.answer(name, run.options.confidence, cautiously=run.options.brief)
        estimate = interval.estimate.not_below_zero()
        estimates[name] = estimate.marked(known=estimate.precision <= run.options.tolerances[name])
        if interval.narrowed < 1.0:
            narrowed[name] = interval.narrowed
    throughput = estimates.pop("throughput").scaled(NANOSECONDS_PER_SECOND)
    mean, *quantiles = (estimate.scaled(1 / NANOSECONDS_PER_SECOND) for estimate in estimates.values())
    if batches.whole.bins == 1:
        quantiles = [mean] * len(QUANTILES)  # all times are equal, and the mean is more exact than the bin
    return throughput, Latency(mean, *quantiles), narrowed


def _hit_ratio(run: Run, snapshots: Snapshots, rows: list[int], edges: list[int]) -> Estimate:
    """Hits per look-up of the workloads ``rows``, which have some."""
    hits, look_ups = (snapshots.batches(column, rows, edges) for column in ("hits", "lookups"))
    ratio = intervals.ratio(hits, look_ups, run.options.confidence).estimate
    return ratio.marked(known=ratio.precision <= run.options.tolerances["mean"])


def needed(model: Model, window: Snapshot) -> dict[Place, float]:
    """Share of the servers, tokens or time of each place that the requests of ``window`` need.

    It is the mean demand of a path times the requests completed. Of a pool or lock it is the time that holders
    need without waiting inside: a pool that is full because its holders queue elsewhere does not limit.
    """
    completed = window.workloads[:, WORKLOAD_COLUMNS.index("completed")]
    needed_s = model.demands.of(completed) * NANOSECONDS_PER_SECOND / window.now_ns
    shares = needed_s / np.array(model.capacities, dtype=np.float64)
    return dict(zip(model.places, shares.tolist(), strict=True))


COUNTED = 1 << 64
"""Modulus of the 64-bit counters."""


class PlaceResults(Mapping[str, PlaceResult]):
    """Records of all places of ``model`` over ``window``, by name, computed on demand."""

    def __init__(self, model: Model, window: Snapshot) -> None:
        self._model, self._window = model, window

    def __getitem__(self, name: str) -> PlaceResult:
        row = self._model.row_of[name]
        return place_result(self._model.places[row], self._window, row)

    def __iter__(self) -> Iterator[str]:
        return iter(self._model.row_of)

    def __len__(self) -> int:
        return len(self._model.places)

    def __reduce__(self) -> tuple[type[dict[str, PlaceResult]], tuple[dict[str, PlaceResult]]]:
        """Copy and pickle as a plain dictionary of all records, without model and counters."""
        return dict, (dict(self),)


def place_result(place: places.Place, window: Snapshot, row: int) -> PlaceResult:
    """The record of ``place``, whose counters over ``window`` are in ``row``; counters are unsigned."""
    counted = dict(zip(PLACE_COLUMNS, window.places[row].astype(np.uint64).tolist(), strict=True))
    visits, queue_ns, extra = (counted[column] for column in ("visits", "queue_ns", "extra"))
    return PlaceResult(
        kind=type(place).__name__.lower(),
        visits=visits / (window.now_ns / NANOSECONDS_PER_SECOND),
        utilisation=_used(counted["busy_ns"], _limit(place), window.now_ns),
        queue=queue_ns / window.now_ns,
        wait_s=queue_ns / NANOSECONDS_PER_SECOND / visits if visits else 0.0,
        hit_ratio=_share(extra, visits) if isinstance(place, places.Cache) else None,
        batch=_share(visits, extra) if isinstance(place, places.Gate) else None,
    )


def _used(area: int, limit: int, time_ns: int) -> float:
    """Share of ``limit`` in use; nan if bytes × nanoseconds may exceed a 64-bit counter."""
    return area / time_ns / limit if limit * time_ns < COUNTED else math.nan


def _share(part: int, whole: int) -> float:
    return part / whole if whole else 0.0


def _limit(place: places.Place) -> int:
    """Largest amount of ``place`` that can be in use."""
    return place.capacity if isinstance(place, places.Buffer | places.Cache) else capacity(place)
