"""Baselines: what a fitted mechanistic model must beat on the same folds, each knowing no mechanism."""

from sim.baselines.shape import Baseline, Predictor, Shape

__all__ = ["Baseline", "Predictor", "Shape", "baselines"]


def baselines(shape: Shape) -> tuple[Baseline, ...]:
    """All baselines, for a system whose settings play the parts that ``shape`` says."""
    from sim.baselines.gaussian_process import GaussianProcess  # lazily: SciPy's optimisers, which only fits need
    from sim.baselines.nearest_neighbour import NearestNeighbour  # lazily: with them
    from sim.baselines.scalability import UniversalScalability  # lazily: with them
    from sim.baselines.smooth_minimum import SmoothMinimum  # lazily: with them

    return (SmoothMinimum(shape), UniversalScalability(shape), GaussianProcess(shape), NearestNeighbour(shape))
