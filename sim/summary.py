"""From counters to the record: what a window of snapshots says about groups and places."""

from __future__ import annotations

import numpy as np

from sim import places
from sim.demand import capacity
from sim.distributions import NANOSECONDS_PER_SECOND
from sim.estimates import Estimate, correlated_ratio, ratio
from sim.histogram import percentile_ns
from sim.history import History, place_column
from sim.measures import WORKLOAD_COLUMNS, Engine, Snapshot
from sim.model import Model
from sim.result import Bound, GroupResult, Latency, PlaceResult, Result
from sim.wish import Wish


def result(wish: Wish, engine: Engine, history: History, edges: list[int], warnings: tuple[str, ...]) -> Result:
    """The whole record, from batches between ``edges``."""
    model, window = wish.model, history.window(edges[0])
    groups = {each: group_result(model, history, each, edges, wish.confidence) for each in model.groups}
    found = place_results(model, window)
    return Result(
        groups=groups,
        places=found,
        watched=wish.watch,
        limits=limits(wish, window, found),
        elapsed=None,
        measured_s=window.now_ns / NANOSECONDS_PER_SECOND,
        warmup_s=history.snapshots[edges[0]].now_ns / NANOSECONDS_PER_SECOND,
        steps=history.steps,
        engine=engine.name,
        seed=wish.seed,
        warnings=warnings,
    )


def rate(history: History, rows: list[int], edges: list[int], confidence: float) -> Estimate:
    """Completions per second, from as many independent batches as the window of ``edges`` has."""
    finest = history.finest(edges, rows)
    times = np.array([each.now_ns for each in history.snapshots], dtype=np.float64)[finest]
    completed = history.counted("completed", rows)[finest]
    return ratio(np.diff(completed), np.diff(times), confidence).scaled(NANOSECONDS_PER_SECOND)


def group_result(model: Model, history: History, group: str, edges: list[int], confidence: float) -> GroupResult:
    """Everything about the workloads of ``group``, from batches between ``edges``."""
    rows, window = model.rows(group), history.window(edges[0])
    counts = window.histograms[model.groups.index(group)]
    p50, p95, p99 = (percentile_ns(counts, share) / NANOSECONDS_PER_SECOND for share in (0.50, 0.95, 0.99))
    completed = history.counted("completed", rows)
    latency = correlated_ratio(
        np.diff(history.counted("latency_ns", rows)[edges]), np.diff(completed[edges]), confidence
    ).scaled(1 / NANOSECONDS_PER_SECOND)
    population = history.counted("population_ns", rows)
    return GroupResult(
        throughput=rate(history, rows, edges, confidence),
        latency=Latency(latency, p50, p95, p99),
        completed=int(completed[-1] - completed[edges[0]]),
        in_flight=int(history.counted("started", rows)[-1] - completed[-1]),
        background=int(history.counted("background", rows)[-1]),
        population=float(population[-1] - population[edges[0]]) / window.now_ns,
        hit_ratio=_hit_ratio(history, rows, edges, confidence),
    )


def _hit_ratio(history: History, rows: list[int], edges: list[int], confidence: float) -> Estimate | None:
    hits, look_ups = (np.diff(history.counted(column, rows)[edges]) for column in ("hits", "lookups"))
    return correlated_ratio(hits, look_ups, confidence) if look_ups.sum() else None


def place_results(model: Model, window: Snapshot) -> dict[str, PlaceResult]:
    """Every place over ``window``."""
    visits, busy, queue, extra = (
        place_column(window, column) for column in ("visits", "busy_ns", "queue_ns", "extra")
    )
    seconds = window.now_ns / NANOSECONDS_PER_SECOND
    return {
        place.name: PlaceResult(
            kind=type(place).__name__.lower(),
            visits=float(visits[row]) / seconds,
            utilisation=float(busy[row]) / window.now_ns / _limit(place),
            queue=float(queue[row]) / window.now_ns,
            wait_s=float(queue[row]) / NANOSECONDS_PER_SECOND / visits[row] if visits[row] else 0.0,
            hit_ratio=_share(extra[row], visits[row]) if isinstance(place, places.Cache) else None,
            batch=_share(visits[row], extra[row]) if isinstance(place, places.Gate) else None,
        )
        for row, place in enumerate(model.places)
    }


def _share(part: float, whole: float) -> float:
    return float(part / whole) if whole else 0.0


def _limit(place: places.Place) -> int:
    return place.capacity if isinstance(place, places.Buffer | places.Cache) else capacity(place)


def needed(model: Model, window: Snapshot) -> dict[places.Place, float]:
    """The share of its servers, tokens or time for which each place is needed, by the walks of ``window``.

    What a path asks of a place on average, times the walks completed. Of a pool or lock that is the time that
    holders need without waiting inside: one that is full because its holders queue elsewhere does not limit.
    """
    walks = window.workloads[:, WORKLOAD_COLUMNS.index("completed")]
    seconds = model.demands.of(walks) * NANOSECONDS_PER_SECOND / window.now_ns
    return {place: each / capacity(place) for place, each in zip(model.places, seconds.tolist(), strict=True)}


def limits(wish: Wish, window: Snapshot, found: dict[str, PlaceResult]) -> tuple[Bound, ...]:
    """What throughput each place allows, always in use: by its share in use (stations), or as it is needed."""
    shares = {name: place.utilisation for name, place in found.items() if place.kind == "station"}
    for place, share in needed(wish.model, window).items():
        shares.setdefault(place.name, share)
    completed = window.workloads[wish.rows, WORKLOAD_COLUMNS.index("completed")]
    walked = float(completed.sum()) * NANOSECONDS_PER_SECOND / window.now_ns
    most_first = sorted(shares, key=lambda name: -shares[name])
    return tuple(Bound(name, walked / shares[name]) for name in most_first if shares[name])
