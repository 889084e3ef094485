"""Questions to a system: predictions, sweeps, reports, explanations."""

from sim.engine.result import GroupResult, Latency, PlaceResult, Result
from sim.engine.simulation.limits import Limit
from sim.engine.simulation.options import RunOptions
from sim.engine.statistics.estimates import Estimate
from sim.prediction.prediction import Prediction, predict, predict_case
from sim.system.case import Case

__all__ = [
    "Case",
    "Estimate",
    "GroupResult",
    "Latency",
    "Limit",
    "PlaceResult",
    "Prediction",
    "Result",
    "RunOptions",
    "predict",
    "predict_case",
]
