"""What still changes in a model although its throughput looks settled, judged by what it does to the answer.

Throughput in front of a buffer that fills is that of nobody in its way; behind a cache that fills, that of misses
which will be hits. Neither shows in the throughput itself, which is steady until the buffer is full, or creeps.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from sim.engines.protocol import WORKLOAD_COLUMNS
from sim.model.demands import demands_s, least_time_s
from sim.model.distributions import NANOSECONDS_PER_SECOND
from sim.model.model import Model
from sim.model.places import Cache
from sim.model.steps import Lookup, iter_steps
from sim.simulation.snapshots import History, place_column
from sim.simulation.summary import needed
from sim.statistics.estimates import Series

ROUNDING = 0.005
"""By how much chance may let a place seem to do more than it can."""


class Settling:
    """What may still change in ``model``.

    Args:
        precision: of throughput; half of it may come from what still changes.
    """

    def __init__(self, model: Model, precision: float) -> None:
        self._model = model
        self._most = precision / 2

    def changing(self, history: History, edges: list[int]) -> str | None:
        """What fills or empties between ``edges``, so that the answer will not last; None if nothing does."""
        return self._filling(history, edges) or self._parted(history, edges) or self._warming(history, edges)

    def asked_too_much(self, history: History) -> str | None:
        """A place that branches nobody waits for are asked to use more than it can be (utilisation law).

        Only there can work be put off; and where everybody waits, chance alone would stop runs at too low a rate.
        """
        for place, share in needed(self._model, history.window(len(history) // 2)).items():
            if place in self._model.unwaited and share > 1.0 + ROUNDING:
                return f"work for {place} ({share:.1%} of what it can do) still piles up"
        return None

    def _filling(self, history: History, edges: list[int]) -> str | None:
        """Buffers that take in more than they give: throughput in front of them is too high by it."""
        passed = self._model.puts.of(_walks(history, edges))
        rise = np.where(passed > 0.0, _risen(history, edges), 0.0)
        if rise.sum() > self._most * passed.sum():
            return f"{self._model.places[int(np.argmax(rise))]} still fills"
        return None

    def _parted(self, history: History, edges: list[int]) -> str | None:
        """Those who put are through so much more often than those who take that one of both must change.

        What is taken and still on its way hides from ``_filling``: at first all is taken at once.
        """
        walks = _walks(history, edges)
        passed, left = self._model.puts.of(walks), self._model.nets.of(walks)
        apart = np.where((passed > 0.0) & np.isfinite(left), left, 0.0)
        known = (passed > 0.0) & np.isfinite(left)
        if abs(apart.sum()) > self._most * passed[known].sum():
            buffer = self._model.places[int(np.argmax(np.abs(apart)))]
            return f"more is put into {buffer} than taken" if apart.sum() > 0 else f"{buffer} still runs dry"
        return None

    def _warming(self, history: History, edges: list[int]) -> str | None:
        """Caches that fill: what misses now without driving anything out may be hits one day.

        Were all those hits, work at some place, or the time of a walk, would shrink by so much.
        """
        rise = np.maximum(_risen(history, edges), 0.0)
        window = history.window(edges[0])
        busy_ns = place_column(window, "busy_ns")
        on_the_way_ns = float(window.workloads[:, WORKLOAD_COLUMNS.index("population_ns")].sum())
        for each in self._savings:
            if (misses := float(rise[each.row])) <= 0.0:
                continue
            saved_ns = each.places_s * misses * NANOSECONDS_PER_SECOND
            time_ns = each.time_s * misses * NANOSECONDS_PER_SECOND
            if np.any(saved_ns > self._most * busy_ns) or time_ns > self._most * on_the_way_ns:
                full = _level(history, *edges[-2:])[each.row] / each.cache.capacity
                return f"{each.cache} still fills ({full:.1%} full)"
        return None

    @cached_property
    def _savings(self) -> list[_Saving]:
        return list(_savings(self._model))


@dataclass(frozen=True)
class _Saving:
    """What a hit in ``cache`` saves against a miss.

    Attributes:
        row: of the cache among the places.
        places_s: seconds of each place, shape (places,).
        time_s: seconds of a walk, without queueing.
    """

    cache: Cache
    row: int
    places_s: NDArray[np.float64]
    time_s: float


def _savings(model: Model) -> Iterator[_Saving]:
    look_ups = [step for each in model.workloads for step in iter_steps(each.path) if isinstance(step, Lookup)]
    for row, cache in enumerate(model.places):
        mine = [step for step in look_ups if step.cache == cache]
        if isinstance(cache, Cache):
            saved = np.max([_saved(model, step) for step in mine], axis=0)
            time_s = max(least_time_s(step.miss) - least_time_s(step.hit) for step in mine)
            yield _Saving(cache, row, saved, max(time_s, 0.0))


def _saved(model: Model, step: Lookup) -> list[float]:
    miss, hit = demands_s(step.miss), demands_s(step.hit)
    return [max(0.0, miss.get(place, 0.0) - hit.get(place, 0.0)) for place in model.places]


def _walks(history: History, edges: list[int]) -> NDArray[np.int64]:
    """What each workload completed in all batches, shape (workloads,)."""
    return history.window(edges[0]).workloads[:, WORKLOAD_COLUMNS.index("completed")]


def _risen(history: History, edges: list[int]) -> Series:
    """By how much the level of each place rose from the first batch to the last, shape (places,)."""
    return _level(history, *edges[-2:]) - _level(history, *edges[:2])


def _level(history: History, begin: int, end: int) -> Series:
    """Mean level of each buffer or cache between two snapshots (elsewhere, what is in use), shape (places,)."""
    batch = history.snapshots[end].since(history.snapshots[begin])
    return place_column(batch, "busy_ns") / batch.now_ns
