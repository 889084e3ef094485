"""The place that makes the difference: service and waiting of a request in A and in B, by place."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from sim.decision.difference import CONFIDENCE
from sim.engine.simulation.latency_breakdown import Breakdown, break_down
from sim.engine.simulation.options import Progress
from sim.engine.simulation.recording import recorded
from sim.engine.simulation.replications import seed_of
from sim.engine.statistics.estimates import Estimate, Series, mean
from sim.prediction.prediction import Prediction

_NUMBER = re.compile(r"\d+")

DELAY = "no place"
"""Name of time that passes without a place."""


@dataclass(frozen=True)
class PlaceTime:
    """Mean seconds of a request's waiting and service at a place, in A and in B.

    Attributes:
        place: its name, or the common name of identical places.
        waiting, service: (A, B), in seconds per request, or per unit of throughput.
        between: B - A of their sum, with its interval by pairs of runs.
    """

    place: str
    waiting: tuple[float, float]
    service: tuple[float, float]
    between: Estimate

    @property
    def a(self) -> float:
        """Waiting and service in A, in seconds."""
        return self.waiting[0] + self.service[0]

    @property
    def b(self) -> float:
        """Waiting and service in B, in seconds."""
        return self.waiting[1] + self.service[1]

    @property
    def difference(self) -> float:
        """B - A."""
        return self.between.value


@dataclass(frozen=True)
class Places:
    """Latency breakdowns of a watched request in A and in B; the times add up to the latency of each.

    Attributes:
        per: unit of work of the times: ``request``; or, if a request of A does not move as much as one of B, the
            unit of throughput times a second, such as ``MB``.
        times: times of each place, the largest difference first.
    """

    per: str
    times: tuple[PlaceTime, ...]

    @property
    def maker(self) -> PlaceTime | None:
        """The place whose time differs most in the direction of the latency; None if latencies are equal."""
        total = sum(each.difference for each in self.times)
        return max(
            (each for each in self.times if each.difference * total > 0.0),
            key=lambda each: abs(each.difference),
            default=None,
        )


def breakdown(prediction: Prediction, warmup_s: float, number: int, look: Progress) -> Breakdown:
    """Latency breakdown of the watched requests in run ``number`` of the case of ``prediction``.

    Requests are recorded after ``warmup_s``, with the random numbers of that run of the pairs.
    """
    look(0.0)
    result = prediction.result
    result = replace(result, warmup_s=warmup_s, seed=seed_of(result.seed, number))
    return break_down(recorded(prediction.case.scenario.model, result)[result.watched])


def places(a: Prediction, b: Prediction, recordings: Sequence[tuple[Breakdown, Breakdown]]) -> Places:
    """Compare the breakdowns of at least two pairs, place by place; identical places count as one."""
    same = a.amount == b.amount
    amounts = (1.0, 1.0) if same else (a.amount, b.amount)
    times = [[_times(*each) for each in zip(pair, amounts, strict=True)] for pair in recordings]
    names = _names(share.place for pair in recordings for side in pair for share in side.shares)
    rows = [
        _of_place(
            name or DELAY, np.array([[[waits[key], serves[key]] for waits, serves in pair] for pair in times])
        )
        for key, name in names.items()
    ]
    largest_first = sorted(rows, key=lambda each: -abs(each.difference))
    return Places("request" if same else _moved(a.unit), tuple(largest_first))


def _of_place(place: str, times: Series) -> PlaceTime:
    """The row of one place; ``times`` has the shape (pairs, sides, waiting and service)."""
    (waits_a, serves_a), (waits_b, serves_b) = times.mean(axis=0).tolist()
    both = times.sum(axis=2)
    return PlaceTime(place, (waits_a, waits_b), (serves_a, serves_b), mean(both[:, 1] - both[:, 0], CONFIDENCE))


def _times(breakdown: Breakdown, amount: float) -> tuple[Counter[str], Counter[str]]:
    """Seconds of waiting, and of everything else, by the common name of the place; per unit of ``amount``."""
    waits: Counter[str] = Counter()
    serves: Counter[str] = Counter()
    for share in breakdown.shares:
        times = waits if share.activity == "wait" else serves
        times[_NUMBER.sub("*", share.place)] += breakdown.mean_s(share) / amount  # type: ignore[assignment]
    return waits, serves


def _names(places: Iterable[str]) -> dict[str, str]:
    """Label of each common name: the full name if A and B agree on it."""
    shown: dict[str, set[str]] = {}
    for place in places:
        shown.setdefault(_NUMBER.sub("*", place), set()).add(place)
    return {key: next(iter(names)) if len(names) == 1 else key for key, names in shown.items()}


def _moved(unit: str) -> str:
    """The unit of work, from the unit of throughput: MB for MB/s."""
    return unit.removesuffix("/s") if unit.endswith("/s") else f"{unit}·s"
