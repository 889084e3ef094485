"""Changes tried in the model of a claim: other settings, and the number that one would then see."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from sim.decision.claims.claim import Claim, Number
from sim.decision.claims.claimed_case import ClaimedCase
from sim.decision.claims.number import KINDS
from sim.decision.claims.predicted import JOB_STEPS, UNANSWERED, CaseKey, changing
from sim.decision.claims.reading import Reading, reading
from sim.prediction.solvers import solved_case
from sim.result import Burst
from sim.simulation.options import ANALYTIC, RunOptions
from sim.statistics.answers import ANSWERS
from sim.system.case import Case
from sim.system.scenario import Answer
from sim.system.settings import Setting

PRECISION, STEPS = 0.05, 300_000
"""Of a trial: some hundredths of a second; what misses by less is no worse an explanation."""

KEPT = 4096
"""Trials that are kept, without their models: claims about one case try the same settings."""


@dataclass(frozen=True)
class Trial:
    """What a short run of a case says.

    Attributes:
        units: of the answers, by measure, of those of the model that has none here as well.
        limits: what each place allows, by its name, in the system's unit, the lowest first.
        bursts: in the system's unit.
    """

    answers: Mapping[str, Answer]
    units: Mapping[str, str]
    limits: tuple[tuple[str, float], ...]
    bursts: tuple[Burst, ...]


@dataclass(frozen=True)
class InModel:
    """The case of a claim, and how its number ``name`` is read off.

    Attributes:
        over: the same number of the other side, if the claim is of a ratio; else 1.
    """

    claim: Claim
    about: ClaimedCase
    name: str
    number: Number
    options: RunOptions
    over: float = 1.0

    @property
    def entries(self) -> Mapping[str, Setting]:
        """The settings of the system, by name."""
        return {each.name: each for each in self.about.case.system.settings}

    def of_role(self, *roles: str) -> list[Setting]:
        """The settings of the system that have one of ``roles``."""
        return self.about.case.system.settings.of_role(*roles)

    def value(self, setting: str) -> Any:
        """What ``setting`` is in the claim."""
        return self.about.case.settings[setting]

    def words(self, setting: str, value: object) -> str:
        """A setting and its value, as people write them; and what it is in the claim."""
        entry = self.entries[setting]
        return f"{setting}={entry.show(value)} instead of {entry.show(self.value(setting))}"

    def trial(self, settings: Mapping[str, Any], *, roughly: bool = False) -> Trial | None:
        """What a short run with other ``settings`` says; None where there is no such case, or no answer."""
        case, watched = self._case(settings), self._watched()
        if case is None:
            return None
        computed = roughly and set(watched) <= {"throughput", "mean"}
        return _tried(CaseKey(case), replace(self.options, answers=watched), roughly=computed)

    def under(self, settings: Mapping[str, Any], *, as_said: bool = False, roughly: bool = False) -> float | None:
        """The number with other ``settings``; None where there is none, or where they are what is claimed.

        Args:
            as_said: whether bytes and requests are converted by the block that is claimed, not by the one tried.
            roughly: whether it may be computed, which takes milliseconds, where the analytic engine knows how.
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

    def read(self, about: ClaimedCase | None = None, units: Mapping[str, str] | None = None) -> Reading | None:
        """How the number is read off, in the case that is claimed or in another."""
        number = replace(self.number, unit=KINDS[self.name].unit)  # a ratio has none of its own
        return reading(self.name, number, self.claim, about or self.about, units)

    def _case(self, settings: Mapping[str, Any]) -> Case | None:
        try:
            return Case.of(self.about.case.system, {**self.about.said, **settings})
        except UNANSWERED:
            return None

    def _watched(self) -> tuple[str, ...]:
        """Answers that a trial goes on for; of latency all of them, as one may have been taken for another."""
        if self.name == "latency":
            return ANSWERS
        read = self.read()
        return tuple(name for name in ANSWERS if name in ("throughput", "mean", read.measure if read else ""))


@lru_cache(maxsize=KEPT)
def _tried(key: CaseKey, options: RunOptions, *, roughly: bool) -> Trial | None:
    """What is known of a case; of a job, which is dear to run to its end, always roughly if it can be."""
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
        return None  # it is that of a burst: nothing that lasts
    limits = tuple((each.place, each.throughput * scenario.amount) for each in result.limits)
    bursts = tuple(replace(each, throughput=each.throughput.scaled(scenario.amount)) for each in result.bursts)
    return Trial(scenario.answers(result), scenario.units, limits, bursts)
