"""Distance between two settings of a system, one setting at a time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sim.data.shape import Shape
from sim.engine.statistics.estimates import Series
from sim.system.settings import Values


@dataclass(frozen=True)
class Distances:
    """Distances of 0 to 1 within the data that ``spans`` was taken from.

    Numbers differ by their logarithms, as a share of the widest difference in the data; categories by 1 or not at
    all (Gower, "A general coefficient of similarity and some of its properties", Biometrics 27 (1971), 857-871).
    A setting that never varied in the data says nothing: its span is infinite and its distance 0.
    """

    shape: Shape
    spans: Series

    @classmethod
    def within(cls, shape: Shape, settings: Sequence[Values]) -> Distances:
        """Distances on the scale of the given ``settings``."""
        widest = np.abs(_differences(shape, settings, settings)).max(axis=(1, 2))
        return cls(shape, np.where(widest > 0.0, widest, np.inf))

    def squares(self, left: Sequence[Values], right: Sequence[Values]) -> Series:
        """Squared distances, shape (settings, left, right)."""
        scaled: Series = (_differences(self.shape, left, right) / self.spans[:, None, None]) ** 2
        return scaled


def _differences(shape: Shape, left: Sequence[Values], right: Sequence[Values]) -> Series:
    numbers = [np.subtract.outer(shape.log(name, left), shape.log(name, right)) for name in shape.numbers]
    others = [[shape.kind(values) for values in settings] for settings in (left, right)]
    kinds = [
        [[ours[at] != theirs[at] for theirs in others[1]] for ours in others[0]] for at in range(len(shape.kinds))
    ]
    return np.array([*numbers, *kinds], dtype=np.float64)
