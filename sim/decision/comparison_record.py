"""The JSON record of ``compare --json``, a stable interface; unknown values are None."""

from __future__ import annotations

from typing import Any, Literal

from typing_extensions import TypedDict

from sim.decision import pairs
from sim.decision.compare import Comparison
from sim.decision.difference import MORE_IS_BETTER, Difference
from sim.decision.joint_draws import JointDraws, Kind
from sim.prediction.prediction import Prediction
from sim.prediction.prediction_record import (
    CaveatsRecord,
    IntervalRecord,
    LimitRecord,
    finite,
    interval_record,
    limit_record,
)


class SideRecord(CaveatsRecord):
    """A design, its limit, and its answers that the other has not."""

    system: str
    settings: dict[str, Any]
    parameters: dict[str, float]
    limit: LimitRecord
    not_compared: list[str]


class DifferenceBandRecord(TypedDict):
    """Prediction intervals of B - A and B / A."""

    difference: list[float | None]
    ratio: list[float | None]
    confidence: float
    known: bool


class DifferenceRecord(TypedDict):
    """An answer of both designs in ``unit``, B - A, B / A, and the probability that A is better."""

    unit: str
    a: IntervalRecord
    b: IntervalRecord
    difference: IntervalRecord
    ratio: IntervalRecord
    same: bool
    better: Literal["more", "less"] | None
    a_better: float | None
    a_better_with_parameters: float | None
    band: DifferenceBandRecord | None


class TimesRecord(TypedDict):
    """Seconds of a request at a place."""

    waiting: float
    service: float


class PlaceRecord(TypedDict):
    """Seconds of a request at a place in each design, and the difference with its interval."""

    place: str
    a: TimesRecord
    b: TimesRecord
    difference: float
    low: float | None
    high: float | None
    confidence: float


class PlacesRecord(TypedDict):
    """Where the time of a request goes, and the place that makes the difference."""

    makes_the_difference: str | None
    per: str
    unit: Literal["s"]
    places: list[PlaceRecord]


class ComparisonRecord(TypedDict):
    """Two designs side by side, from pairs of runs with common random numbers."""

    a: SideRecord
    b: SideRecord
    seed: int
    pairs: int
    same: bool
    answers: dict[str, DifferenceRecord]
    places: PlacesRecord
    parameters: dict[Literal["shared", "a", "b"], list[str]]
    warnings: list[str]


def record(comparison: Comparison) -> ComparisonRecord:
    """The record of ``comparison``."""
    a, b = comparison.a, comparison.b
    return {
        "a": _side(a, comparison.left_out[0]),
        "b": _side(b, comparison.left_out[1]),
        "seed": a.result.seed,
        "pairs": pairs.PAIRS,
        "same": comparison.same,
        "answers": {each.name: _difference(each) for each in comparison.differences},
        "places": _places(comparison),
        "parameters": _parameters(comparison.draws),
        "warnings": comparison.warnings,
    }


def _side(prediction: Prediction, left_out: tuple[str, ...]) -> SideRecord:
    return {
        "system": prediction.system,
        "settings": prediction.case.plain,
        "parameters": {each.name: each.value for each in prediction.case.system.parameters.set()},
        "limit": limit_record(prediction.limit),
        **prediction.caveats.record(),
        "not_compared": list(left_out),
    }


def _difference(each: Difference) -> DifferenceRecord:
    band = each.band
    return {
        "unit": each.unit,
        "a": interval_record(each.a),
        "b": interval_record(each.b),
        "difference": interval_record(each.difference),
        "ratio": interval_record(each.ratio),
        "same": each.same,
        "better": {True: "more", False: "less", None: None}[MORE_IS_BETTER.get(each.name)],
        "a_better": finite(each.better),
        "a_better_with_parameters": finite(each.likely_better),
        "band": {
            "difference": [finite(end) for end in band.difference],
            "ratio": [finite(end) for end in band.ratio],
            "confidence": band.confidence,
            "known": band.known,
        }
        if band
        else None,
    }


def _places(comparison: Comparison) -> PlacesRecord:
    places, maker = comparison.places, comparison.maker
    return {
        "makes_the_difference": maker.place if maker else None,
        "per": places.per,
        "unit": "s",
        "places": [
            {
                "place": each.place,
                "a": {"waiting": each.waiting[0], "service": each.service[0]},
                "b": {"waiting": each.waiting[1], "service": each.service[1]},
                "difference": each.difference,
                "low": finite(each.between.low),
                "high": finite(each.between.high),
                "confidence": each.between.confidence,
            }
            for each in places.times
        ],
    }


def _parameters(draws: JointDraws) -> dict[Literal["shared", "a", "b"], list[str]]:
    """Names of uncertain parameters: fitted ones, and causes that move others within their ranges."""
    kinds: tuple[tuple[Literal["shared", "a", "b"], Kind], ...] = (("shared", "both"), ("a", "a"), ("b", "b"))
    return {key: list(dict.fromkeys(name for _, name in draws.causes(kind))) for key, kind in kinds}
