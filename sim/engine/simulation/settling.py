"""Changes that go on in a model although its throughput looks settled, judged by their effect on the answer.

While a buffer fills, throughput in front of it is that of an empty buffer; while a cache fills, that of misses
which will be hits later. Throughput itself shows neither: it is steady until the buffer is full, or drifts slowly.
Flows into several buffers are summed in puts, as one may count bytes, the next requests.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from sim.engine.events.protocol import WORKLOAD_COLUMNS
from sim.engine.model.demands import demands_s, min_time_s
from sim.engine.model.distributions import NANOSECONDS_PER_SECOND
from sim.engine.model.equations import EXACT
from sim.engine.model.model import Model
from sim.engine.model.places import Cache
from sim.engine.model.steps import Lookup
from sim.engine.simulation.snapshots import Snapshots, place_column
from sim.engine.simulation.summary import needed
from sim.engine.statistics.estimates import Series

ROUNDING = 0.005
"""Share by which a place may seem, by chance, to exceed its capacity."""

PARTS = 8
"""Parts of a run; a level that goes one way through all of them is a trend."""


class Settling:
    """Detector of changes that go on in ``model``.

    Args:
        precision: of throughput; half of it is allowed for changes that go on.
    """

    def __init__(self, model: Model, precision: float) -> None:
        self._model = model
        self._most = precision / 2
        self._put_at_once = np.array(model.put_at_once)

    def changing(self, snapshots: Snapshots, edges: list[int]) -> str | None:
        """In words, what fills or empties between ``edges``, so that the answer will not last; else None."""
        return (
            self._filling(snapshots, edges)
            or self._unbalanced(snapshots, edges)
            or self._drifting(snapshots, edges)
            or self._trending(snapshots, edges)
            or self._warming(snapshots, edges)
        )

    def overloaded(self, snapshots: Snapshots) -> str | None:
        """In words, a place with too little capacity for branches that nobody waits for (utilisation law).

        Only they can put work off. If all requests wait, demand exceeds capacity by chance alone, and refusing it
        would end runs at too low a rate.
        """
        for place, share in needed(self._model, snapshots.window(snapshots.intervals // 2)).items():
            if place in self._model.unwaited and share > 1.0 + ROUNDING:
                return f"work for {place} ({share:.1%} of what it can do) still piles up"
        return None

    def _filling(self, snapshots: Snapshots, edges: list[int]) -> str | None:
        """In words, a buffer that takes in more than it gives, so that throughput in front of it is too high."""
        passed = self._model.puts.of(_completed(snapshots, edges))
        rise = np.where(passed > 0.0, _rise(snapshots, edges), 0.0) / self._put_at_once
        if rise.sum() > self._most * (passed / self._put_at_once).sum():
            return f"{self._model.places[int(np.argmax(rise))]} still fills"
        return None

    def _unbalanced(self, snapshots: Snapshots, edges: list[int]) -> str | None:
        """In words, a buffer whose producers complete far more, or fewer, cycles than its consumers.

        Such rates cannot last. ``_filling`` does not see what consumers took but have not processed; at first they
        take everything at once.
        """
        completed = _completed(snapshots, edges)
        passed, net = self._model.puts.of(completed), self._model.nets.of(completed)
        counted = (passed > 0.0) & np.isfinite(net)
        surplus = np.where(counted, net, 0.0) / self._put_at_once
        if abs(surplus.sum()) > self._most * (passed / self._put_at_once)[counted].sum():
            buffer = self._model.places[int(np.argmax(np.abs(surplus)))]
            return f"more is put into {buffer} than taken" if surplus.sum() > 0 else f"{buffer} still runs dry"
        return None

    def _drifting(self, snapshots: Snapshots, edges: list[int]) -> str | None:
        """In words, a buffer whose level moves on, however slowly, until it is full or empty.

        Then its users have to change their rates, by about the surplus as a share of all that they move. The
        part that chance may explain is subtracted if requests wait at the buffer, which evens rates out; if
        none does, and it does not follow from buffers at which some do, it is added.
        """
        window, completed = snapshots.window(edges[0]), _completed(snapshots, edges)
        net, moved = self._model.nets.of(completed), self._model.nets.sizes_of(completed) / 2.0
        moving = np.flatnonzero((moved > 0.0) & np.isfinite(net))
        if not len(moving):
            return None
        in_flight = window.workloads[:, WORKLOAD_COLUMNS.index("population_ns")] // window.now_ns + 1
        spread = 2.0 * np.sqrt(self._model.net_variances.of(completed)) + self._model.puts.of(in_flight)
        left, chance, allowed = np.abs(net[moving]), spread[moving], self._most * moved[moving]
        waited = place_column(window, "queue_ns")[moving] > 0.0
        rows = self._model.nets.rows(moving)
        for number in np.flatnonzero(left + chance > allowed):
            even = left[number] - chance[number] <= allowed[number]
            if not (even and (waited[number] or _follows(rows[number], rows[waited]))):
                verb = "fills" if net[moving[number]] > 0.0 else "runs dry"
                return f"{self._model.places[int(moving[number])]} still {verb}"
        return None

    def _trending(self, snapshots: Snapshots, edges: list[int]) -> str | None:
        """In words, a buffer whose flows only the run determines, and whose level always goes one way.

        By chance this hardly ever happens in all of eight parts, and as much in the latter half as in the first.
        """
        rows = np.flatnonzero(np.isnan(self._model.nets.of(_completed(snapshots, edges)))).tolist()
        if not rows:
            return None
        cuts = np.linspace(edges[0], edges[-1], PARTS + 1).astype(int)
        times = snapshots.times_ns(cuts.tolist())
        grown = np.add.reduceat(snapshots.place_growth("busy_ns", rows)[cuts[0] : cuts[-1]], cuts[:-1] - cuts[0])
        changes = np.diff(grown / times[:, None], axis=0)
        half = PARTS // 2
        steady = np.abs(changes[half:].sum(axis=0)) >= np.abs(changes[:half].sum(axis=0)) / 2.0
        one_way = (np.abs(np.sign(changes).sum(axis=0)) == PARTS - 1) & steady
        for number in np.flatnonzero(one_way):
            verb = "fills" if changes[0, number] > 0.0 else "runs dry"
            return f"{self._model.places[rows[number]]} still {verb}"
        return None

    def _warming(self, snapshots: Snapshots, edges: list[int]) -> str | None:
        """In words, a cache that fills: a miss that evicts nothing may become a hit later.

        It counts if work at some place, or the time of requests, would shrink by too much if all were hits.
        """
        rise = np.maximum(_rise(snapshots, edges), 0.0)
        window = snapshots.window(edges[0])
        busy_ns = place_column(window, "busy_ns")
        on_the_way_ns = float(window.workloads[:, WORKLOAD_COLUMNS.index("population_ns")].sum())
        for saving in self._savings:
            if (misses := float(rise[saving.row])) <= 0.0:
                continue
            saved_ns = saving.places_s * misses * NANOSECONDS_PER_SECOND
            time_ns = saving.time_s * misses * NANOSECONDS_PER_SECOND
            if np.any(saved_ns > self._most * busy_ns) or time_ns > self._most * on_the_way_ns:
                full = _level(snapshots, *edges[-2:])[saving.row] / saving.cache.capacity
                return f"{saving.cache} still fills ({full:.1%} full)"
        return None

    @cached_property
    def _savings(self) -> list[_Saving]:
        return list(_savings(self._model))


@dataclass(frozen=True)
class _Saving:
    """Saving of a hit in ``cache`` against a miss.

    Attributes:
        row: index of the cache among the places.
        places_s: seconds of work at each place, shape (places,).
        time_s: seconds of a request, without queueing.
    """

    cache: Cache
    row: int
    places_s: NDArray[np.float64]
    time_s: float


def _savings(model: Model) -> Iterator[_Saving]:
    """Saving of each cache; of several look-ups in one, the largest."""
    look_ups = [step for step in model.steps() if isinstance(step, Lookup)]
    for row, cache in enumerate(model.places):
        if isinstance(cache, Cache):
            steps = [step for step in look_ups if step.cache == cache]
            saved = np.max([_saved(model, step) for step in steps], axis=0)
            time_s = max(min_time_s(step.miss) - min_time_s(step.hit) for step in steps)
            yield _Saving(cache, row, saved, max(time_s, 0.0))


def _saved(model: Model, step: Lookup) -> list[float]:
    """Seconds by which the demand of a hit is below that of a miss, at each place."""
    miss, hit = demands_s(step.miss), demands_s(step.hit)
    return [max(0.0, miss.get(place, 0.0) - hit.get(place, 0.0)) for place in model.places]


def _follows(row: Series, others: Series) -> bool:
    """True if ``row``, moves per request, shape (workloads,), depends linearly on ``others``."""
    if not len(others):
        return False
    rates, *_ = np.linalg.lstsq(others.T, row, rcond=None)
    return bool(np.allclose(others.T @ rates, row, atol=EXACT * np.abs(row).max(initial=0.0)))


def _completed(snapshots: Snapshots, edges: list[int]) -> NDArray[np.int64]:
    """Requests that each workload completed in all batches, shape (workloads,)."""
    return snapshots.window(edges[0]).workloads[:, WORKLOAD_COLUMNS.index("completed")]


def _rise(snapshots: Snapshots, edges: list[int]) -> Series:
    """Rise of the level of each place from the first batch to the last, shape (places,)."""
    return _level(snapshots, *edges[-2:]) - _level(snapshots, *edges[:2])


def _level(snapshots: Snapshots, begin: int, end: int) -> Series:
    """Mean level of each buffer or cache between two snapshots, shape (places,); elsewhere the amount in use."""
    batch = snapshots.window(begin, end)
    return place_column(batch, "busy_ns") / batch.now_ns
