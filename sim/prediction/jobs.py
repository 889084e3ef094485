"""The jobs that a fit to somebody's own measurements was compared with, as curves read them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np

from sim.data.shape import Shape
from sim.prediction.extrapolation import extrapolated
from sim.statistics.estimates import Series
from sim.system.case import Case
from sim.system.parameters import Compared
from sim.system.settings import Choice, Count, Values, complete
from sim.system.system import System


@dataclass(frozen=True)
class Jobs:
    """What was measured of one answer of a system; a key for what is made of it."""

    compared: tuple[Compared, ...]
    system: System = field(compare=False)

    @classmethod
    def near(cls, case: Case, measure: str, unit: str, *, modelled: bool) -> Jobs:
        """Those of the system of ``case``; none if ``case`` lies beyond what was measured.

        Args:
            modelled: those that the model predicts, or those of which it says nothing.
        """
        known = tuple(
            each
            for each in case.system.parameters.compared
            if (each.measure, each.unit, each.predicted is not None) == (measure, unit, modelled)
        )
        beyond = known and any(True for _ in extrapolated(case))
        return cls(() if beyond else known, case.system)

    def around(self, case: Case) -> bool:
        """Whether jobs of the same words as ``case`` lie around it: each number, and what is in flight."""
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
        """Complete settings of each."""
        return [complete(self.system.settings, dict(each.conditions)) for each in self.compared]

    @property
    def measured(self) -> Series:
        """Shape (jobs,)."""
        return np.array([each.measured for each in self.compared])

    @property
    def predicted(self) -> Series:
        """What the fit predicts of each, shape (jobs,)."""
        return np.array([each.predicted for each in self.compared])

    @property
    def held_out(self) -> Series:
        """What a fit that had not seen it predicts of each, shape (jobs,); nan where none did."""
        return np.array([math.nan if each.held_out is None else each.held_out for each in self.compared])


def _extent(shape: Shape, settings: Sequence[Values]) -> Series:
    """Logarithms of all numbers, and of the members of each level, shape (numbers and levels, settings)."""
    return np.array([*(shape.log(name, settings) for name in shape.numbers), *shape.log_counts(settings)])


def shape_of(system: System) -> Shape:
    """The parts that settings of ``system`` play: bytes, what is in flight, and words."""
    counts = tuple(_names(system, Count, but=("block",)))
    return Shape("block", tuple(dict.fromkeys((counts, counts[:1], ()))), tuple(_names(system, Choice)))


def _names(system: System, kind: type, but: tuple[str, ...] = ()) -> Iterable[str]:
    return (each.name for each in system.settings if isinstance(each, kind) and each.name not in but)
