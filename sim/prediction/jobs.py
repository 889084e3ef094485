"""Measured jobs that a fit was compared with, as input of curves."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np

from sim.data.shape import Shape
from sim.engine.statistics.estimates import Series
from sim.prediction.extrapolation import extrapolated
from sim.system.case import Case
from sim.system.parameters import Compared
from sim.system.settings import Choice, Count, Values, complete
from sim.system.system import System


@dataclass(frozen=True)
class Jobs:
    """Measurements of one answer of a system; hashable, as a key for results derived from them."""

    compared: tuple[Compared, ...]
    system: System = field(compare=False)

    @classmethod
    def near(cls, case: Case, measure: str, unit: str, *, modelled: bool) -> Jobs:
        """Jobs of the system of ``case``; empty if ``case`` lies beyond the measured settings.

        Args:
            modelled: take jobs that the model predicts; if False, those for which it has no answer.
        """
        jobs = tuple(
            each
            for each in case.system.parameters.compared
            if (each.measure, each.unit, each.predicted is not None) == (measure, unit, modelled)
        )
        beyond = jobs and any(True for _ in extrapolated(case))
        return cls(() if beyond else jobs, case.system)

    def around(self, case: Case) -> bool:
        """True if ``case`` lies within the jobs of its options, in each number and in the requests in flight."""
        shape, here = shape_of(self.system), case.conditions
        alike = [each for each in self.settings if shape.kind(each) == shape.kind(here)]
        return bool(alike) and all(
            low <= at <= high
            for at, low, high in zip(
                _extent(shape, [here])[:, 0],
                *(end(_extent(shape, alike), axis=1) for end in (np.min, np.max)),
                strict=True,
            )
        )

    @property
    def settings(self) -> list[Values]:
        """Complete settings of each job."""
        return [complete(self.system.settings, dict(each.conditions)) for each in self.compared]

    @property
    def measured(self) -> Series:
        """Measured values, shape (jobs,)."""
        return np.array([each.measured for each in self.compared])

    @property
    def predicted(self) -> Series:
        """Predictions of the fit, shape (jobs,)."""
        return np.array([each.predicted for each in self.compared])

    @property
    def held_out(self) -> Series:
        """Predictions of fits that had not seen the job, shape (jobs,); nan if there is none."""
        return np.array([math.nan if each.held_out is None else each.held_out for each in self.compared])


def _extent(shape: Shape, settings: Sequence[Values]) -> Series:
    """Logarithms of all numbers, and of the counts of each level, shape (numbers and levels, settings)."""
    return np.array([*(shape.log(name, settings) for name in shape.numbers), *shape.log_counts(settings)])


def shape_of(system: System) -> Shape:
    """Roles of the settings of ``system``: bytes, counts in flight, and options."""
    counts = tuple(_names(system, Count, but=("block",)))
    return Shape("block", tuple(dict.fromkeys((counts, counts[:1], ()))), tuple(_names(system, Choice)))


def _names(system: System, kind: type, but: tuple[str, ...] = ()) -> Iterable[str]:
    return (each.name for each in system.settings if isinstance(each, kind) and each.name not in but)
