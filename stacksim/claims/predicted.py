"""Predictions with the precision that a verdict needs, shared by all claims about the same case."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache

from sim.engine.errors import DeadlockError, InputError, NoSteadyStateError, TooLongError
from sim.engine.model.distributions import NANOSECONDS_PER_SECOND
from sim.engine.result import Result
from sim.engine.simulation.fixed_length import RunLength, run_for
from sim.engine.simulation.options import ANALYTIC, RunOptions
from sim.engine.simulation.over_time import over_time
from sim.engine.statistics.answers import ANSWERS
from sim.prediction.misses import misses_at
from sim.prediction.prediction import Prediction, predict_case
from sim.prediction.structures import bands_over_structures
from sim.prediction.uncertainty import (
    PredictionInterval,
    answers_under,
    comparable,
    computed_under,
    draws_of,
    prediction_intervals,
)
from sim.system.case import Case
from sim.system.parameters import CONFIDENCE
from stacksim.claims.likelihood import Likely

PRECISION = 0.03
"""Precision of throughput: claims are off by more, or parameters leave more open."""

STEPS, JOB_STEPS = 5_000_000, 20_000_000
"""Largest steps of a run: about a second, and of a job, which must reach its end, about two."""

SETTLING_STEPS = 1_000_000
"""Largest steps of each run behind a prediction interval."""

UNKNOWN = "not known well enough"
"""Beginning of the warning that something still changed at the end of a run, not only that it was short."""

UNANSWERED = (InputError, NoSteadyStateError, DeadlockError, TooLongError)
"""Errors of a case without an answer."""

KEPT = 64
"""Predictions kept in memory: each holds its model."""


def loosely(options: RunOptions, measure: str, *, finite: bool) -> RunOptions:
    """A copy of ``options`` for a run only as long as a verdict on ``measure`` needs."""
    return replace(
        options,
        precision=max(PRECISION, options.precision),
        answers=tuple(name for name in ANSWERS if name in ("throughput", "mean", measure)),
        max_steps=min(JOB_STEPS if finite else STEPS, options.max_steps),
    )


@dataclass(frozen=True, eq=False)
class CaseKey:
    """Hashable key of a case; systems of stack files are equal only to themselves."""

    case: Case

    def __eq__(self, other: object) -> bool:
        same = isinstance(other, CaseKey) and self.case.system is other.case.system
        return same and isinstance(other, CaseKey) and self.case.settings == other.case.settings

    def __hash__(self) -> int:
        return hash((id(self.case.system), frozenset(self.case.settings.items())))


@dataclass(frozen=True, eq=False)
class _Answered:
    """A prediction, and its prediction intervals, computed on demand."""

    prediction: Prediction
    options: RunOptions

    @cached_property
    def bands(self) -> Mapping[str, PredictionInterval]:
        """Prediction intervals by answer, as ``predict`` prints them."""
        return bands_over_structures(self.prediction.case, self.prediction.answers, self._opened)

    @property
    def _opened(self) -> Mapping[str, PredictionInterval]:
        """Intervals by the uncertainty of parameters, by answer."""
        case, result, answers = self.prediction.case, self.prediction.result, self.prediction.answers
        drawn = any(draws_of(case.system.parameters))
        analytic = self.options.engine == ANALYTIC
        computed = (
            drawn and (analytic or case.scenario.model.finite) and computed_under(case, {}, result) is not None
        )
        if not drawn or (dear(self.prediction) and not computed):
            return {name: _point(each.estimate.value) for name, each in answers.items() if not each.why}
        if changing(self.prediction.result) or not (computed or comparable(self.options)):
            return {}
        return prediction_intervals(case, result, under=computed_under if computed else _briefly)


def _point(value: float) -> PredictionInterval:
    return PredictionInterval(value, value, CONFIDENCE, parameters=0.0, scatter=0.0)


def predicted(case: Case, options: RunOptions, measure: str) -> Prediction:
    """The prediction of ``case`` to the precision of a verdict on ``measure``, without prediction intervals.

    Raises:
        StacksimError: there is none, such as without a steady state or model.
    """
    return _answered(case, options, measure).prediction


def likely(case: Case, options: RunOptions, measure: str) -> Likely | str:
    """Distribution of measurements of ``measure``, by its estimate and the interval that ``predict`` prints.

    Uncertainty of parameters is left out if sixteen more runs would take too long. Returns text instead if the
    distribution is not known: times do not vary, answers still change, or no engine computes them all.

    Raises:
        StacksimError: there is no prediction.
    """
    answered = _answered(case, options, measure)
    answer, band = answered.prediction.answers[measure], answered.bands.get(measure)
    if answer.why:
        return f"the model's {measure} is {answer.why}"
    if band is None:
        return "the model has no answer for some of the values that its parameters may have"
    return Likely.of(answer.estimate, band, tuple(map(abs, misses_at(case, measure))))


def _answered(case: Case, options: RunOptions, measure: str) -> _Answered:
    outcome = _outcome(CaseKey(case), loosely(options, measure, finite=case.scenario.model.finite))
    if isinstance(outcome, _Answered) and changing(outcome.prediction.result):
        outcome = _outcome(CaseKey(case), loosely(options, measure, finite=True))
    if isinstance(outcome, _Answered):
        return outcome
    raise outcome


def dear(prediction: Prediction) -> bool:
    """True if the run took so many steps that sixteen more are too many for a verdict."""
    return prediction.result.steps > STEPS


def changing(result: Result) -> bool:
    """True if something still changed at the end of the run, such as a cache that fills."""
    return any(warning.startswith(UNKNOWN) for warning in result.warnings)


@lru_cache(maxsize=KEPT)
def _outcome(key: CaseKey, options: RunOptions) -> _Answered | Exception:
    """A prediction, or the error why there is none, which is cached as well."""
    try:
        return _Answered(predict_case(key.case, options), options)
    except UNANSWERED as error:
        return error.with_traceback(None)


def _briefly(case: Case, values: Mapping[str, float], result: Result) -> dict[str, float] | None:
    """Answers of a run that is given up early if something takes long to fill."""
    return answers_under(case, values, result, SETTLING_STEPS)


def at_first(prediction: Prediction, measure: str, seconds: float) -> float | None:
    """The answer ``measure`` in the first ``seconds`` of the load; None if that takes too many steps."""
    result, scenario = prediction.result, prediction.case.scenario
    steps = result.steps * seconds / (result.warmup_s + result.measured_s)
    if steps <= JOB_STEPS:
        length = RunLength(0, max(1, round(seconds * NANOSECONDS_PER_SECOND)))
        seen = run_for(scenario.model, scenario.watch, length, result.seed)
        return scenario.answers(seen)[measure].estimate.value
    if measure != "throughput":
        return None
    skipping = over_time(scenario.model, seconds, watch=scenario.watch, seed=result.seed, max_steps=JOB_STEPS)
    whole = skipping.seconds >= seconds - skipping.resolution_s
    return skipping.mean * scenario.amount if whole else None
