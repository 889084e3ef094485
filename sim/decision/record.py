"""The JSON record of ``find --json`` and its table rows: a stable interface."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from sim.decision.examination import Examination, Kept, LostPart
from sim.decision.find import Finding
from sim.decision.search import Option
from sim.prediction.prediction import band_record


def record(finding: Finding) -> dict[str, Any]:
    """The record of ``finding``; unknown values are None."""
    first = finding.examinations[0] if finding.examinations else None
    option, trials = finding.option, finding.search.trials
    design = dict(option.candidate.design) if option else None
    loads = [_load(each) for each in finding.examinations]
    return {
        "status": finding.status,
        "design": design if finding.found else None,
        "goals": [_goal(each, goal) for each in finding.examinations for goal in each.goals],
        "knee": first.knee.record() if first and first.knee else None,
        "bottleneck": loads[0]["bottleneck"] if loads else None,
        "next_bottleneck": loads[0]["next_bottleneck"] if loads else None,
        "failures": [_failure(each, lost) for each in finding.examinations for lost in each.lost],
        "cost": option.cost.record() if option and option.cost else None,
        "front": [_option(each, finding) for each in finding.search.front],
        "rejected": [
            {"design": dict(each.option.candidate.design), "status": each.status, "reason": each.reason}
            for each in finding.rejected
        ],
        "system": trials.system.name,
        "settings": first.prediction.case.plain if first else None,
        "nearest": None if finding.found else design,
        "headroom": headroom(finding),
        "cliffs": [dict(vars(each)) for each in finding.cliffs],
        "told": [dict(vars(each)) for each in finding.told],
        "loads": loads,
        "unpriced": list(finding.unpriced),
        "structures": [{**vars(each), "design": each.design and dict(each.design)} for each in finding.structures],
        "largest": finding.search.space.largest,
        "candidates": len(finding.search.options),
        "simulated": sum(each.final for each in finding.search.options),
        "engine": first.prediction.result.engine if first else None,
        "seed": trials.options.seed,
        "warnings": list(dict.fromkeys(text for each in finding.examinations for text in each.warnings)),
    }


def headroom(finding: Finding) -> float | None:
    """Smallest headroom under any load, in per cent of that load; None if no goal breaks."""
    headrooms = [each.headroom for each in finding.examinations if each.headroom is not None]
    return min(headrooms, default=None)


def _goal(examination: Examination, kept: Kept) -> dict[str, Any]:
    room = kept.headroom
    return {
        "goal": kept.goal.text,
        "value": number(kept.estimate.value),
        "low": number(kept.estimate.low),
        "high": number(kept.estimate.high),
        "unit": kept.goal.unit,
        "probability": number(kept.probability),
        "headroom": room.percent if room else None,
        "band": band_record(kept.band, kept.goal.unit) if kept.band else None,
        "by": kept.by or None,
        "kept": kept.goal.keeps(kept.estimate.value),
        "known": kept.estimate.known,
        "load": examination.asked.load.name,
        "edge": {"load": room.load, "unit": examination.load.unit, "engine": room.engine}
        if room and room.load is not None and examination.load
        else None,
    }


def _load(examination: Examination) -> dict[str, Any]:
    prediction, amount = examination.prediction, examination.load
    return {
        "name": examination.asked.load.name,
        "hours": examination.asked.load.hours,
        "amount": {"value": amount.value, "unit": amount.unit} if amount else None,
        "headroom": examination.headroom,
        "knee": examination.knee.record() if examination.knee else None,
        "bottleneck": prediction.limit.family or None,
        "next_bottleneck": prediction.behind[0].place if prediction.behind else None,
        "limit": prediction.limit.record(),
        "group": prediction.result.watched,
        "beside": list(examination.beside),
        **prediction.caveats.record(),
    }


def _failure(examination: Examination, lost: LostPart) -> dict[str, Any]:
    return {
        "part": lost.part,
        "goal": lost.goal.text,
        "value": number(lost.value),
        "kept": lost.kept,
        "unit": lost.goal.unit,
        "load": examination.asked.load.name,
        "reason": lost.why,
    }


def _option(option: Option, finding: Finding) -> dict[str, Any]:
    estimate = option.trial.estimates[0][0]
    return {
        "design": dict(option.candidate.design),
        "cost": option.cost.record() if option.cost else None,
        "value": number(estimate.value),
        "low": number(estimate.low),
        "high": number(estimate.high),
        "unit": finding.search.trials.asked[0].goals[0].unit,
        "engine": option.trial.engine,
    }


def rows(finding: Finding) -> Iterator[dict[str, Any]]:
    """Table rows, one for each design on the front: settings, cost, and the answer of the first goal."""
    settings = {axis.setting.name: axis.setting for axis in finding.search.space.axes}
    for option in finding.search.front:
        estimate = option.trial.estimates[0][0]
        shown = [settings[name].show(value) for name, value in option.candidate.design.items()]
        cost = option.cost
        prices = (cost.purchase, cost.month, cost.total) if cost else ()
        answer = (estimate.value, estimate.low, estimate.high, option.trial.engine)
        yield dict(zip(columns(finding), (*shown, *prices, *answer), strict=True))


def columns(finding: Finding) -> list[str]:
    """Column headings of ``rows``."""
    goal, space = finding.search.trials.asked[0].goals[0], finding.search.space
    prices = ["purchase", "month", "cost"] if finding.search.options[0].cost else []
    settings = [axis.setting.name for axis in space.axes]
    return [*settings, *prices, f"{goal.measure} ({goal.unit})", "low", "high", "engine"]


def number(value: float) -> float | None:
    """``value``; None if it is not finite."""
    return value if math.isfinite(value) else None
