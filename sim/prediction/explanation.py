"""Explanation of a prediction: where a request spends its time, the limits, and sensitivities."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from typing_extensions import TypedDict

from sim.engine.display import Shown
from sim.engine.errors import InputError
from sim.engine.result import Bound
from sim.engine.simulation.allowances import lowest_bounds
from sim.engine.simulation.latency_breakdown import Breakdown, break_down
from sim.engine.simulation.options import ANALYTIC, Progress
from sim.engine.simulation.recording import recorded
from sim.prediction.prediction import Prediction
from sim.prediction.sensitivity import Sensitivity, sensitivities


class LineRecord(TypedDict):
    """Nanoseconds in one activity at one place, over all requests and ``stays``."""

    doing: str
    place: str
    ns: int
    stays: int


class LedgerRecord(TypedDict):
    """Where the time of ``walks`` requests goes."""

    walks: int
    latency_ns: int
    lines: list[LineRecord]


class AllowedRecord(TypedDict):
    """Throughput that a place allows, in the unit of the prediction."""

    place: str
    throughput: float


class ElasticityRecord(TypedDict):
    """Growth of throughput in per cent if a parameter grows by one, with its interval."""

    value: float
    low: float
    high: float
    inert: bool


class ExplanationRecord(TypedDict):
    """Ledgers by group, limits, and elasticities by parameter."""

    ledgers: dict[str, LedgerRecord]
    limits: list[AllowedRecord]
    saturated: bool
    elasticities: dict[str, ElasticityRecord]


@dataclass(frozen=True)
class Explanation(Shown):
    """Explanation of ``prediction``, from recorded runs of its model.

    Attributes:
        breakdowns: latency breakdown of a request, by group; the watched one first.
        limits: throughput that each place allows, in the prediction's unit, lowest first; identical places once.
        sensitivities: sensitivity of throughput to each parameter, strongest first.
    """

    prediction: Prediction
    breakdowns: Mapping[str, Breakdown]
    limits: tuple[Bound, ...]
    sensitivities: tuple[Sensitivity, ...]

    @property
    def saturated(self) -> bool:
        """True if a place limits throughput."""
        return self.prediction.limit.kind == "place"

    def rows(self) -> Iterator[dict[str, Any]]:
        """Where the time of a request goes, by group, the longest first."""
        for group, breakdown in self.breakdowns.items():
            yield from ({"group": group, **row} for row in breakdown.rows())

    def record(self) -> ExplanationRecord:
        """The part ``explanation`` that ``predict --explain --json`` adds to the JSON."""
        return {
            "ledgers": {group: _breakdown(each) for group, each in self.breakdowns.items()},
            "limits": [{"place": each.place, "throughput": each.throughput} for each in self.limits],
            "saturated": self.saturated,
            "elasticities": {
                each.parameter: {
                    "value": each.elasticity.value,
                    "low": each.elasticity.low,
                    "high": each.elasticity.high,
                    "inert": each.inert,
                }
                for each in self.sensitivities
            },
        }


def _breakdown(breakdown: Breakdown) -> LedgerRecord:
    return {
        "walks": breakdown.requests,
        "latency_ns": breakdown.latency_ns,
        "lines": [
            {"doing": each.activity, "place": each.place, "ns": each.total_ns, "stays": each.intervals}
            for each in breakdown.shares
        ],
    }


def explain(prediction: Prediction, progress: Progress | None = None) -> Explanation:
    """Record some requests of the model of ``prediction``, and vary every parameter a little.

    Raises:
        InputError: the prediction was computed, so that no run can be repeated.
    """
    if prediction.result.engine == ANALYTIC:
        raise InputError("engine is 'analytic', and an explanation records simulated requests; choose engine auto")
    requests = recorded(prediction.case.scenario.model, prediction.result)
    watched_first = sorted(requests, key=lambda group: group != prediction.result.watched)
    breakdowns = {group: break_down(requests[group]) for group in watched_first}
    return Explanation(
        prediction=prediction,
        breakdowns={group: breakdown for group, breakdown in breakdowns.items() if breakdown.latency_ns},
        limits=lowest_bounds(prediction.result, prediction.amount),
        sensitivities=sensitivities(prediction.case, prediction.result, progress),
    )
