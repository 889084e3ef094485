"""The JSON of ``predict --for --json``, a stable interface; what is not known is None."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from typing_extensions import TypedDict

from sim.prediction.prediction_record import (
    BandRecord,
    CaveatsRecord,
    EstimateRecord,
    LimitRecord,
    band_record,
    estimate_record,
    finite,
    limit_record,
)

if TYPE_CHECKING:  # the command reads the records of its JSON, and mostly predicts nothing over time
    from sim.prediction.over_time import PredictionOverTime


class OverTimePhaseRecord(TypedDict):
    """A span in which throughput stays about equal, in the unit of the system."""

    begin_s: float
    end_s: float
    throughput: float
    p99_s: float | None


class SawToothRecord(TypedDict):
    """A saw-tooth of throughput: its period, and its lowest and highest throughput in a part."""

    period: EstimateRecord
    low: float
    high: float
    unit: str


class OverTimeRecord(CaveatsRecord):
    """The prediction of a system over time; lists have a value for each part, ``levels`` at its end."""

    system: str
    settings: dict[str, Any]
    asked: dict[str, str] | None
    parameters: dict[str, float]
    seed: int
    unit: str
    seconds: float
    resolution_s: float
    simulated_s: float
    events: int
    measures: dict[str, EstimateRecord]
    bands: dict[str, BandRecord | None]
    saw_tooth: SawToothRecord | None
    phases: list[OverTimePhaseRecord]
    rates: list[float]
    latencies_s: list[float | None]
    levels: dict[str, list[float]]
    limit: LimitRecord | None
    limit_in_burst: LimitRecord | None
    unsettled: list[str]
    warnings: list[str]


def record(prediction: PredictionOverTime) -> OverTimeRecord:
    """The record of ``prediction``."""
    case, over, amount = prediction.case, prediction.record, prediction.amount
    measures = {name: estimate_record(each.estimate, each.unit) for name, each in prediction.answers.items()}
    modelled, end = not prediction.answers["p99"].why, prediction.end
    return {
        "system": prediction.system,
        "settings": case.plain,
        "asked": case.system.asked.shown if case.system.asked else None,
        "parameters": {each.name: each.value for each in case.system.parameters.set()},
        "seed": prediction.seed,
        "unit": prediction.unit,
        "seconds": over.seconds,
        "resolution_s": over.resolution_s,
        "simulated_s": over.simulated_s,
        "events": over.steps,
        "measures": measures,
        "bands": {
            name: band_record(band, prediction.answers[name].unit) for name, band in prediction.intervals.items()
        },
        "saw_tooth": {
            "period": measures["period"],
            "low": over.cycle.low * amount,
            "high": over.cycle.high * amount,
            "unit": prediction.unit,
        }
        if over.cycle
        else None,
        "phases": [
            {
                "begin_s": each.begin_s,
                "end_s": each.end_s,
                "throughput": each.rate * amount,
                "p99_s": each.p99_s if modelled else None,
            }
            for each in over.phases
        ],
        "rates": (over.rates * amount).tolist(),
        "latencies_s": [finite(each) for each in over.latencies_s.tolist()],
        "levels": {name: over.levels[name][1:].tolist() for name in prediction.levels},
        "limit": limit_record(end.limit) if end else None,
        "limit_in_burst": limit_record(prediction.begin.limit) if prediction.begin else None,
        "unsettled": list(prediction.unsettled),
        "warnings": list(end.result.warnings if end else case.system.parameters.warnings),
        **prediction.caveats.record(),
    }
