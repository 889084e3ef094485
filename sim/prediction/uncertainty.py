"""Prediction intervals: uncertainty of parameters, by a fit or their ranges, propagated to the answers."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from sim.engine.errors import DeadlockError, InputError, NoSteadyStateError, TooLongError
from sim.engine.result import Result
from sim.engine.simulation.fixed_length import MOST_STEPS, RunLength, run_for
from sim.engine.simulation.options import ANALYTIC, Progress, RunOptions
from sim.engine.statistics.estimates import Estimate
from sim.prediction.mixture import Mixture
from sim.prediction.parallel import side_by_side
from sim.prediction.solvers import solved_case
from sim.system.case import Case
from sim.system.parameters import CONFIDENCE, DEVIATIONS, Parameters

EXPECTED = "expected if measured"
"""Label of a prediction interval in all output."""

OF_RUN, OF_STATES = 0.8, 0.9
"""Shares of the progress of a prediction with intervals at which its run, and the search for states, end."""

DRAWS = 16
"""Points drawn from a fit, or from ranges: eight and their mirror images."""

LENGTH = 0.5
"""Length of a draw's run, as a share of the predicted run: enough with common random numbers."""

TIMES = 2
"""Runs of a job for each draw, half of the fewest for an interval."""

LONGER = 4
"""Factor on the steps of the predicted run after which a draw that has neither ended nor settled is given up."""

MOST_SETTLING_STEPS = 5 * MOST_STEPS
"""Steps after which a draw of an endless load that has not settled is given up."""


@dataclass(frozen=True)
class PredictionInterval:
    """Range of a measurement at ``confidence``, by published figures and sources.

    ``prediction_intervals`` returns the part by parameters; with ``missed`` added, it is a band.

    Attributes:
        parameters: standard deviation of the logarithm by the uncertainty of fitted parameters.
        scatter: standard deviation of the logarithm by which published figures miss the fit.
        known: True if the simulated value in the middle is known, and every draw could be simulated.
        ranges: standard deviation of the logarithm by the ranges of assumed and derived parameters.
        missed: half the band of the next measurement's miss, a logarithm, in normal standard deviations.
        structures: standard deviation of the logarithms of the structures' answers.
        mixture: distribution over the structures, if they differ.
        least, most: bounds of any measurement.
    """

    low: float
    high: float
    confidence: float
    parameters: float
    scatter: float
    known: bool = True
    ranges: float = 0.0
    missed: float = 0.0
    structures: float = 0.0
    mixture: Mixture | None = None
    least: float = 0.0
    most: float = math.inf

    def scaled(self, factor: float) -> PredictionInterval:
        """A copy in another unit, with all values times ``factor``."""
        mixture = self.mixture.scaled(factor) if self.mixture else None
        ends = {name: getattr(self, name) * factor for name in ("low", "high", "least", "most")}
        return replace(self, **ends, mixture=mixture)

    def within(self, least: float, most: float, value: float) -> PredictionInterval:
        """A copy cut to the bounds ``least`` and ``most`` of any measurement; ``value`` always stays inside."""
        least, most = max(self.least, min(least, value)), min(self.most, max(most, value))
        return replace(self, low=max(self.low, least), high=min(self.high, most), least=least, most=most)


def comparable(options: RunOptions) -> bool:
    """True if the engine runs models for a fixed length, and fast enough: not the analytic one, nor SimPy."""
    return options.engine not in ("reference", ANALYTIC)


Under = Callable[[Case, Mapping[str, float], Result], "dict[str, float] | None"]
"""Function that returns answers to a case under other parameter values, given the result under its own."""

Drawn = Callable[[Mapping[str, float]], "dict[str, float] | None"]
"""Function that returns answers under other parameter values; None if there are none."""


def prediction_intervals(
    case: Case, result: Result, progress: Progress | None = None, under: Under | None = None
) -> dict[str, PredictionInterval]:
    """Interval of each answer to ``case`` in ``result``, by measure; empty if the system has no parameters.

    If all of these are certain, as when a user has set them, nothing is drawn and an interval is a point: the
    misses of the model make a band of it.

    Args:
        under: computes the answers under other values; by default ``answers_under``, a simulation of each.
    """
    answers_to = case.scenario.answers(result)  # built once, before threads ask for it
    estimates = {name: answer.estimate for name, answer in answers_to.items() if not answer.why}
    parameters = case.system.parameters
    return intervals_around(
        estimates, parameters, lambda values: (under or answers_under)(case, values, result), progress
    )


def intervals_around(
    estimates: Mapping[str, Estimate], parameters: Parameters, under: Drawn, progress: Progress | None = None
) -> dict[str, PredictionInterval]:
    """Interval of each of ``estimates`` by draws of ``parameters``; ``under`` computes its value for a draw."""
    if not parameters.entries:
        return {}
    fits, ranges = draws_of(parameters)
    points = ({}, *fits, *ranges) if fits or ranges else ()
    answers = side_by_side([partial(_drawn, under, values) for values in points], progress)
    centre = (answers[0] if answers else None) or {}
    of_fit, of_ranges = answers[1 : 1 + len(fits)], answers[1 + len(fits) :]
    return {
        name: _Spread(
            _moved(name, centre, of_fit, len(parameters.free())),
            _moved(name, centre, of_ranges, len(_causes(parameters))),
            parameters.scatter if fits else 0.0,
            known=None not in answers,
        ).around(estimate)
        for name, estimate in estimates.items()
    }


def _drawn(under: Drawn, values: Mapping[str, float], _look: Progress) -> dict[str, float] | None:
    return under(values)


def draws_of(parameters: Parameters) -> tuple[list[dict[str, float]], list[dict[str, float]]]:
    """Values of parameters to run a model with: draws from the fit, and draws from ranges."""
    return list(_fitted_draws(parameters)), list(_likely_draws(parameters))


@dataclass(frozen=True)
class _Moved:
    """``logs`` of an answer under other parameters relative to its value: draws and their mirror images.

    Attributes:
        furthest: distance of the furthest draw for an answer in proportion to one of the parameters, in standard
            deviations.
    """

    logs: Sequence[float]
    furthest: float

    @property
    def deviation(self) -> float:
        """Root mean square; 0 without draws."""
        return math.sqrt(sum(log * log for log in self.logs) / max(1, len(self.logs)))

    def reach(self, sign: int) -> float:
        """Distance of the 90 % end below (``sign`` -1) or above (1) the value, as a logarithm.

        Half of the draws lie on a side, whatever they change: those that only the noise of a run puts there
        must not hide a few that lie far out. If tails are longer than normal ones, as when a limit
        is reached under a few draws alone, the furthest one decides.
        """
        side = [abs(log) for log in self.logs if sign * log > 0.0]
        deviation = math.sqrt(2.0 * sum(log * log for log in side) / max(1, len(self.logs)))
        return DEVIATIONS * max(deviation, max(side, default=0.0) / self.furthest)


@dataclass(frozen=True)
class _Spread:
    """Uncertainty of an answer by parameters; ``known`` unless some of the draws could not be simulated.

    Attributes:
        scatter: standard deviation of the logarithm by which published figures miss the fit.
    """

    fitted: _Moved
    ranges: _Moved
    scatter: float
    known: bool

    def around(self, estimate: Estimate) -> PredictionInterval:
        """The interval around ``estimate``."""
        below, above = (
            math.hypot(DEVIATIONS * self.scatter, self.fitted.reach(sign), self.ranges.reach(sign))
            for sign in (-1, 1)
        )
        return PredictionInterval(
            estimate.value * math.exp(-below),
            estimate.value * math.exp(above),
            CONFIDENCE,
            self.fitted.deviation,
            self.scatter,
            estimate.known and self.known,
            self.ranges.deviation,
        )


def _moved(
    name: str, centre: Mapping[str, float], drawn: Sequence[Mapping[str, float] | None], dimensions: int
) -> _Moved:
    """Logarithms of the answer ``name`` in all ``drawn`` relative to ``centre``; empty if that is not known."""
    middle = centre.get(name, 0.0)
    values = [draw[name] for draw in drawn if draw]
    logs = [math.log(value / middle) for value in values if value > 0.0 and middle > 0.0]
    return _Moved(logs, furthest(max(1, dimensions)))


def answers_under(
    case: Case, values: Mapping[str, float], result: Result, settling: int = MOST_SETTLING_STEPS
) -> dict[str, float] | None:
    """Answers under other ``values`` of parameters, from a run half as long as that of ``result``.

    None if there is no such model, or no answer, or an endless load has not settled after ``settling`` steps.
    """
    length = RunLength.of_difference(result, LENGTH)
    max_steps = LONGER * result.steps if length is None else min(LONGER * result.steps, settling)
    try:
        scenario = case.changed(values)
        under = run_for(
            scenario.model,
            scenario.watch,
            length,
            result.seed,
            TIMES,
            max_steps=max_steps,
            settle=True,
            intervals=False,
        )
    except (InputError, NoSteadyStateError, DeadlockError, TooLongError):
        return None
    return {name: answer.estimate.value for name, answer in scenario.model_answers(under).items()}


def computed_under(case: Case, values: Mapping[str, float], result: Result) -> dict[str, float] | None:
    """Answers as of ``answers_under``, but by the analytic engine, which is far cheaper.

    Only the effect of parameters on answers counts, so that the engine's error mostly cancels.
    """
    system = replace(case.system, parameters=case.system.parameters.changed(values))
    try:
        scenario, solved = solved_case(Case(system, case.settings), RunOptions(engine=ANALYTIC, seed=result.seed))
    except (InputError, NoSteadyStateError, DeadlockError, TooLongError):
        return None
    return {name: answer.estimate.value for name, answer in scenario.answers(solved).items()}


def _fitted_draws(parameters: Parameters) -> Iterator[dict[str, float]]:
    """Draws of the fitted parameters, within their bounds; identical at every call. Empty without a fit."""
    if not parameters.covariance:
        return
    free = parameters.free()
    if parameters.draws:
        yield from (dict(zip([each.name for each in free], draw, strict=True)) for draw in parameters.draws)
        return
    root = np.linalg.cholesky(np.array(parameters.covariance))
    for draw in mirrored_points(len(free)):
        steps = zip(free, (root @ draw).tolist(), strict=True)
        yield {entry.name: entry.bounded(entry.value * math.exp(step)) for entry, step in steps}


def _likely_draws(parameters: Parameters) -> Iterator[dict[str, float]]:
    """Draws of the parameters that have a range, nine of ten within it; identical at every call."""
    ranged, causes = [entry for entry in parameters.entries if entry.likely], _causes(parameters)
    for draw in mirrored_points(len(causes)) if causes else ():
        steps = dict(zip(causes, draw.tolist(), strict=True))
        yield {entry.name: entry.moved(steps) for entry in ranged}


def _causes(parameters: Parameters) -> list[str]:
    """Causes that move the parameters with a range, each once."""
    return list(dict.fromkeys(cause for entry in parameters.entries for cause in entry.causes))


def mirrored_points(dimensions: int) -> Iterator[NDArray[np.float64]]:
    """Standard normal points of shape (dimensions,): half of all, then their mirror images.

    Each coordinate is scaled to a variance of exactly one: so few points have another by chance, and the effect of
    a single parameter would be misjudged.
    """
    standard = np.random.Generator(np.random.PCG64(0)).standard_normal((DRAWS // 2, dimensions))
    standard /= np.sqrt(np.mean(standard * standard, axis=0))
    yield from standard
    yield from -standard


def furthest(dimensions: int) -> float:
    """Largest distance of the mirrored points along a coordinate, in the mean over coordinates."""
    return float(np.mean(np.max([np.abs(point) for point in mirrored_points(dimensions)], axis=0)))
