"""The JSON record of ``find --json`` and its table rows: a stable interface."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from typing_extensions import TypedDict

from sim.decision.cliffs import Cliff
from sim.decision.costs import CostRecord
from sim.decision.examination import Examination, Kept, LostPart
from sim.decision.find import Finding, Under
from sim.decision.knee import Knee
from sim.decision.search import Found, Option
from sim.decision.told_range import ToldRange
from sim.prediction.prediction_record import (
    BandRecord,
    CaveatsRecord,
    EndsRecord,
    LimitRecord,
    band_record,
    fields_of,
    finite,
    limit_record,
)

Design = dict[str, Any]
"""A value of each setting that varies."""


class EdgeRecord(TypedDict):
    """The load at which a goal breaks, and the engine by which it was found."""

    load: float
    unit: str
    engine: str


class GoalRecord(EndsRecord):
    """A goal and its answer under a load; ``headroom`` in per cent of the load."""

    goal: str
    unit: str
    probability: float | None
    headroom: float | None
    band: BandRecord | None
    by: str | None
    kept: bool
    known: bool
    load: str
    edge: EdgeRecord | None


class AmountRecord(TypedDict):
    """The amount of a load."""

    value: float
    unit: str


class LoadRecord(CaveatsRecord):
    """The design under a load: the smallest headroom of its goals, its knee and limits."""

    name: str
    hours: str
    amount: AmountRecord | None
    headroom: float | None
    knee: Knee | None
    bottleneck: str | None
    next_bottleneck: str | None
    limit: LimitRecord
    group: str
    beside: list[str]


class FailureRecord(TypedDict):
    """A goal while a part is lost; ``kept`` and ``probability`` are None if they are not known."""

    part: str
    goal: str
    value: float | None
    kept: bool | None
    probability: float | None
    unit: str
    load: str
    reason: str


class OptionRecord(EndsRecord):
    """A design on the front, its cost, and the answer of the first goal."""

    design: Design
    cost: CostRecord | None
    unit: str
    engine: str


class RejectedRecord(TypedDict):
    """A candidate that is not on the front, and why."""

    design: Design
    status: str
    reason: str


class FindRecord(TypedDict):
    """The design, its goals and headroom, and the candidates; ``nearest`` if there is no design."""

    status: Found
    design: Design | None
    goals: list[GoalRecord]
    knee: Knee | None
    bottleneck: str | None
    next_bottleneck: str | None
    failures: list[FailureRecord]
    cost: CostRecord | None
    front: list[OptionRecord]
    rejected: list[RejectedRecord]
    system: str
    settings: dict[str, Any] | None
    nearest: Design | None
    headroom: float | None
    cliffs: list[Cliff]
    told: list[ToldRange]
    loads: list[LoadRecord]
    unpriced: list[str]
    structures: list[Under]
    largest: str | None
    candidates: int
    simulated: int
    engine: str | None
    seed: int
    warnings: list[str]
    seconds: float | None


def record(finding: Finding) -> FindRecord:
    """The record of ``finding``; unknown values are None."""
    first = finding.examinations[0] if finding.examinations else None
    option, trials = finding.option, finding.search.trials
    design = dict(option.candidate.design) if option else None
    loads = [_load(each) for each in finding.examinations]
    return {
        "status": finding.status,
        "design": design if finding.found else None,
        "goals": [_goal(each, goal) for each in finding.examinations for goal in each.goals],
        "knee": fields_of(first.knee) if first and first.knee else None,
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
        "cliffs": [fields_of(each) for each in finding.cliffs],
        "told": [fields_of(each) for each in finding.told],
        "loads": loads,
        "unpriced": list(finding.unpriced),
        "structures": [fields_of(each) for each in finding.structures],
        "largest": finding.search.space.largest,
        "candidates": len(finding.search.options),
        "simulated": sum(each.final for each in finding.search.options),
        "engine": first.prediction.result.engine if first else None,
        "seed": trials.options.seed,
        "warnings": list(dict.fromkeys(text for each in finding.examinations for text in each.warnings)),
        "seconds": trials.asked[0].over.seconds if trials.asked[0].over else None,
    }


def headroom(finding: Finding) -> float | None:
    """Smallest headroom under any load, in per cent of that load; None if no goal breaks."""
    headrooms = [each.headroom for each in finding.examinations if each.headroom is not None]
    return min(headrooms, default=None)


def _goal(examination: Examination, kept: Kept) -> GoalRecord:
    room = kept.headroom
    return {
        "goal": kept.goal.text,
        "value": finite(kept.estimate.value),
        "low": finite(kept.estimate.low),
        "high": finite(kept.estimate.high),
        "unit": kept.goal.unit,
        "probability": finite(kept.probability),
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


def _load(examination: Examination) -> LoadRecord:
    prediction, amount = examination.prediction, examination.load
    return {
        "name": examination.asked.load.name,
        "hours": examination.asked.load.hours,
        "amount": {"value": amount.value, "unit": amount.unit} if amount else None,
        "headroom": examination.headroom,
        "knee": fields_of(examination.knee) if examination.knee else None,
        "bottleneck": prediction.limit.family or None,
        "next_bottleneck": prediction.behind[0].place if prediction.behind else None,
        "limit": limit_record(prediction.limit),
        "group": prediction.result.watched,
        "beside": list(examination.beside),
        **prediction.caveats.record(),
    }


def _failure(examination: Examination, lost: LostPart) -> FailureRecord:
    return {
        "part": lost.part,
        "goal": lost.goal.text,
        "value": finite(lost.value),
        "kept": lost.kept,
        "probability": finite(lost.probability),
        "unit": lost.goal.unit,
        "load": examination.asked.load.name,
        "reason": lost.why,
    }


def _option(option: Option, finding: Finding) -> OptionRecord:
    estimate = option.trial.estimates[0][0]
    return {
        "design": dict(option.candidate.design),
        "cost": option.cost.record() if option.cost else None,
        "value": finite(estimate.value),
        "low": finite(estimate.low),
        "high": finite(estimate.high),
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
