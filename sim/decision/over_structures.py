"""How far two answers differ, over all structures of their system."""

from __future__ import annotations

from dataclasses import replace

from sim.decision.difference import MORE_IS_BETTER, Band, Difference
from sim.prediction.mixture import Mixture, Side
from sim.prediction.prediction import Prediction
from sim.system.parameters import CONFIDENCE


def over_structures(difference: Difference, a: Prediction, b: Prediction) -> Difference:
    """The same ``difference``, as open as the structures leave it; nothing changes where they agree.

    Each structure has a ratio of its own, about which as much is open as about that of the systems compared.
    """
    sides = {each.system: each for each in (*a.structures, *b.structures)}
    times, name = difference.ratio.value, difference.name
    if a.system != b.system or not sides or not times > 0.0:
        return difference
    of_a, of_b = ({each.system: each.ratios.get(name, 1.0) for each in side.structures} for side in (a, b))
    low, high = difference.band.ratio if difference.band else (times, times)
    shifts = [(each.weight, of_b.get(system, 1.0) / of_a.get(system, 1.0)) for system, each in sides.items()]
    mixture = Mixture(tuple((weight, Side.of(times, low, high).scaled(shift)) for weight, shift in shifts))
    low, high = mixture.ends(CONFIDENCE)
    known = difference.band.known if difference.band else difference.difference.known
    ends = (difference.a.value * (low - 1.0), difference.a.value * (high - 1.0))
    less = mixture.share_below(1.0)
    better = (less if MORE_IS_BETTER[name] else 1.0 - less) if name in MORE_IS_BETTER else None
    return replace(difference, likely_better=better, band=Band(ends, (low, high), known), structures=True)
