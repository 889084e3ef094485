"""Records of places from counters, all at once or on demand."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping

import numpy as np

from sim.engine.events.protocol import PLACE_COLUMNS, Snapshot
from sim.engine.model import places
from sim.engine.model.demands import capacity
from sim.engine.model.distributions import NANOSECONDS_PER_SECOND
from sim.engine.model.model import Model
from sim.engine.result import PlaceResult

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
