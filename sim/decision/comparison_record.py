"""The JSON record of ``compare --json``, a stable interface; unknown values are None."""

from __future__ import annotations

import math
from typing import Any

from sim.decision import pairs
from sim.decision.compare import Comparison
from sim.decision.difference import MORE_IS_BETTER, Difference
from sim.decision.joint_draws import JointDraws, Kind
from sim.engine.statistics.estimates import Estimate
from sim.prediction.prediction import Prediction


def record(comparison: Comparison) -> dict[str, Any]:
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


def _side(prediction: Prediction, left_out: tuple[str, ...]) -> dict[str, Any]:
    return {
        "system": prediction.system,
        "settings": prediction.case.plain,
        "parameters": {each.name: each.value for each in prediction.case.system.parameters.set()},
        "limit": prediction.limit.record(),
        **prediction.caveats.record(),
        "not_compared": list(left_out),
    }


def _difference(each: Difference) -> dict[str, Any]:
    band = each.band
    return {
        "unit": each.unit,
        "a": _estimate(each.a),
        "b": _estimate(each.b),
        "difference": _estimate(each.difference),
        "ratio": _estimate(each.ratio),
        "same": each.same,
        "better": {True: "more", False: "less", None: None}[MORE_IS_BETTER.get(each.name)],
        "a_better": _number(each.better),
        "a_better_with_parameters": _number(each.likely_better),
        "band": band
        and {
            "difference": [_number(end) for end in band.difference],
            "ratio": [_number(end) for end in band.ratio],
            "confidence": band.confidence,
            "known": band.known,
        },
    }


def _estimate(estimate: Estimate) -> dict[str, Any]:
    return {
        "value": _number(estimate.value),
        "low": _number(estimate.low),
        "high": _number(estimate.high),
        "confidence": estimate.confidence,
        "known": estimate.known,
    }


def _number(value: float | None) -> float | None:
    return value if value is not None and math.isfinite(value) else None


def _places(comparison: Comparison) -> dict[str, Any]:
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
                "low": _number(each.between.low),
                "high": _number(each.between.high),
                "confidence": each.between.confidence,
            }
            for each in places.times
        ],
    }


def _parameters(draws: JointDraws) -> dict[str, Any]:
    """Names of uncertain parameters: fitted ones, and causes that move others within their ranges."""
    kinds: tuple[tuple[str, Kind], ...] = (("shared", "both"), ("a", "a"), ("b", "b"))
    return {key: list(dict.fromkeys(name for _, name in draws.causes(kind))) for key, kind in kinds}
