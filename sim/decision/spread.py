"""Spread of the difference of two cases by the uncertainty of their parameters."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from sim.decision.joint_draws import JointDraw
from sim.engine.simulation.options import Progress
from sim.prediction.prediction import Prediction
from sim.prediction.uncertainty import answers_under


@dataclass(frozen=True)
class Spread:
    """Standard deviations by parameters, below and above, of B - A and of the logarithm of B / A.

    Attributes:
        known: True if all draws could be simulated.
    """

    difference: tuple[float, float]
    log_ratio: tuple[float, float]
    known: bool


@dataclass(frozen=True)
class Drawn:
    """Answers of both cases under one draw; None if there is no model, or no answer."""

    draw: JointDraw
    a: Mapping[str, float] | None
    b: Mapping[str, float] | None


def drawn(a: Prediction, b: Prediction, draw: JointDraw, look: Progress) -> Drawn:
    """Simulate both cases under ``draw``, for half the time of ``a`` and ``b``, with common random numbers."""
    look(0.0)
    of_a = answers_under(a.case, draw.a, a.result)
    look(0.5)
    return Drawn(draw, of_a, answers_under(b.case, draw.b, b.result))


def spread(name: str, centre: Drawn, draws: Sequence[Drawn]) -> Spread:
    """Spread of the answer ``name`` over ``draws``, around its value in ``centre``."""
    moves: dict[str, list[tuple[float, float]]] = {}
    for each in draws:
        if each.a and each.b and centre.a and centre.b:
            moves.setdefault(each.draw.kind, []).append(_moved(name, centre, each))
    known = all(each.a is not None and each.b is not None for each in (centre, *draws))
    return Spread(_sides(moves.values(), 0), _sides(moves.values(), 1), known)


def _moved(name: str, centre: Drawn, draw: Drawn) -> tuple[float, float]:
    """Change of B - A and of the logarithm of B / A; 0 for the latter if an answer is not above zero."""
    pairs = [(each.a[name], each.b[name]) for each in (centre, draw) if each.a and each.b]
    gaps = [b - a for a, b in pairs]
    logs = [math.log(b / a) if a > 0.0 and b > 0.0 else 0.0 for a, b in pairs]
    return gaps[1] - gaps[0], logs[1] - logs[0]


def _sides(kinds: Iterable[Sequence[tuple[float, float]]], column: int) -> tuple[float, float]:
    """Root mean square of moves down, and of moves up; variances of separately drawn kinds add up."""
    below, above = 0.0, 0.0
    for moves in kinds:
        values = [move[column] for move in moves]
        below += _mean_square(value for value in values if value < 0.0)
        above += _mean_square(value for value in values if value > 0.0)
    return math.sqrt(below), math.sqrt(above)


def _mean_square(values: Iterable[float]) -> float:
    squares = [value * value for value in values]
    return sum(squares) / max(1, len(squares))
