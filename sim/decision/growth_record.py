"""The JSON record of ``growth --json``, a stable interface; unknown or infinite values are None."""

from __future__ import annotations

import math
from typing import Any

from sim.decision.growth import Breaking, Growth, Month
from sim.system.parameters import CONFIDENCE


def record(growth: Growth) -> dict[str, Any]:
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
    }


def _breaking(growth: Growth, breaking: Breaking) -> dict[str, Any]:
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


def _month(growth: Growth, month: Month) -> dict[str, Any]:
    return {
        "month": month.number,
        "date": growth.load.date(month.number),
        "load": month.load,
        "steady": month.prediction is not None,
        "limit": month.prediction.limit.record() if month.prediction else None,
        **(month.prediction.caveats.record() if month.prediction else {}),
        "answers": [
            {
                "goal": goal.text,
                "value": _number(each.value),
                "low": _number(each.low),
                "high": _number(each.high),
                "known": each.known,
                "with_parameters": each.opened,
                "by": each.by or None,
                "verdict": month.verdict(goal),
            }
            for goal, each in month.ends.items()
        ],
    }


def _number(value: float) -> float | None:
    return value if math.isfinite(value) else None
