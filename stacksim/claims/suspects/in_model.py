"""Trials of changed settings in the model of a claim, and the number that each predicts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from sim.engine.model.places import Buffer
from sim.engine.simulation.options import ANALYTIC, RunOptions
from sim.engine.statistics.answers import ANSWERS
from sim.prediction.over_time import LONGEST_S, PredictionOverTime, Span, predict_over_time
from sim.prediction.solvers import solved_case
from sim.system.case import Case
from sim.system.scenario import Answer
from sim.system.settings import Setting
from stacksim.claims.claim import Claim, Number
from stacksim.claims.claimed_case import ClaimedCase
from stacksim.claims.number import KINDS
from stacksim.claims.predicted import JOB_STEPS, UNANSWERED, CaseKey, changing
from stacksim.claims.reading import Reading, reading

PRECISION, STEPS = 0.05, 300_000
"""Limits of a trial, some hundredths of a second: explanations with a smaller error are equally good."""

HORIZON_S, LONGER = 4 * 3600.0, 4.0
"""Least time for which a case is looked at over time, and how much longer than the claimed duration."""

FEW = 16
"""Cases over time kept in memory."""

KEPT = 4096
"""Trials kept in memory, without their models: claims about one case try the same settings."""


@dataclass(frozen=True)
class Trial:
    """The outcome of a short run of a case.

    Attributes:
        units: units of all answers of the model by measure, including those without a value here.
        limits: pairs of place and the throughput that it allows, in the system's unit, the lowest first.
    """

    answers: Mapping[str, Answer]
    units: Mapping[str, str]
    limits: tuple[tuple[str, float], ...]


@dataclass(frozen=True)
class InModel:
    """The model's side of a claimed number: the case, and the number ``name`` to read off its answers.

    Attributes:
        over: the number of the other side, if the claim is of a ratio; else 1.
    """

    claim: Claim
    about: ClaimedCase
    name: str
    number: Number
    options: RunOptions
    over: float = 1.0

    @property
    def entries(self) -> Mapping[str, Setting]:
        """Settings of the system, by name."""
        return {each.name: each for each in self.about.case.system.settings}

    def of_role(self, *roles: str) -> list[Setting]:
        """The settings of the system that have one of ``roles``."""
        return self.about.case.system.settings.of_role(*roles)

    def value(self, setting: str) -> Any:
        """Value of ``setting`` in the claim."""
        return self.about.case.settings[setting]

    def words(self, setting: str, value: object) -> str:
        """A setting with a tried value as text, and its value in the claim."""
        entry = self.entries[setting]
        return f"{setting}={entry.show(value)} instead of {entry.show(self.value(setting))}"

    def trial(self, settings: Mapping[str, Any], *, roughly: bool = False) -> Trial | None:
        """Outcome of a short run with other ``settings``; None if there is no such case, or no answer."""
        case, watched = self._case(settings), self._watched()
        if case is None:
            return None
        computed = roughly and set(watched) <= {"throughput", "mean"}
        return _tried(CaseKey(case), replace(self.options, answers=watched), roughly=computed)

    def under(self, settings: Mapping[str, Any], *, as_said: bool = False, roughly: bool = False) -> float | None:
        """The number with other ``settings``; None if there is none, or if they equal the claimed ones.

        Args:
            as_said: convert bytes and requests by the claimed block size, not by the one tried.
            roughly: allow the analytic engine, which takes milliseconds, where it can solve the model.
        """
        case = self._case(settings)
        if case is None or case.settings == self.about.case.settings:
            return None
        trial, named = self.trial(settings, roughly=roughly), self.claim.subject.measure
        if trial is None or (named is not None and named not in trial.units):
            return None
        tried = replace(self.about, case=case, request=self.about.block)
        read = self.read(self.about if as_said else tried, trial.units)
        if read is None or not trial.answers[read.measure].estimate.value > 0.0:
            return None
        return read.of(trial.answers) / self.over

    def over_time(self) -> PredictionOverTime | None:
        """The claimed case from its start on, for longer than claimed; None if it ends, or nothing fills."""
        duration = self.claim.numbers.get("duration")
        seconds = max(HORIZON_S, LONGER * duration.value if duration else 0.0)
        return _over_time(CaseKey(self.about.case), min(seconds, LONGEST_S), self.options)

    def read(self, about: ClaimedCase | None = None, units: Mapping[str, str] | None = None) -> Reading | None:
        """The reading of the number, in the claimed case or in another."""
        number = replace(self.number, unit=KINDS[self.name].unit)  # a ratio has none of its own
        return reading(self.name, number, self.claim, about or self.about, units)

    def _case(self, settings: Mapping[str, Any]) -> Case | None:
        try:
            return Case.of(self.about.case.system, {**self.about.said, **settings})
        except UNANSWERED:
            return None

    def _watched(self) -> tuple[str, ...]:
        """Answers that a trial runs for; of latency all, as one statistic may have been taken for another."""
        if self.name == "latency":
            return ANSWERS
        read = self.read()
        return tuple(name for name in ANSWERS if name in ("throughput", "mean", read.measure if read else ""))


@lru_cache(maxsize=FEW)
def _over_time(key: CaseKey, seconds: float, options: RunOptions) -> PredictionOverTime | None:
    model = key.case.scenario.model
    if model.finite or not any(isinstance(place, Buffer) for place in model.places):
        return None
    allowed = replace(options, max_steps=min(JOB_STEPS, options.max_steps), engine="auto")
    try:
        return predict_over_time(key.case, Span(seconds), allowed, intervals=False)
    except UNANSWERED:
        return None


@lru_cache(maxsize=KEPT)
def _tried(key: CaseKey, options: RunOptions, *, roughly: bool) -> Trial | None:
    """The outcome of a case; of a job, which is slow to simulate, by the analytic engine if possible."""
    short = replace(options, precision=max(PRECISION, options.precision))
    try:
        computed = _trial(key.case, replace(short, engine=ANALYTIC))
        if computed and (roughly or key.case.scenario.model.finite):
            return computed
        steps = JOB_STEPS if key.case.scenario.model.finite else STEPS
        return _trial(key.case, replace(short, max_steps=min(steps, options.max_steps)))
    except UNANSWERED:
        return None
    finally:
        key.case.forget()


def _trial(case: Case, options: RunOptions) -> Trial | None:
    try:
        scenario, result = solved_case(case, options)
    except UNANSWERED:
        return None
    if changing(result):
        return None  # the run saw a burst, not a steady state
    limits = tuple((each.place, each.throughput * scenario.amount) for each in result.limits)
    return Trial(scenario.answers(result), scenario.units, limits)
