"""Ask a system: predictions, sweeps, reports, explanations."""

from sim.prediction.prediction import Prediction, predict, predict_case
from sim.simulation.options import RunOptions
from sim.system.case import Case

__all__ = ["Case", "Prediction", "RunOptions", "predict", "predict_case"]
