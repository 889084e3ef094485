"""The result of a search: the design, its margin to the goals, and the omissions."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from sim.decision.costs import Cost
from sim.decision.examination import Examination, Kept
from sim.decision.find import Finding, Under
from sim.decision.knee import Knee
from sim.decision.load_curve import MOST
from sim.decision.record import headroom
from sim.decision.told_range import ToldRange
from sim.engine.errors import printable
from sim.engine.units.text import duration_text, figure_text, number_text, range_text
from sim.output.pictures.front import front_figure
from sim.output.views.parts import Line, Part, Rows, about
from sim.output.views.prediction import assumed, caveats
from sim.output.views.view import PartsAndPicture
from sim.output.views.words import words
from sim.prediction.uncertainty import EXPECTED

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_REASONS = 3
"""Number of rejected candidates shown of each status; --json has all."""

WITHIN = 0.02
"""Relative uncertainty of a knee above which it is shown."""

SURE = 0.95
"""Probability of all goals from which the heading leaves it out."""

_KEPT = {True: "yes", False: "no", None: "–"}
"""Text for a goal that is kept, is not, or may be while a part is lost."""

OF_FIO = "without the time between two I/Os, which fio leaves out"
"""Note on percentiles of measured jobs."""

_STATUSES = ("missed", "unstable", "refused", "failed", "unknown", "not needed")


def parts(finding: Finding) -> Iterator[Part]:
    """The answer in a few lines."""
    option, name = finding.option, finding.search.trials.system.name
    design = printable(finding.search.space.shown(option.candidate.design)) if option else ""
    heading = {
        "found": "",
        "impossible": "no design keeps the goals",
        "unknown": "no design is known to keep the goals",
    }
    nearest = f"; nearest: {design}" if option else ""
    said = design if finding.found else f"{heading[finding.status]}{nearest}"
    yield Line("", f"{name}  {said}", _doubt(finding) if finding.found else "")
    yield from _structures(finding)
    for examination in finding.examinations:
        yield from _load(examination, _given(finding, examination))
    if len(finding.examinations) > 1 and not finding.told:
        yield about("headroom", f"{_percent(headroom(finding), kept=finding.found)} to the first broken goal")
    if option and option.cost:
        yield about("cost", _cost(option.cost))
    for number, each in enumerate(finding.told):
        yield about("" if number else "breaks", printable(_breaks(finding, each)))
    for cliff in finding.cliffs:
        beside = [f"{key}={text}" for key, text in _others(finding, cliff.setting)]
        where = printable(f"{cliff.setting}={cliff.value}{' beside ' * bool(beside)}{' '.join(beside)}")
        yield about("cliff", f"{where} breaks the goals again: {printable(cliff.reason)}")
    yield from _front(finding)
    yield from _rejected(finding)
    yield Line(_how(finding))
    if finding.examinations:
        yield assumed([each.prediction for each in finding.examinations])


def _breaks(finding: Finding, told: ToldRange) -> str:
    """Range of a setting in which a goal on measured jobs breaks, at 90 %."""
    setting = next(axis.setting for axis in finding.search.space.axes if axis.setting.name == told.setting)

    def shown(value: Any) -> str:
        return f"{setting.name}={setting.show(value)}"

    most = shown(told.most)
    under = f"{told.goal} under {told.load}" if told.load else told.goal
    if told.first is None:
        return f"{under} is kept up to {most}, at 90%; more was not measured"
    if told.last is None:
        return f"{under} is broken from {shown(told.first)} on, at 90%"
    if told.last == told.most:
        return f"{under} from {shown(told.first)} on, or not up to {most}, at 90%; more was not measured"
    if told.first == told.last:
        return f"{under} at {shown(told.first)} or its neighbours, at 90%"
    lower, higher = sorted((told.first, told.last))
    return f"{under} between {shown(lower)} and {shown(higher)}, at 90%"


def _doubt(finding: Finding) -> str:
    """Probability of the goals, unless it is high, and the likeliest other outcome with another structure."""
    likely = [goal.probability for each in finding.examinations for goal in each.goals]
    least = min((each for each in likely if not math.isnan(each)), default=None)
    at_most = " at most" * (len(likely) > 1)
    said = [f"kept with {least:.0%}{at_most}"] if least is not None and least < SURE else []
    weights: dict[str, float] = {}
    for each in finding.structures:
        outcome = _under(finding, each)
        weights[outcome] = weights.get(outcome, 0.0) + each.weight
    others = [*weights][1:]
    if others:
        likeliest = max(others, key=weights.__getitem__)
        said.append(f"{likeliest} with another structure ({weights[likeliest]:.0%})")
    return f"   {printable('; '.join(said))}" if said else ""


def _structures(finding: Finding) -> Iterator[Line]:
    """Yield the design under each structure of the system, if they differ."""
    designs = [_under(finding, each) for each in finding.structures]
    if len(set(designs)) < 2:  # noqa: PLR2004  (they agree)
        return
    for number, (each, design) in enumerate(zip(finding.structures, designs, strict=True)):
        text = f"{design} if {each.says} ({each.system}, weight {each.weight:.1%})"
        yield about("" if number else "structures", printable(text))


def _under(finding: Finding, structure: Under) -> str:
    """The design with ``structure``; "not sure" with the answer if two ways to compute it decide otherwise."""
    shown, unit = finding.search.space.shown, finding.search.trials.asked[0].goals[0].unit
    unsure = "" if structure.unsure is None else f": {figure_text(structure.unsure, unit)}"
    if structure.design is None:
        return f"not sure{unsure}" if structure.status == "unknown" else "no design"
    design = shown(structure.design) or "as given"
    if not unsure or not finding.option:
        return design
    examined = finding.option.candidate.design
    return (
        f"not sure{unsure}" if structure.design == examined else f"{design}, not sure of {shown(examined)}{unsure}"
    )


def warnings(finding: Finding) -> list[str]:
    """Warnings of things that are not found, not counted or not known."""
    unpriced = [f"{name} has no price, and counts nothing" for name in finding.unpriced]
    of_runs = [text for each in finding.examinations for text in each.warnings]
    return [*_at_the_end(finding), *unpriced, *dict.fromkeys(of_runs)]


def _at_the_end(finding: Finding) -> list[str]:
    """Note that the largest value lies at the edge of the searched range, if it does."""
    largest, design = finding.search.space.largest, finding.search.design
    if not largest or not design or design.candidate.ranks[0]:
        return []
    axis = finding.search.space.axes[0]
    return [f"{largest}={axis.setting.show(axis.values[0])} is the end of the range; more may keep the goals, too"]


def _load(examination: Examination, given: str) -> Iterator[Part]:
    load, prediction = examination.asked.load, examination.prediction
    if load.name:
        hours = f", {load.hours} h" if load.hours else ""
        yield Line("")
        yield Line("", f"under {printable(load.name)}{hours}")
    yield about("with", printable(given))
    if over := examination.asked.over:
        yield about("over time", f"goals are about {duration_text(over.seconds)} from the start on")
    yield from caveats(prediction)
    yield _goals(examination.goals, scaled=not examination.asked.over)
    for by in dict.fromkeys(each.by for each in examination.goals if each.by):
        measures = " and ".join(dict.fromkeys(each.goal.measure for each in examination.goals if each.by == by))
        yield about("from jobs", printable(f"{measures} by {by}; {OF_FIO}"))
    if amount := examination.load:
        yield about("load", f"{number_text(amount.value)} {amount.unit}{_knee(examination)}")
    if examination.beside:
        others, watched = " and ".join(map(printable, examination.beside)), printable(prediction.result.watched)
        yield about("beside it", f"{others}, which stays as it is: load, knee and limits are those of {watched}")
    yield about("limit", prediction.limit.words(prediction.amount, prediction.unit))
    for bound in prediction.behind[:1]:
        yield about("next", f"{bound.place} at {number_text(bound.throughput)} {prediction.unit}")
    yield from _lost(examination)


def _goals(goals: Sequence[Kept], *, scaled: bool) -> Rows:
    """Table of goals, answers, and prediction intervals if any is known."""
    confidence = min(each.estimate.confidence for each in goals)
    bands = [each.band for each in goals if each.band][:1]
    of_runs = "interval" if all(each.by for each in goals) else f"{confidence:.0%} interval"
    headings = ("goal", "answer", of_runs, *(EXPECTED for _ in bands), "kept", "headroom")
    rows = [(each.goal.text, *_cells(each, banded=bool(bands), scaled=scaled)) for each in goals]
    return Rows(headings, rows, right=1)


def _others(finding: Finding, name: str) -> Iterator[tuple[str, str]]:
    """The settings of the design other than ``name``, and their values."""
    for axis in finding.search.space.axes:
        if finding.option and axis.setting.name != name:
            yield axis.setting.name, axis.setting.show(finding.option.candidate.design[axis.setting.name])


def _given(finding: Finding, examination: Examination) -> str:
    """Settings other than those of the design."""
    varied = {axis.setting.name for axis in finding.search.space.axes}
    shown_settings = examination.prediction.shown.items()
    return "  ".join(f"{name}={text}" for name, text in shown_settings if name not in varied)


def _cells(kept: Kept, *, banded: bool, scaled: bool) -> Iterator[str]:
    unit, estimate = kept.goal.unit, kept.estimate
    yield figure_text(estimate.value, unit)
    yield "–" if kept.by else _ends(estimate.low, estimate.high, unit)
    if banded:
        yield _ends(kept.band.low, kept.band.high, unit) if kept.band and kept.band.known else "–"
    yield "–" if kept.probability != kept.probability else f"{kept.probability:.1%}"
    yield _headroom(kept, scaled=scaled)


def _headroom(kept: Kept, *, scaled: bool) -> str:
    """Headroom to the goal; none for an answer from jobs, which tell of other loads only along a setting."""
    percent = kept.headroom.percent if kept.headroom else None
    return "–" if kept.by or not scaled else _percent(percent, kept=kept.goal.keeps(kept.estimate.value))


def _ends(low: float, high: float, unit: str) -> str:
    return range_text(low, high, unit if unit == "s" else "") if low == low else "–"  # noqa: PLR0124  (nan)


def _percent(room: float | None, *, kept: bool) -> str:
    """Headroom; without an edge, that it lies beyond the searched range."""
    if room is None:
        return f"> {100.0 * (MOST - 1.0):+.0f}%" if kept else "–"
    return f"{room:+.0f}%"


def _knee(examination: Examination) -> str:
    if examination.knee:
        return f"; {knee_text(examination.knee)}"
    return "; no knee up to ten times as much" if not examination.prediction.result.elapsed else ""


def knee_text(bend: Knee) -> str:
    """Place of ``bend`` and its uncertainty: in steps of the load if it is one step, else in per cent."""
    by = "1" if round(bend.within * bend.load, 9) == 1.0 else f"{bend.within:.0%}"
    near = f" (±{by})" if bend.within > WITHIN else ""
    return f"knee at {number_text(bend.load)} {bend.unit}{near}, {bend.times:.2f} times that ({bend.engine})"


def _lost(examination: Examination) -> Iterator[Part]:
    system = examination.prediction.case.system
    if not system.failures:
        yield about("failures", "no part can be lost in this model")
        return
    rows = [
        (
            printable(each.part),
            each.goal.text,
            "–" if each.why else figure_text(each.value, each.goal.unit),
            _KEPT[each.kept] if math.isnan(each.probability) else f"{each.probability:.1%}",
        )
        for each in examination.lost
    ]
    yield Rows(("a part fails", "goal", "answer", "kept"), rows, right=2)
    for part, why in {each.part: each.why for each in examination.lost if each.why}.items():
        yield Line(f"  {printable(part)}: {printable(why)}")


def _cost(cost: Cost) -> str:
    parts = f"{cost.purchase:,.0f} and {cost.month:,.0f} a month for {cost.months:g} months"
    return f"{_total(cost)}: {parts}" if cost.month else _total(cost)


def _total(cost: Cost) -> str:
    return f"{cost.total:,.0f} {cost.currency}".strip()


def _front(finding: Finding) -> Iterator[Part]:
    front, goal = finding.search.front, finding.search.trials.asked[0].goals[0]
    if len(front) < 2:  # noqa: PLR2004  (one is the design)
        return
    axes, priced = finding.search.space.axes, front[0].cost is not None
    rows = []
    for option in front:
        settings = [each.setting.show(option.candidate.design[each.setting.name]) for each in axes]
        costs = [_total(option.cost)] if option.cost else []
        rows.append((*map(printable, settings), *costs, figure_text(option.trial.first, goal.unit)))
    yield Line("")
    yield Line("", f"designs that keep the goals, {_what(finding)}")
    yield Rows((*(each.setting.name for each in axes), *("cost",) * priced, words(goal.measure)), rows, right=0)


def _what(finding: Finding) -> str:
    """Common property of the designs of the front."""
    largest, priced = finding.search.space.largest, finding.search.front[0].cost is not None
    if largest:
        return (
            f"each with the most {largest} for the money"
            if priced
            else f"each with the most {largest} it can have"
        )
    return f"none of them {'cheaper and better' if priced else 'smaller in all settings'} than another"


def _rejected(finding: Finding) -> Iterator[Part]:
    rejected = finding.rejected
    counts = Counter(each.status for each in rejected)
    if not counts:
        return
    listed = ", ".join(f"{counts[status]} {status}" for status in _STATUSES if counts[status])
    yield about("rejected", f"{len(rejected)} of {len(finding.search.options)}: {listed}")
    shown_design = finding.search.space.shown
    for status in _STATUSES[:-1]:
        for each in [each for each in rejected if each.status == status][-_REASONS:]:
            design = printable(shown_design(each.option.candidate.design))
            yield Line(f"  {status:<9} {design}: {printable(each.reason)}")


def _how(finding: Finding) -> str:
    options = finding.search.options
    engines = Counter(each.trial.engine for each in options if not each.final and each.trial.engine)
    screened = "".join(f", {count} by {_engine(engine)}" for engine, count in engines.items())
    final, seed = sum(each.final for each in options), finding.search.trials.options.seed
    left = sum(not (each.final or each.trial.engine or each.trial.reason) for each in options)
    unseen = f", {left} not looked at" if left else ""
    return f"{len(options)} candidates: {final} at the precision asked for{screened}{unseen}; seed {seed}"


def _engine(engine: str) -> str:
    return "the analytic engine alone" if engine == "analytic" else f"{engine} alone"


def _parts_and_warnings(finding: Finding) -> Iterator[Part]:
    yield from parts(finding)
    yield from (Line(f"warning: {printable(text)}") for text in warnings(finding))


def _picture(finding: Finding) -> Figure | None:
    """The front, if designs have prices."""
    return front_figure(finding) if finding.option and finding.option.cost else None


VIEW = PartsAndPicture(_parts_and_warnings, _picture, "what candidates cost, and their answer to the first goal")
