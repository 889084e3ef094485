"""Structures of a system: alternatives that sources leave open, their weights, and one band over all of them.

Weights are those of pseudo-BMA+ (Yao, Vehtari, Simpson and Gelman, "Using stacking to average Bayesian predictive
distributions", Bayesian Analysis 13 (2018), section 3.4). Each structure was fitted to the same figures, and each
figure was predicted by a fit that had not seen it; its log score is that of a normal distribution as wide as all
these misses. Figures are resampled (Bayesian bootstrap), as others might have been measured, and structures are
weighted by the scores of each draw: so a lead that rests on a few figures counts for little. Draws are twice as
wide as independent figures would have them: if no structure is wholly true, sums of such scores are off by up
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

from sim.engine.errors import ModelError, StacksimError
from sim.engine.result import Result
from sim.engine.simulation.options import ANALYTIC, RunOptions
from sim.engine.statistics.answers import QUANTILES
from sim.engine.units.text import number_text
from sim.prediction.bands import bands_of, in_order
from sim.prediction.extrapolation import measured_ends
from sim.prediction.misses import predicted as predicted_misses
from sim.prediction.mixture import Mixture, Side
from sim.prediction.prediction_record import DecidingRecord, StructureRecord
from sim.prediction.solvers import solved_case
from sim.prediction.uncertainty import PredictionInterval, Under, computed_under, prediction_intervals
from sim.system.case import Case
from sim.system.installed import find
from sim.system.parameters import CONFIDENCE
from sim.system.scenario import Answer, Scenario
from sim.system.system import System
from sim.system.what_if import with_set

AGREE = 0.02
"""Standard deviation of the logarithms of structures' answers, weighted, below which they count as equal."""

NOISE = 0.01
"""Least standard deviation of the logarithm of misses: a second run of a measurement differs by as much."""

DRAWS = 1000
"""Draws of the Bayesian bootstrap."""

WIDER = 2.0
"""Factor on the apparent standard deviation of a sum of scores."""

DECIDES = 0.8
"""Share of the information of the most informative measurement that a smaller one needs to be preferred."""


@dataclass(frozen=True)
class Structure:
    """One structure of a system, and its answers to a ``case``.

    Attributes:
        weight: its probability by the figures that all were fitted to; all weights add up to 1.
        own: answers of the system asked for, solved in the same way, by measure.
        ratios: answers of this structure relative to ``own``.
    """

    case: Case
    weight: float
    own: Mapping[str, float] = field(hash=False)
    ratios: Mapping[str, float] = field(hash=False)

    @property
    def system(self) -> str:
        """Name of the system with this structure."""
        return self.case.system.name

    @property
    def says(self) -> str:
        """The assumption of this structure, as text."""
        return self.case.system.structure

    @cached_property
    def sides(self) -> Mapping[str, Side]:
        """Distribution of each answer under this structure, relative to the system asked for."""
        scenario, result, under = _solved(self.case)
        opened = prediction_intervals(self.case, result, under=under)
        answers = scenario.answers(result)
        self.case.forget()
        return {
            name: Side.of(self.ratios[name], band.low / self.own[name], band.high / self.own[name])
            for name, band in bands_of(self.case, answers, opened).items()
            if name in self.ratios
        }

    def record(self, value: float) -> StructureRecord:
        """The JSON record, if the system asked for has a throughput of ``value``."""
        throughput = value * self.ratios["throughput"]
        return {"system": self.system, "says": self.says, "weight": self.weight, "throughput": throughput}


Settings = frozenset[tuple[str, Any]]
"""A value for each setting, as a hashable key."""


def structures_of(case: Case) -> tuple[Structure, ...]:
    """The structures of the system of ``case``, its own first; empty if it has only one, or they agree."""
    return _structures(case.system, frozenset(case.settings.items())) if case.system.rivals else ()


@lru_cache(maxsize=1024)
def _structures(system: System, settings: Settings) -> tuple[Structure, ...]:
    sides = [Case(each, dict(settings)) for each in systems_of(system)]
    answers = [_answers(side) for side in sides]
    likely, answered = weights([each.system for each in sides]), [each for each in answers if each]
    if len(answered) < len(sides) or _agree(likely, [each["throughput"] for each in answered]):
        return ()
    own = answered[0]
    return tuple(
        Structure(side, weight, own, {name: each / own[name] for name, each in values.items() if own.get(name)})
        for side, weight, values in zip(sides, likely, answered, strict=True)
    )


def bands_over_structures(
    case: Case, answers: Mapping[str, Answer], opened: Mapping[str, PredictionInterval]
) -> dict[str, PredictionInterval]:
    """Bands of the ``answers`` to ``case``, by measure, over all structures; otherwise as ``bands_of``."""
    structures = structures_of(case) if opened else ()
    bands = bands_of(case, answers, opened)
    over = {name: _over(structures, name, answers[name].estimate.value, band) for name, band in bands.items()}
    return in_order(over, answers) if structures else bands


def _over(
    structures: Sequence[Structure], name: str, value: float, band: PredictionInterval
) -> PredictionInterval:
    """The band of one answer; percentiles are taken to move with the mean from structure to structure."""
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
    """Probability of each structure, by predictions of fits that had not seen a figure; they add up to 1."""
    return _weights(tuple(systems))


@lru_cache
def _weights(systems: tuple[System, ...]) -> list[float]:
    """Weights, cached for all points of a sweep."""
    return weights_of([_misses(system) for system in systems])


def weights_of(misses: Sequence[NDArray[np.float64]]) -> list[float]:
    """Weights by ``misses``, logarithms of predicted / measured, for each structure of shape (figures,)."""
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
    """Logarithms of predicted / measured, in the order of the figures.

    Each figure was held out of a fit; without cross-validation, no parameter was made from it.
    """
    missed = system.parameters.missed or predicted_misses(system)
    return np.array([miss for name in sorted(missed) for miss in missed[name]], dtype=float)


def _scores(misses: NDArray[np.float64]) -> NDArray[np.float64]:
    """The log score of each held-out prediction."""
    variance = max(NOISE**2, float(np.mean(misses**2)))
    scores: NDArray[np.float64] = -0.5 * (math.log(variance) + misses**2 / variance)
    return scores


def systems_of(system: System) -> list[System]:
    """Installed systems for all structures of ``system`` that have the user's parameters, with these set."""
    values = {each.name: each.value for each in system.parameters.set()}
    every = (find(system.name), *map(find, system.rivals)) if system.rivals else ()
    return [with_set(each, values) for each in every if values.keys() <= set(each.parameters.names())] or [system]


def _solved(case: Case) -> tuple[Scenario, Result, Under | None]:
    """Solution by the analytic engine, whose error is similar for all structures, or else by simulation."""
    try:
        return (*solved_case(case, RunOptions(engine=ANALYTIC)), computed_under)
    except ModelError:
        return (*solved_case(case, RunOptions(precision=AGREE / 2)), None)


def _answers(case: Case) -> dict[str, float] | None:
    """Answers to ``case`` by measure; None if it has none."""
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
    """Text for each structure: its throughput and assumption, if the system asked for has ``value``."""
    for each in structures:
        expects = number_text(value * each.ratios["throughput"])
        yield f"{expects} {unit} if {each.says} ({each.system}, weight {each.weight:.1%})"


def expected(structures: Sequence[Structure], value: float) -> Iterator[str]:
    """Short text for each structure: its throughput and weight."""
    for each in structures:
        yield f"{number_text(value * each.ratios['throughput'])} ({each.system}, {each.weight:.1%})"


@dataclass(frozen=True)
class Deciding:
    """A measurement that would distinguish the structures.

    Attributes:
        settings: those that differ from the settings asked for, as text.
        expected: the throughput by each structure.
    """

    settings: Mapping[str, str]
    expected: tuple[float, ...]

    def words(self, unit: str) -> str:
        """The measurement, and the throughput expected by each structure, as text."""
        told = " ".join(f"{name}={text}" for name, text in self.settings.items()) or "what is asked here"
        *others, last = map(number_text, self.expected)
        return f"measure {told}, all else as here: {', '.join(others)} or {last} {unit} is expected, in this order"

    def record(self) -> DecidingRecord:
        """The JSON record."""
        return {"settings": dict(self.settings), "expected": list(self.expected)}


def deciding(case: Case) -> Deciding | None:
    """The smallest measurement of a similar load that would distinguish the structures of ``case``.

    Candidates are the ends of the measured range of each setting, and its present value. The information
    of a measurement, in bits, is about which structure is true, if it misses the true one as models miss.
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
        shown = {each.name: each.show(changed[each.name]) for each in system.settings if each.name in changed}
        size = math.prod(float(value) for value in changed.values())
        found.append((_bits(likely, [math.log(each) for each in expected], miss), size, Deciding(shown, expected)))
    most = max((bits for bits, _, _ in found), default=0.0)
    enough = [(size, -bits, each) for bits, size, each in found if bits >= DECIDES * most > 0.0]
    return min(enough, key=lambda each: each[:2])[2] if enough else None


def _nearby(system: System, settings: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """All combinations of the ends of measured ranges and the present settings."""
    ranges = {name: sorted({*measured_ends(system, name), settings[name]}) for name in system.told_by}
    for values in product(*ranges.values()):
        yield dict(zip(ranges, values, strict=True))


def _bits(likely: Sequence[float], expected: Sequence[float], miss: float) -> float:
    """Expected information of a measurement about which structure is true, in bits: a sum over its outcomes."""
    at = np.linspace(min(expected) - 5.0 * miss, max(expected) + 5.0 * miss, 400)
    densities = np.array([np.exp(-0.5 * ((at - each) / miss) ** 2) for each in expected])
    densities /= densities.sum(axis=1, keepdims=True)
    mixture = np.array(likely) @ densities
    ratios = np.log2(np.maximum(densities, 1e-300) / np.maximum(mixture, 1e-300))
    return float(np.array(likely) @ (densities * ratios).sum(axis=1))
