"""What a planner has without any mechanism: the best simple curve through the jobs that a fit has seen."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sim.data.baselines.best import best
from sim.data.dataset import Measurement
from sim.data.shape import Predictor
from sim.prediction.report import case_of
from sim.prediction.rivals import shape_of
from sim.system.system import System


@dataclass(frozen=True)
class Curve:
    """A curve through figures.

    Attributes:
        name: of its kind.
    """

    name: str
    says: Predictor

    def error(self, system: System, figures: Sequence[Measurement]) -> float:
        """Median of absolute errors of what it says of ``figures``, as a share."""
        return statistics.median(
            abs(self.says(case_of(system, each).settings) / each.value - 1.0) for each in figures
        )


def best_curve(system: System, figures: Sequence[Measurement]) -> Curve | None:
    """The curve that says best of each of ``figures`` what the others tell; None of too few of them."""
    settings = [case_of(system, each).settings for each in figures]
    found = best(shape_of(system), settings, np.array([each.value for each in figures]))
    return Curve(found.curve.name, found.says) if found else None
