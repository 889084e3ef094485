"""Which place makes the difference: service and waiting of a request in A and in B, place by place."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace

from sim.prediction.prediction import Prediction
from sim.simulation.latency_breakdown import Breakdown, break_down
from sim.simulation.recording import recorded

_NUMBER = re.compile(r"\d+")

DELAY = "no place"
"""Where time passes without one."""


@dataclass(frozen=True)
class PlaceTime:
    """Mean seconds that a request waits for a place and is served there, in A and in B.

    Attributes:
        place: of identical ones, their common name: a place of either system, however many it has.
        waiting, service: (A, B), in seconds per request, or per unit of throughput.
    """

    place: str
    waiting: tuple[float, float]
    service: tuple[float, float]

    @property
    def a(self) -> float:
        """Both in A."""
        return self.waiting[0] + self.service[0]

    @property
    def b(self) -> float:
        """Both in B."""
        return self.waiting[1] + self.service[1]

    @property
    def difference(self) -> float:
        """B - A."""
        return self.b - self.a


@dataclass(frozen=True)
class Places:
    """Where the time of a watched request goes in A and in B; the times add up to the latency of each.

    Attributes:
        per: what the times are for: ``request``; or, where a request of A does not move as much as one of B, the
            unit of throughput times a second, such as ``MB``.
        times: of each place, the largest difference first.
    """

    per: str
    times: tuple[PlaceTime, ...]

    @property
    def maker(self) -> PlaceTime | None:
        """The place whose time differs most in the direction of the latency; None if the latency is the same."""
        total = sum(each.difference for each in self.times)
        return max(
            (each for each in self.times if each.difference * total > 0.0),
            key=lambda each: abs(each.difference),
            default=None,
        )


def breakdown(prediction: Prediction, warmup_s: float) -> Breakdown:
    """Where the time of the watched requests goes, from a run that is recorded after so much warm-up."""
    result = replace(prediction.result, warmup_s=warmup_s)
    return break_down(recorded(prediction.case.scenario.model, result)[result.watched])


def places(a: Prediction, b: Prediction, of_a: Breakdown, of_b: Breakdown) -> Places:
    """Put two breakdowns side by side; identical places of either are one."""
    same = a.amount == b.amount
    amounts = (1.0, 1.0) if same else (a.amount, b.amount)
    waiting = [_times(each, amount, waits=True) for each, amount in zip((of_a, of_b), amounts, strict=True)]
    service = [_times(each, amount, waits=False) for each, amount in zip((of_a, of_b), amounts, strict=True)]
    names = _names(share.place for each in (of_a, of_b) for share in each.shares)
    rows = [
        PlaceTime(name or DELAY, (waiting[0][key], waiting[1][key]), (service[0][key], service[1][key]))
        for key, name in names.items()
    ]
    largest_first = sorted(rows, key=lambda each: -abs(each.difference))
    return Places("request" if same else _moved(a.unit), tuple(largest_first))


def _times(breakdown: Breakdown, amount: float, *, waits: bool) -> Counter[str]:
    """Seconds of waiting, or of everything else, by the common name of the place."""
    times: Counter[str] = Counter()
    for share in breakdown.shares:
        if (share.activity == "wait") == waits:
            times[_NUMBER.sub("*", share.place)] += breakdown.mean_s(share) / amount  # type: ignore[assignment]
    return times


def _names(places: Iterable[str]) -> dict[str, str]:
    """For each common name, how it is shown: as it is in both, if they agree."""
    shown: dict[str, set[str]] = {}
    for place in places:
        shown.setdefault(_NUMBER.sub("*", place), set()).add(place)
    return {key: next(iter(names)) if len(names) == 1 else key for key, names in shown.items()}


def _moved(unit: str) -> str:
    """What a request moves, by the unit of throughput: MB of MB/s."""
    return unit.removesuffix("/s") if unit.endswith("/s") else f"{unit}·s"
