"""Joint draws of parameters of two systems: shared causes move both, so that their effect cancels."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from sim.prediction.uncertainty import mirrored_points
from sim.system.parameters import Parameters

Values = dict[str, float]
"""Values of the parameters that a draw moves, by name."""

Cause = tuple[Literal["fit", "range"], str]
"""Cause moved by a draw: a fitted parameter, or one that moves others within their ranges."""

Kind = Literal["both", "a", "b"]
"""Causes of a draw: those that both systems share, or those of one alone."""


@dataclass(frozen=True)
class Open:
    """Uncertainty of the ``parameters`` of one system.

    Attributes:
        fitted: names of fitted parameters, in the order in which they are drawn.
    """

    parameters: Parameters
    fitted: tuple[str, ...]

    @property
    def causes(self) -> tuple[Cause, ...]:
        """All causes that can be drawn."""
        ranged = dict.fromkeys(cause for entry in self.parameters.entries for cause in entry.causes)
        return (*(("fit", name) for name in self.fitted), *(("range", name) for name in ranged))

    def values(self, steps: Mapping[Cause, float]) -> Values:
        """Values of the parameters moved by ``steps``, in standard deviations by cause; others are left out."""
        return {**self._of_fit(steps), **self._of_ranges(steps)}

    def _of_fit(self, steps: Mapping[Cause, float]) -> Values:
        moves = np.array([steps.get(("fit", name), 0.0) for name in self.fitted])
        if not moves.any():
            return {}
        entries = {entry.name: entry for entry in self.parameters.free()}
        logs = (np.linalg.cholesky(_covariance(self.parameters, self.fitted)) @ moves).tolist()
        moved = zip(self.fitted, logs, strict=True)
        return {name: entries[name].bounded(entries[name].value * math.exp(log)) for name, log in moved}

    def _of_ranges(self, steps: Mapping[Cause, float]) -> Values:
        moves = {name: steps.get((kind, name), 0.0) for kind, name in self.causes if kind == "range"}
        ranged = [entry for entry in self.parameters.entries if any(moves[cause] for cause in entry.causes)]
        return {entry.name: entry.moved(moves) for entry in ranged}


@dataclass(frozen=True)
class JointDraw:
    """One draw: values of the parameters of A and of B that it moves."""

    kind: Kind
    a: Values
    b: Values


@dataclass(frozen=True)
class JointDraws:
    """Uncertain parameters of two systems, and the causes that they share."""

    a: Open
    b: Open
    shared: frozenset[Cause]

    @classmethod
    def of(cls, a: Parameters, b: Parameters) -> JointDraws:
        """Shared are the parameters of one fit, and the causes of ranges that both state alike."""
        fitted = _of_one_fit(a, b)
        ranges = {("range", cause) for entry in a.entries if entry in b.entries for cause in entry.causes}
        shared: set[Cause] = {*(("fit", name) for name in fitted), *ranges}  # type: ignore[arg-type]
        return cls(Open(a, _beginning_with(fitted, a)), Open(b, _beginning_with(fitted, b)), frozenset(shared))

    def causes(self, kind: Kind) -> tuple[Cause, ...]:
        """Causes that both share, or those of one alone, by ``kind``."""
        side = self.b if kind == "b" else self.a
        return tuple(cause for cause in side.causes if (cause in self.shared) == (kind == "both"))

    def __iter__(self) -> Iterator[JointDraw]:
        """Draws of the shared causes, then of those of each side; identical at every call.

        Kinds are drawn separately, so that a few draws cannot correlate them by chance: their variances add up.
        """
        for kind in get_args(Kind):
            causes = self.causes(kind)
            for point in mirrored_points(len(causes)) if causes else ():
                steps = dict(zip(causes, point.tolist(), strict=True))
                of_a = {} if kind == "b" else self.a.values(steps)
                yield JointDraw(kind, of_a, {} if kind == "a" else self.b.values(steps))


def _of_one_fit(a: Parameters, b: Parameters) -> tuple[str, ...]:
    """Names of the parameters of a fit that both share; empty if there are two fits."""
    if not (a.covariance and b.covariance):
        return ()
    names = tuple(entry.name for entry in a.free() if entry in b.free())
    same = np.array_equal(_covariance(a, names), _covariance(b, names))
    return names if same else ()


def _beginning_with(names: tuple[str, ...], parameters: Parameters) -> tuple[str, ...]:
    """All fitted ``parameters``, ``names`` first, so that equal steps move these equally in any system."""
    free = [entry.name for entry in parameters.free()] if parameters.covariance else []
    return (*names, *(name for name in free if name not in names))


def _covariance(parameters: Parameters, names: tuple[str, ...]) -> NDArray[np.float64]:
    free = [entry.name for entry in parameters.free()]
    rows = [free.index(name) for name in names]
    matrix: NDArray[np.float64] = np.array(parameters.covariance)[np.ix_(rows, rows)]
    return matrix
