"""Baselines without a mechanism, which a fitted mechanistic model must beat on the same folds."""

from sim.data.shape import Baseline, Predictor, Shape

__all__ = ["Baseline", "Predictor", "Shape", "baselines"]


def baselines(shape: Shape, machine: str | None = None) -> tuple[Baseline, ...]:
    """All baselines for the settings that ``shape`` describes; ``machine`` is the setting that names machines."""
    from sim.data.baselines.capped_linear import CappedLinear  # lazily: only reports and fits need baselines
    from sim.data.baselines.gaussian_process import (  # lazily: SciPy's optimisers
        GaussianProcess,
    )
    from sim.data.baselines.log_linear import LogLinear  # lazily: as above
    from sim.data.baselines.nearest_neighbour import NearestNeighbour  # lazily: as above
    from sim.data.baselines.power_law import CappedPowerLaw, PowerLaw  # lazily: as above
    from sim.data.baselines.ratio_of_anchors import RatioOfAnchors  # lazily: as above
    from sim.data.baselines.scalability import UniversalScalability  # lazily: as above
    from sim.data.baselines.smooth_minimum import ScaledMinimum, SmoothMinimum  # lazily: as above

    kinds = (
        *(SmoothMinimum, ScaledMinimum, UniversalScalability, PowerLaw, GaussianProcess, NearestNeighbour),
        *(CappedPowerLaw, CappedLinear, LogLinear),
    )
    curves: tuple[Baseline, ...] = tuple(kind(shape) for kind in kinds)
    return (*curves, RatioOfAnchors(shape, machine)) if machine else curves


def interpolations(shape: Shape) -> tuple[Baseline, ...]:
    """Baselines without an optimiser: curves that a planner would draw through figures."""
    from sim.data.baselines.capped_linear import CappedLinear  # lazily: as above
    from sim.data.baselines.log_linear import LogLinear  # lazily: as above
    from sim.data.baselines.nearest_neighbour import NearestNeighbour  # lazily: as above

    return tuple(kind(shape) for kind in (LogLinear, CappedLinear, NearestNeighbour))
