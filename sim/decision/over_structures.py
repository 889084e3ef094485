"""Difference of two answers, over all structures of their system."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from sim.decision.difference import MORE_IS_BETTER, Band, Difference, Paired
from sim.decision.joint_draws import JointDraw, JointDraws
from sim.decision.spread import Drawn, spread
from sim.engine.statistics.answers import QUANTILES
from sim.prediction.mixture import Mixture, Side
from sim.prediction.prediction import Prediction
from sim.prediction.structures import Structure, systems_of
from sim.prediction.uncertainty import computed_under
from sim.system.case import Case
from sim.system.parameters import CONFIDENCE


@dataclass(frozen=True)
class Both:
    """One structure of the system of two cases.

    Attributes:
        weight: probability of the structure; all add up to 1.
        shifts: B / A of each answer relative to the system asked for, by measure.
        drawings: answers of both under draws of its parameters, by the analytic engine; the first moves
            nothing. Empty for the system asked for, which is simulated, and if all parameters are certain.
    """

    weight: float
    shifts: Mapping[str, float]
    drawings: Sequence[Drawn] = ()

    def side(self, paired: Paired, own: Side) -> Side:
        """Distribution of B / A under this structure; ``own`` is that of the system asked for.

        Percentiles are taken to move with the mean from structure to structure.
        """
        shift = self.shifts.get("mean" if paired.name in QUANTILES else paired.name, 1.0)
        if not self.drawings or paired.name not in self.shifts:
            return own.scaled(shift)
        under = paired.difference(spread(paired.name, self.drawings[0], self.drawings[1:]))
        return _side(under).scaled(shift)


def structures_of_both(a: Prediction, b: Prediction) -> tuple[Both, ...]:
    """Structures of the system of ``a`` and ``b``, its own first; empty if it has one, or they agree."""
    sides = {each.system: each for each in (*a.structures, *b.structures)}
    if a.system != b.system:
        return ()
    of_a, of_b = ({each.system: each for each in side.structures} for side in (a, b))
    cases = [
        {each.name: Case(each, side.case.settings) for each in systems_of(side.case.system)} if sides else {}
        for side in (a, b)
    ]
    return tuple(
        Both(
            each.weight,
            _shifts(of_a.get(name), of_b.get(name)),
            _drawings(a, b, cases[0][name], cases[1][name]) if name != a.system else (),
        )
        for name, each in sides.items()
    )


def _shifts(a: Structure | None, b: Structure | None) -> dict[str, float]:
    """B / A of a structure relative to the system asked for; None is a side on which structures agree."""
    of_a, of_b = (each.ratios if each else {} for each in (a, b))
    return {name: of_b.get(name, 1.0) / of_a.get(name, 1.0) for name in {*of_a, *of_b}}


def _drawings(a: Prediction, b: Prediction, of_a: Case, of_b: Case) -> list[Drawn]:
    draws = list(JointDraws.of(of_a.system.parameters, of_b.system.parameters))
    return [
        Drawn(each, computed_under(of_a, each.a, a.result), computed_under(of_b, each.b, b.result))
        for each in (*([JointDraw("both", {}, {})] if draws else []), *draws)
    ]


def over_structures(difference: Difference, paired: Paired, structures: Sequence[Both]) -> Difference:
    """A copy of ``difference`` with the band over ``structures``, each with its own ratio and width."""
    times, name = difference.ratio.value, difference.name
    if not structures or not times > 0.0:
        return difference
    own = _side(difference)
    mixture = Mixture(tuple((each.weight, each.side(paired, own)) for each in structures))
    low, high = mixture.ends(CONFIDENCE)
    known = difference.band.known if difference.band else difference.difference.known
    ends = (difference.a.value * (low - 1.0), difference.a.value * (high - 1.0))
    less = mixture.share_below(1.0)
    better = (less if MORE_IS_BETTER[name] else 1.0 - less) if name in MORE_IS_BETTER else None
    return replace(difference, likely_better=better, band=Band(ends, (low, high), known), structures=True)


def _side(difference: Difference) -> Side:
    """Distribution of B / A in one structure."""
    times = difference.ratio.value
    return Side.of(times, *(difference.band.ratio if difference.band else (times, times)))
