"""Questions to a system: predictions, sweeps, reports, explanations."""

from sim.prediction.prediction import Prediction, predict, predict_case
from sim.result import GroupResult, Latency, PlaceResult, Result
from sim.simulation.limits import Limit
from sim.simulation.options import RunOptions
from sim.statistics.estimates import Estimate
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
