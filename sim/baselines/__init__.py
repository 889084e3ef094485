"""Baselines: what a fitted mechanistic model must beat on the same folds, each knowing no mechanism."""

from sim.baselines.gaussian_process import GaussianProcess
from sim.baselines.nearest_neighbour import NearestNeighbour
from sim.baselines.scalability import UniversalScalability
from sim.baselines.shape import Baseline, Predictor, Shape
from sim.baselines.smooth_minimum import SmoothMinimum

__all__ = ["Baseline", "Predictor", "Shape", "baselines"]


def baselines(shape: Shape) -> tuple[Baseline, ...]:
    """All baselines, for a system whose settings play the parts that ``shape`` says."""
    return (SmoothMinimum(shape), UniversalScalability(shape), GaussianProcess(shape), NearestNeighbour(shape))
