"""The table of a sweep: a row for each point, with every answer, its intervals, and the point's outcome."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from typing_extensions import TypedDict

from sim.engine.statistics.estimates import Estimate
from sim.prediction.answer_page import PredictedRecord, answered
from sim.prediction.points import Outcome
from sim.prediction.prediction import Prediction
from sim.prediction.store import Known, Status
from sim.prediction.uncertainty import EXPECTED
from sim.system.case import Case
from sim.system.scenario import LATENCIES

if TYPE_CHECKING:
    import pandas as pd

_FIRST = ("mean", "p99")
"""Latencies among the first columns; the others follow with the intervals."""


class StatusRecord(TypedDict):
    """Status of a point of a sweep; the reason is None if it is done."""

    status: Status
    reason: str | None


class DoneRecord(PredictedRecord, StatusRecord):
    """The prediction of a point."""


class NotDoneRecord(StatusRecord):
    """A point without a prediction."""

    system: str
    settings: dict[str, Any]
    parameters: dict[str, float]
    engine: None
    seed: None
    throughput: None
    elapsed: None
    latency: None
    measures: None


@dataclass(frozen=True)
class Point:
    """One point of a sweep, and its outcome."""

    case: Case
    outcome: Outcome

    @property
    def known(self) -> Known:
        """Status of the point, and the reason for it."""
        return self.outcome.known

    @property
    def prediction(self) -> Prediction | None:
        """Prediction of the point; None if the point is not done."""
        return self.outcome.prediction

    def record(self) -> DoneRecord | NotDoneRecord:
        """The record in ``sweep --json``, a stable interface: that of a prediction, with status and reason."""
        status: StatusRecord = {"status": self.known.status, "reason": self.known.reason or None}
        if self.prediction:
            return {**answered(self.prediction), **status}
        return {
            "system": self.case.system.name,
            "settings": self.case.plain,
            "parameters": {each.name: each.value for each in self.case.system.parameters.set()},
            "engine": None,
            "seed": None,
            "throughput": None,
            "elapsed": None,
            "latency": None,
            "measures": None,
            **status,
        }


def table(points: Sequence[Point], varied: Sequence[str]) -> pd.DataFrame:
    """One row for each point: the ``varied`` settings, answers, limit; then intervals, status and reason.

    The last column has caveats. Latencies are in seconds. Unknown values are empty.
    """
    import pandas as pd  # lazily: it takes a third of a second

    rows = []
    for point in points:
        inputs = {name: point.case.inputs[name] for name in varied}
        status = {"status": point.known.status, "reason": point.known.reason}
        first: Mapping[str, object] = {}
        intervals: Mapping[str, float] = {}
        if point.prediction:
            first, intervals = _first(point.prediction), dict(_intervals(point.prediction))
            status["caveats"] = "; ".join(_caveats(point.prediction))
        rows.append((inputs, first, intervals, status))
    names = dict.fromkeys(name for part in zip(*rows, strict=True) for cells in part for name in cells)
    return pd.DataFrame([{k: v for cells in row for k, v in cells.items()} for row in rows], columns=list(names))


def _caveats(prediction: Prediction) -> Iterator[str]:
    if prediction.states:
        yield f"two states: {prediction.states.words(prediction.unit)}"
    yield from (*prediction.caveats.lines, *prediction.result.warnings)
    from sim.prediction.caveats import assumptions  # lazily: data packages load pydantic

    if prediction.caveats.assumed or prediction.caveats.defaults:
        yield f"assumed: {assumptions([prediction.caveats])}"


def _first(prediction: Prediction) -> Mapping[str, object]:
    latency = prediction.latency
    return {
        f"throughput ({prediction.unit})": prediction.throughput.value,
        "low": prediction.throughput.low,
        "high": prediction.throughput.high,
        **{f"{name} ({answer.unit})": answer.estimate.value for name, answer in prediction.further.items()},
        "mean latency (s)": latency.mean.value,
        "p99 latency (s)": latency.p99.value,
        "bottleneck": prediction.limit.place or "",
        "limited by": prediction.limit.kind,
        "reached": prediction.limit.reached,
        "not known": " ".join(_unknown(prediction)),
    }


def _intervals(prediction: Prediction) -> Iterator[tuple[str, float]]:
    """Intervals of all answers, latencies that are in no other column, and prediction intervals."""
    for name, answer in prediction.answers.items():
        label, unit = LATENCIES.get(name, name), answer.unit
        if name in LATENCIES and name not in _FIRST:
            yield f"{label} ({unit})", answer.estimate.value
        if name != "throughput":
            yield f"{label} low ({unit})", answer.estimate.low
            yield f"{label} high ({unit})", answer.estimate.high
    for name, interval in prediction.intervals.items():
        label, unit = LATENCIES.get(name, name), prediction.answers[name].unit
        yield f"{label} {EXPECTED} low ({unit})", interval.low
        yield f"{label} {EXPECTED} high ({unit})", interval.high


def _unknown(prediction: Prediction) -> Iterator[str]:
    """Names of answers that are not known well enough."""
    latency = prediction.latency
    estimates: dict[str, Estimate] = {
        "throughput": prediction.throughput,
        "mean": latency.mean,
        "p99": latency.p99,
    }
    yield from (name for name, estimate in estimates.items() if not estimate.known)
    yield from (name for name, answer in prediction.further.items() if not answer.estimate.known)
