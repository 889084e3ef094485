"""The JSON record of ``growth --json``, a stable interface; unknown or infinite values are None."""

from __future__ import annotations

from typing import Any, Literal

from typing_extensions import TypedDict

from sim.decision.goals import Goal
from sim.decision.growth import Breaking, Growth, Month, Status, Verdict
from sim.prediction.prediction_record import CaveatsRecord, EndsRecord, LimitRecord, finite, limit_record
from sim.system.parameters import CONFIDENCE


class GrowingRecord(TypedDict):
    """The load that grows ``by`` a share each month; ``rounded`` if it is a count."""

    setting: str
    today: float
    by: float
    rounded: bool


class BreakingRecord(TypedDict):
    """A goal, and the month in which it breaks; months are numbers from 0, dates are such as 2026-12."""

    goal: str
    measure: str
    limit: float
    unit: str
    status: Status
    month: int | None
    date: str | None
    load: float | None
    earliest: str | None
    latest: str | None
    confidence: float
    kept_again: str | None


class AnswerRecord(EndsRecord):
    """The answer of a goal in a month."""

    goal: str
    known: bool
    with_parameters: bool
    by: str | None
    verdict: Verdict


class MonthRecord(TypedDict):
    """A month and its load."""

    month: int
    date: str
    load: float


class SteadyRecord(MonthRecord, CaveatsRecord):
    """A month whose load is served."""

    steady: Literal[True]
    limit: LimitRecord
    answers: list[AnswerRecord]


class OverloadedRecord(MonthRecord):
    """A month in which there is no steady state."""

    steady: Literal[False]
    limit: None
    answers: list[AnswerRecord]


GrowthRecord = TypedDict(
    "GrowthRecord",
    {
        "system": str,
        "settings": dict[str, Any],
        "parameters": dict[str, float],
        "load": GrowingRecord,
        "from": str,  # no name in Python
        "months": int,
        "goals": list[BreakingRecord],
        "table": list[SteadyRecord | OverloadedRecord],
        "end": str | None,
        "warnings": list[str],
        "seconds": float | None,
    },
)


def record(growth: Growth) -> GrowthRecord:
    """The record of ``growth``."""
    load, case = growth.load, growth.case
    return {
        "system": case.system.name,
        "settings": case.plain,
        "parameters": {each.name: each.value for each in case.system.parameters.set()},
        "load": {"setting": load.setting.name, "today": load.today, "by": load.by, "rounded": load.counted},
        "from": load.date(0),
        "months": load.months,
        "goals": [_breaking(growth, each) for each in growth.breakings],
        "table": [_month(growth, each) for each in growth.months],
        "end": growth.end or None,
        "warnings": growth.warnings,
        "seconds": growth.over.seconds if growth.over else None,
    }


def _breaking(growth: Growth, breaking: Breaking) -> BreakingRecord:
    goal = breaking.goal
    return {
        "goal": goal.text,
        "measure": goal.measure,
        "limit": goal.limit,
        "unit": goal.unit,
        "status": breaking.status,
        "month": breaking.month,
        "date": _date(growth, breaking.month),
        "load": None if breaking.month is None else growth.months[breaking.month].load,
        "earliest": _date(growth, breaking.earliest),
        "latest": _date(growth, breaking.latest),
        "confidence": CONFIDENCE,
        "kept_again": _date(growth, breaking.again),
    }


def _date(growth: Growth, month: int | None) -> str | None:
    return None if month is None else growth.load.date(month)


def _month(growth: Growth, month: Month) -> SteadyRecord | OverloadedRecord:
    prediction, answers = month.prediction, [_answer(month, goal) for goal in month.ends]
    at: MonthRecord = {"month": month.number, "date": growth.load.date(month.number), "load": month.load}
    if prediction is None:
        return {**at, "steady": False, "limit": None, "answers": answers}
    limit, caveats = limit_record(prediction.limit), prediction.caveats.record()
    return {**at, "steady": True, "limit": limit, **caveats, "answers": answers}


def _answer(month: Month, goal: Goal) -> AnswerRecord:
    ends = month.ends[goal]
    return {
        "goal": goal.text,
        "value": finite(ends.value),
        "low": finite(ends.low),
        "high": finite(ends.high),
        "known": ends.known,
        "with_parameters": ends.opened,
        "by": ends.by or None,
        "verdict": month.verdict(goal),
    }
