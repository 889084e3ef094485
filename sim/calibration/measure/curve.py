"""What a planner has without any mechanism: the best simple curve through the jobs that a fit has seen."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sim.calibration.baselines import Baseline, Predictor, Shape, baselines
from sim.data.dataset import Measurement
from sim.data.importers.figures import PROCESSES
from sim.errors import InputError
from sim.prediction.report import case_of
from sim.statistics.estimates import Series
from sim.system.settings import Choice, Values
from sim.system.system import System

FEWEST = 4
"""Jobs from which one can be left out and something be said of it by the others."""


@dataclass(frozen=True)
class Curve:
    """A curve through figures.

    Attributes:
        name: of its kind.
        missed: median error of each of the figures that it went through, said by a curve through the others.
    """

    name: str
    missed: float
    says: Predictor

    def error(self, system: System, figures: Sequence[Measurement]) -> float:
        """Median of absolute errors of what it says of ``figures``, as a share."""
        return statistics.median(
            abs(self.says(case_of(system, each).settings) / each.value - 1.0) for each in figures
        )


def best_curve(system: System, figures: Sequence[Measurement]) -> Curve | None:
    """The curve that says best of each of ``figures`` what the others tell; None of too few of them."""
    if len(figures) < FEWEST:
        return None
    settings = [case_of(system, each).settings for each in figures]
    values = np.array([each.value for each in figures])
    missed = {each: _missed(each, settings, values) for each in baselines(shape_of(system))}
    best = min(missed, key=lambda each: missed[each])
    return Curve(best.name, missed[best], best.fit(settings, values)) if math.isfinite(missed[best]) else None


def shape_of(system: System) -> Shape:
    """The parts that settings of ``system``, which can be measured, play."""
    names = [each.name for each in system.settings]
    processes = tuple(name for name in names if name in PROCESSES)[:1]
    streams = (*processes, *(name for name in names if name == "depth"))
    kinds = tuple(each.name for each in system.settings if isinstance(each, Choice))
    return Shape("block", tuple(dict.fromkeys((streams, processes, ()))), kinds)


def _missed(curve: Baseline, settings: Sequence[Values], values: Series) -> float:
    """Median error of each figure as a curve through the others says it; infinite where there is none."""
    errors: list[float] = []
    for index, value in enumerate(values.tolist()):
        others = [each for each in range(len(values)) if each != index]
        try:
            says = curve.fit([settings[each] for each in others], values[others])
            errors.append(abs(says(settings[index]) / value - 1.0))
        except InputError:
            return math.inf
    return statistics.median(errors)
