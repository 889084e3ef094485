"""From counters to the record: groups and places over a window of a run."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import pairwise

import numpy as np

from sim.engines.protocol import WORKLOAD_COLUMNS, Engine, Snapshot
from sim.model import places
from sim.model.demands import capacity
from sim.model.distributions import NANOSECONDS_PER_SECOND
from sim.model.model import Model
from sim.result import Bound, GroupResult, Latency, PlaceResult, Result
from sim.simulation.limits import needs
from sim.simulation.options import Run
from sim.simulation.snapshots import Snapshots, place_column
from sim.statistics import intervals
from sim.statistics.answers import QUANTILES
from sim.statistics.estimates import Estimate
from sim.statistics.intervals import Batches

COUNTED = 1 << 64
"""The value at which a counter begins anew."""

PARTS = 20
"""Parts of a run whose records show how far a measure of a system may be off (Schmeiser 1982: 10 to 30)."""


def result_of(
    run: Run, engine: Engine, snapshots: Snapshots, edges: list[int], warnings: tuple[str, ...]
) -> Result:
    """The whole record, from batches between ``edges``; an estimate is known if its interval is narrow enough."""
    record = _record(run, engine, snapshots, edges)
    parts: list[Result] = []
    if run.parts:
        cuts = edges[:: -max(1, (len(edges) - 1) // PARTS)][::-1]
        parts = [_record(run, engine, snapshots, list(cut)) for cut in pairwise(cuts)]
    return replace(record, warnings=warnings, parts=tuple(parts))


def values_of(run: Run, engine: Engine, snapshots: Snapshots, edges: list[int]) -> Result:
    """The same values without intervals, of which none is known, and without what limits them; much cheaper."""
    return _record(run, engine, snapshots, [edges[0], edges[-1]], limited=False)


def _record(run: Run, engine: Engine, snapshots: Snapshots, edges: list[int], *, limited: bool = True) -> Result:
    """The record of what was counted between ``edges``."""
    model, window = run.model, snapshots.window(edges[0], edges[-1])
    places_by_name = place_results(model, window)
    return Result(
        groups={group: group_result(run, snapshots, group, edges) for group in model.groups},
        places=places_by_name,
        watched=run.watch,
        limits=limits(run, window, places_by_name) if limited else (),
        elapsed=None,
        measured_s=window.now_ns / NANOSECONDS_PER_SECOND,
        warmup_s=snapshots.seconds(edges[0]),
        steps=snapshots.steps,
        engine=engine.name,
        seed=run.options.seed,
        warnings=(),
    )


def group_result(run: Run, snapshots: Snapshots, group: str, edges: list[int]) -> GroupResult:
    """The workloads of ``group`` added up, from batches between ``edges``."""
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
    if narrowed:  # or Little's law would not hold between them
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
    """Throughput and latency of one group, known if the interval is narrow enough; what controls narrowed."""
    estimates, narrowed = {}, {}
    for name, tolerance in run.options.tolerances.items():
        interval = batches.answer(name, run.options.confidence)
        estimate = interval.estimate.not_below_zero()
        estimates[name] = estimate.marked(known=estimate.precision <= tolerance)
        if interval.narrowed < 1.0:
            narrowed[name] = interval.narrowed
    throughput = estimates.pop("throughput").scaled(NANOSECONDS_PER_SECOND)
    mean, *quantiles = (estimate.scaled(1 / NANOSECONDS_PER_SECOND) for estimate in estimates.values())
    if batches.whole.bins == 1:
        quantiles = [mean] * len(QUANTILES)  # all times are the same, and the mean says most exactly which
    return throughput, Latency(mean, *quantiles), narrowed


def _hit_ratio(run: Run, snapshots: Snapshots, rows: list[int], edges: list[int]) -> Estimate:
    """Hits per look-up of the workloads ``rows``, of which there are some."""
    hits, look_ups = (snapshots.batches(column, rows, edges) for column in ("hits", "lookups"))
    ratio = intervals.ratio(hits, look_ups, run.options.confidence).estimate
    return ratio.marked(known=ratio.precision <= run.options.tolerances["mean"])


def place_results(model: Model, window: Snapshot) -> dict[str, PlaceResult]:
    """Every place over ``window``, by its name."""
    visits, busy, queue, extra = (
        place_column(window, column) for column in ("visits", "busy_ns", "queue_ns", "extra")
    )
    seconds = window.now_ns / NANOSECONDS_PER_SECOND
    return {
        place.name: PlaceResult(
            kind=type(place).__name__.lower(),
            visits=float(visits[row]) / seconds,
            utilisation=_used(float(busy[row]), _limit(place), window.now_ns),
            queue=float(queue[row]) / window.now_ns,
            wait_s=float(queue[row]) / NANOSECONDS_PER_SECOND / float(visits[row]) if visits[row] else 0.0,
            hit_ratio=_share(extra[row], visits[row]) if isinstance(place, places.Cache) else None,
            batch=_share(visits[row], extra[row]) if isinstance(place, places.Gate) else None,
        )
        for row, place in enumerate(model.places)
    }


def _used(area: float, limit: int, time_ns: int) -> float:
    """Share of ``limit`` in use; nan where bytes × nanoseconds may exceed a counter of 64 bits."""
    return area / time_ns / limit if limit * time_ns < COUNTED else math.nan


def _share(part: float, whole: float) -> float:
    return float(part / whole) if whole else 0.0


def _limit(place: places.Place) -> int:
    """What can be in use of ``place`` at most."""
    return place.capacity if isinstance(place, places.Buffer | places.Cache) else capacity(place)


def needed(model: Model, window: Snapshot) -> dict[places.Place, float]:
    """The share of its servers, tokens or time for which each place is needed, by the requests of ``window``.

    That is the mean demand of a path times the requests completed. Of a pool or lock it is the time that holders
    need without waiting inside: a pool that is full because its holders queue elsewhere does not limit.
    """
    completed = window.workloads[:, WORKLOAD_COLUMNS.index("completed")]
    needed_s = model.demands.of(completed) * NANOSECONDS_PER_SECOND / window.now_ns
    shares = needed_s / np.array(model.capacities, dtype=np.float64)
    return dict(zip(model.places, shares.tolist(), strict=True))


def limits(run: Run, window: Snapshot, places_by_name: dict[str, PlaceResult]) -> tuple[Bound, ...]:
    """The throughput that each place allows, the lowest first, from the share of the place that is needed."""
    shares = needs(run.model, needed(run.model, window), places_by_name)
    completed = window.workloads[run.rows, WORKLOAD_COLUMNS.index("completed")]
    throughput = float(completed.sum()) * NANOSECONDS_PER_SECOND / window.now_ns
    most_first = sorted(shares, key=lambda name: -shares[name])
    return tuple(Bound(name, throughput / shares[name]) for name in most_first if shares[name])
