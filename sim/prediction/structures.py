"""Several structures: what else a system may be, how likely each is, and one band over all of them.

Weights are those of pseudo-BMA+ (Yao, Vehtari, Simpson and Gelman, "Using stacking to average Bayesian predictive
distributions", Bayesian Analysis 13 (2018), section 3.4). Each structure was fitted to the same figures, and each
figure was predicted by a fit that had not seen it; its log score is that of a normal distribution as wide as all
these misses. Figures are drawn anew (Bayesian bootstrap), as others might have been measured, and structures are
weighted by the scores of each draw: so a lead that rests on a few figures counts for little. Draws are twice as
wide as independent figures would have them: where no structure is wholly true, sums of such scores are off by up
to twice what they seem (Sivula, Magnusson, Matamoros and Vehtari, arXiv:2008.10296, 2020).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sim.errors import ModelError, StacksimError
from sim.prediction.bands import bands_of, in_order
from sim.prediction.extrapolation import measured_ends
from sim.prediction.misses import predicted as predicted_misses
from sim.prediction.mixture import Mixture, Side
from sim.prediction.solvers import solved_case
from sim.prediction.uncertainty import PredictionInterval, Under, computed_under, prediction_intervals
from sim.result import Result
from sim.simulation.options import ANALYTIC, RunOptions
from sim.statistics.answers import QUANTILES
from sim.system.case import Case
from sim.system.installed import find
from sim.system.parameters import CONFIDENCE
from sim.system.scenario import Answer, Scenario
from sim.system.system import System
from sim.system.what_if import with_set
from sim.units.text import number_text

AGREE = 0.02
"""Deviation of the logarithm of what structures expect, each as likely as it is, below which nothing is said."""

NOISE = 0.01
"""Deviation of the logarithm below which nobody misses a figure but by luck: a second run differs by as much."""

DRAWS = 1000
"""Of the Bayesian bootstrap."""

WIDER = 2.0
"""Times the deviation that a sum of scores seems to have."""

DECIDES = 0.8
"""Of what the most telling measurement would tell, a smaller one has to tell to be preferred."""


@dataclass(frozen=True)
class Structure:
    """One structure of a system, and what it says of a ``case``.

    Attributes:
        weight: how likely it is by the figures that all were fitted to; all of them add up to 1.
        own: each answer of the system that was asked, solved as this one is, by measure.
        ratios: each answer of this one over that.
    """

    case: Case
    weight: float
    own: Mapping[str, float] = field(hash=False)
    ratios: Mapping[str, float] = field(hash=False)

    @property
    def system(self) -> str:
        """Its name."""
        return self.case.system.name

    @property
    def says(self) -> str:
        """What it takes to be true."""
        return self.case.system.structure

    @cached_property
    def sides(self) -> Mapping[str, Side]:
        """What is open about each answer if it is true, over that of the system that was asked."""
        scenario, result, under = _solved(self.case)
        opened = prediction_intervals(self.case, result, under=under)
        answers = scenario.answers(result)
        self.case.forget()
        return {
            name: Side.of(self.ratios[name], band.low / self.own[name], band.high / self.own[name])
            for name, band in bands_of(self.case, answers, opened).items()
            if name in self.ratios
        }

    def record(self, value: float) -> dict[str, Any]:
        """The JSON record, where the system that was asked has a throughput of ``value``."""
        throughput = value * self.ratios["throughput"]
        return {"system": self.system, "says": self.says, "weight": self.weight, "throughput": throughput}


Settings = frozenset[tuple[str, Any]]
"""A value for each setting, as a key."""


def structures_of(case: Case) -> tuple[Structure, ...]:
    """The structures of the system of ``case``, its own first; none where it has but one, or they agree."""
    return _structures(case.system, frozenset(case.settings.items())) if case.system.rivals else ()


@lru_cache(maxsize=1024)
def _structures(system: System, settings: Settings) -> tuple[Structure, ...]:
    sides = [Case(each, dict(settings)) for each in systems_of(system)]
    answers = [_answers(side) for side in sides]
    likely, known = weights([each.system for each in sides]), [each for each in answers if each]
    if len(known) < len(sides) or _agree(likely, [each["throughput"] for each in known]):
        return ()
    own = known[0]
    return tuple(
        Structure(side, weight, own, {name: each / own[name] for name, each in found.items() if own.get(name)})
        for side, weight, found in zip(sides, likely, known, strict=True)
    )


def bands_over_structures(
    case: Case, answers: Mapping[str, Answer], opened: Mapping[str, PredictionInterval]
) -> dict[str, PredictionInterval]:
    """The bands of the ``answers`` to ``case``, by measure, over all structures; otherwise as ``bands_of``."""
    structures = structures_of(case) if opened else ()
    bands = bands_of(case, answers, opened)
    over = {name: _over(structures, name, answers[name].estimate.value, band) for name, band in bands.items()}
    return in_order(over, answers) if structures else bands


def _over(
    structures: Sequence[Structure], name: str, value: float, band: PredictionInterval
) -> PredictionInterval:
    """The band of one answer; a percentile moves with the mean from structure to structure, as far as is known."""
    own = Side.of(value, band.low, band.high) if value > 0.0 else None
    rivals = [
        (each.weight, own.scaled(each.ratios["mean"]) if name in QUANTILES else each.sides[name].scaled(value))
        for each in structures[1:]
        if own and ("mean" if name in QUANTILES else name) in each.sides
    ]
    if not own or not rivals:
        return band
    mixture = Mixture(((structures[0].weight, own), *rivals))
    low, high = mixture.ends(CONFIDENCE)
    spread = replace(band, low=low, high=high, structures=mixture.spread, mixture=mixture)
    return spread.within(band.least, band.most, value)


def weights(systems: Sequence[System]) -> list[float]:
    """How likely each structure is, by what fits that had not seen a figure predicted of it; they add up to 1."""
    return _weights(tuple(systems))


@lru_cache
def _weights(systems: tuple[System, ...]) -> list[float]:
    """The same, once for all points of a sweep."""
    return weights_of([_misses(system) for system in systems])


def weights_of(misses: Sequence[NDArray[np.float64]]) -> list[float]:
    """The same by the logarithms of predicted over measured, those of each structure of shape (figures,)."""
    count = len(misses[0])
    if not count or any(len(each) != count for each in misses):
        return [1.0 / len(misses)] * len(misses)
    scores = np.array([_scores(each) for each in misses])
    shares = np.random.Generator(np.random.PCG64(0)).dirichlet(np.full(count, WIDER**-2.0), DRAWS)
    totals = count * shares @ scores.T
    likelihoods = np.exp(totals - totals.max(axis=1, keepdims=True))
    likely: list[float] = (likelihoods / likelihoods.sum(axis=1, keepdims=True)).mean(axis=0).tolist()
    return likely


def _misses(system: System) -> NDArray[np.float64]:
    """Logarithms of predictions over what was measured, in the order of the figures.

    Each figure was held out of a fit; where no fit was cross-validated, none of the parameters was made from it.
    """
    missed = system.parameters.missed or predicted_misses(system)
    return np.array([miss for name in sorted(missed) for miss in missed[name]], dtype=float)


def _scores(misses: NDArray[np.float64]) -> NDArray[np.float64]:
    """The log score of each held-out prediction."""
    variance = max(NOISE**2, float(np.mean(misses**2)))
    scores: NDArray[np.float64] = -0.5 * (math.log(variance) + misses**2 / variance)
    return scores


def systems_of(system: System) -> list[System]:
    """``system`` in each structure that has the parameters set by the user, as installed but for these."""
    values = {each.name: each.value for each in system.parameters.set()}
    every = (find(system.name), *map(find, system.rivals)) if system.rivals else ()
    return [with_set(each, values) for each in every if values.keys() <= set(each.parameters.names())] or [system]


def _solved(case: Case) -> tuple[Scenario, Result, Under | None]:
    """By the analytic engine, whose error is much the same for all structures; simulated where it refuses them."""
    try:
        return (*solved_case(case, RunOptions(engine=ANALYTIC)), computed_under)
    except ModelError:
        return (*solved_case(case, RunOptions(precision=AGREE / 2)), None)


def _answers(case: Case) -> dict[str, float] | None:
    """Each answer to ``case``; None where it has none."""
    try:
        scenario, result, _ = _solved(case)
    except StacksimError:
        return None
    answers = scenario.answers(result)
    case.forget()
    values = {name: each.estimate.value for name, each in answers.items() if not each.why}
    return {name: value for name, value in values.items() if math.isfinite(value)}


def _agree(likely: Sequence[float], values: Sequence[float]) -> bool:
    points = (Side(math.log(value), 0.0, 0.0) for value in values)
    return Mixture(tuple(zip(likely, points, strict=True))).spread < AGREE


def structure_words(structures: Sequence[Structure], value: float, unit: str) -> Iterator[str]:
    """What each expects, and why, where the system that was asked has a throughput of ``value``."""
    for each in structures:
        expects = number_text(value * each.ratios["throughput"])
        yield f"{expects} {unit} if {each.says} ({each.system}, weight {each.weight:.1%})"


def expected(structures: Sequence[Structure], value: float) -> Iterator[str]:
    """What each expects, in a few words."""
    for each in structures:
        yield f"{number_text(value * each.ratios['throughput'])} ({each.system}, {each.weight:.1%})"


@dataclass(frozen=True)
class Deciding:
    """A measurement that would tell the structures apart.

    Attributes:
        settings: those that differ from what was asked, as people write them.
        expected: the throughput by each structure.
    """

    settings: Mapping[str, str]
    expected: tuple[float, ...]

    def words(self, unit: str) -> str:
        """The measurement, and what each structure expects of it."""
        told = " ".join(f"{name}={text}" for name, text in self.settings.items()) or "what is asked here"
        *others, last = map(number_text, self.expected)
        return f"measure {told}, all else as here: {', '.join(others)} or {last} {unit} is expected, in this order"

    def record(self) -> dict[str, Any]:
        """The JSON record."""
        return {"settings": dict(self.settings), "expected": list(self.expected)}


def deciding(case: Case) -> Deciding | None:
    """The smallest measurement of much the same load that would tell the structures of ``case`` apart.

    Looked at are the ends of each number's range that was measured, and what was asked. What a measurement tells
    is how much less is open about which structure is true, in bits, if it misses the true one as models miss.
    """
    return _deciding(case.system, frozenset(case.settings.items())) if structures_of(case) else None


@lru_cache(maxsize=256)
def _deciding(system: System, settings: Settings) -> Deciding | None:
    structures = _structures(system, settings)
    likely, miss = [each.weight for each in structures], max(0.05, system.parameters.scatter)
    found: list[tuple[float, float, Deciding]] = []
    for changed in _nearby(system, dict(settings)):
        answers = [_answers(Case(each, {**dict(settings), **changed})) for each in systems_of(system)]
        if None in answers:
            continue
        expected = tuple(each["throughput"] for each in answers if each)
        told = {each.name: each.show(changed[each.name]) for each in system.settings if each.name in changed}
        size = math.prod(float(value) for value in changed.values())
        found.append((_bits(likely, [math.log(each) for each in expected], miss), size, Deciding(told, expected)))
    most = max((bits for bits, _, _ in found), default=0.0)
    enough = [(size, -bits, each) for bits, size, each in found if bits >= DECIDES * most > 0.0]
    return min(enough, key=lambda each: each[:2])[2] if enough else None


def _nearby(system: System, settings: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Settings between which the structures were fitted, and what was asked, in all combinations."""
    ranges = {name: sorted({*measured_ends(system, name), settings[name]}) for name in system.told_by}
    for values in product(*ranges.values()):
        yield dict(zip(ranges, values, strict=True))


def _bits(likely: Sequence[float], expected: Sequence[float], miss: float) -> float:
    """What a measurement is expected to tell of which structure is true, in bits: a sum over its outcomes."""
    at = np.linspace(min(expected) - 5.0 * miss, max(expected) + 5.0 * miss, 400)
    densities = np.array([np.exp(-0.5 * ((at - each) / miss) ** 2) for each in expected])
    densities /= densities.sum(axis=1, keepdims=True)
    mixture = np.array(likely) @ densities
    ratios = np.log2(np.maximum(densities, 1e-300) / np.maximum(mixture, 1e-300))
    return float(np.array(likely) @ (densities * ratios).sum(axis=1))
