"""`stacksim find`: the smallest or cheapest design that keeps goals, in a few lines, as JSON, picture or table."""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from rich.text import Text

from sim.cli.console import compilation, count_done, out, out_json, print_warnings
from sim.cli.options import takes_output
from sim.decision.costs import Cost, prices_of
from sim.decision.examination import Examination, Kept
from sim.decision.find import Finding, find
from sim.decision.goals import is_goal
from sim.decision.knee import Knee
from sim.decision.load_curve import MOST
from sim.decision.loads import loads_of
from sim.decision.record import columns, headroom, record, rows
from sim.decision.space import space_of
from sim.errors import InputError, printable, shown
from sim.files import check_target, write_atomically
from sim.output.pictures.style import FORMATS, save
from sim.output.views.parts import table
from sim.output.views.words import number, words
from sim.simulation.options import RunOptions
from sim.system.system import System
from sim.units import figure_text

_REASONS = 3
"""Rejected candidates of each status that are shown; --json has all."""

WITHIN = 0.02
"""A knee that is known less well says how well."""

_KEPT = {True: "yes", False: "no", None: "–"}
"""Whether a goal is kept while a part is lost, if that is known."""

_STATUSES = ("missed", "unstable", "refused", "failed", "unknown", "not needed")


@dataclass(frozen=True)
class Files:
    """The files that are named on the command line."""

    cost: Path | None
    loads: Path | None
    picture: Path | None
    csv: Path | None


def command(
    system: System,
    given: Sequence[str],
    largest: str | None,
    files: Files,
    options: RunOptions,
    *,
    as_json: bool,
    quiet: bool,
) -> int:
    """Search, print and write; the exit status: 0 with a design, 1 without one."""
    silent = takes_output(files.picture, files.csv, as_json=as_json)
    _check(files)
    goals, settings = [word for word in given if is_goal(word)], [word for word in given if not is_goal(word)]
    _refuse_bare(settings)
    space = space_of(system, settings, largest)
    prices = prices_of(system, files.cost) if files.cost else None
    loads = loads_of(system, files.loads) if files.loads else ()
    compilation(options, quiet=quiet)
    with count_done("searching", quiet=quiet) as on_progress:
        finding = find(system, space, goals, options, loads=loads, prices=prices, on_progress=on_progress)
    _write(finding, files)
    if as_json:
        out_json(record(finding))
    elif not silent:
        print_finding(finding)
        print_warnings(system.parameters.warnings)
    return 0 if finding.found else 1


def _check(files: Files) -> None:
    if files.picture:
        if not files.cost:
            raise InputError("a picture shows what designs cost; give prices, too: --cost FILE.toml")
        check_target("picture", files.picture, FORMATS, or_standard_output=True)
    if files.csv:
        check_target("table", files.csv, (".csv",), or_standard_output=True)


def _refuse_bare(settings: Sequence[str]) -> None:
    for word in settings:
        if "=" not in word:
            raise InputError(
                f"'{shown(word)}' is neither a goal nor a setting; write a goal in quotes, as the shell takes > "
                "and < for itself: 'throughput>=5GB/s', and a setting as cells=1..14"
            )


def _write(finding: Finding, files: Files) -> None:
    if files.csv:
        written = io.StringIO()
        writer = csv.DictWriter(written, columns(finding), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows(finding))
        write_atomically(files.csv, written.getvalue().encode())
    if files.picture:
        from sim.output.pictures.front import front_figure

        save(front_figure(finding), files.picture)


def print_finding(finding: Finding) -> None:
    """The answer in a few lines."""
    option, name = finding.option, finding.search.trials.system.name
    design = printable(finding.search.space.shown(option.candidate.design)) if option else ""
    heading = {
        "found": "",
        "impossible": "no design keeps the goals",
        "unknown": "no design is known to keep the goals",
    }
    nearest = f"; nearest: {design}" if option else ""
    said = design if finding.found else f"{heading[finding.search.status]}{nearest}"
    out(Text.assemble((name, "bold"), "  ", (said, "bold")))
    for examination in finding.examinations:
        _print_load(examination, _given(finding, examination))
    if len(finding.examinations) > 1:
        out(f"headroom    {_percent(headroom(finding), kept=finding.found)} to the first broken goal")
    if option and option.cost:
        out(f"cost        {_cost(option.cost)}")
    for cliff in finding.cliffs:
        beside = [f"{key}={text}" for key, text in _others(finding, cliff.setting)]
        where = printable(f"{cliff.setting}={cliff.value}{' beside ' * bool(beside)}{' '.join(beside)}")
        out(f"cliff       {where} breaks the goals again: {printable(cliff.reason)}")
    _print_front(finding)
    _print_rejected(finding)
    out(_how(finding))
    print_warnings(_at_the_end(finding))
    print_warnings([f"{name} has no price, and counts nothing" for name in finding.unpriced])
    print_warnings(
        list(dict.fromkeys(text for each in finding.examinations for text in each.prediction.result.warnings))
    )


def _at_the_end(finding: Finding) -> list[str]:
    """That the largest value was not found, if there may be a larger one."""
    largest, design = finding.search.space.largest, finding.search.design
    if not largest or not design or design.candidate.ranks[0]:
        return []
    axis = finding.search.space.axes[0]
    return [f"{largest}={axis.setting.show(axis.values[0])} is the end of the range; more may keep the goals, too"]


def _print_load(examination: Examination, given: str) -> None:
    load, prediction = examination.asked.load, examination.prediction
    if load.name:
        hours = f", {load.hours} h" if load.hours else ""
        out(Text.assemble("\n", (f"under {printable(load.name)}{hours}", "bold")))
    out(f"with        {printable(given)}")
    confidence = examination.goals[0].estimate.confidence
    goals = table("goal", "answer", f"{confidence:.0%} interval", "kept", "headroom", right=1)
    for each in examination.goals:
        goals.add_row(each.goal.text, *_cells(each))
    out(goals)
    if amount := examination.load:
        out(f"load        {number(amount.value)} {amount.unit}{_knee(examination)}")
    if examination.beside:
        others, watched = " and ".join(map(printable, examination.beside)), printable(prediction.result.watched)
        out(f"beside it   {others}, which stays as it is: load, knee and limits are those of {watched}")
    limits = [
        f"{each.place} at {number(each.throughput * prediction.amount)} {prediction.unit}"
        for each in examination.limits[:2]
    ]
    out(f"limited by  {prediction.limit.words(prediction.amount, prediction.unit)}")
    if len(limits) > 1:
        out(f"next        {limits[1]}")
    _print_lost(examination)


def _others(finding: Finding, name: str) -> Iterator[tuple[str, str]]:
    """The settings of the design other than ``name``, and their values."""
    for axis in finding.search.space.axes:
        if finding.option and axis.setting.name != name:
            yield axis.setting.name, axis.setting.show(finding.option.candidate.design[axis.setting.name])


def _given(finding: Finding, examination: Examination) -> str:
    """The settings beside those of the design."""
    varied = {axis.setting.name for axis in finding.search.space.axes}
    shown_settings = examination.prediction.shown.items()
    return "  ".join(f"{name}={text}" for name, text in shown_settings if name not in varied)


def _cells(kept: Kept) -> Iterator[str]:
    unit, estimate = kept.goal.unit, kept.estimate
    yield figure_text(estimate.value, unit)
    yield " … ".join(
        figure_text(end, unit) if unit == "s" else number(end) for end in (estimate.low, estimate.high)
    )
    yield "–" if kept.probability != kept.probability else f"{kept.probability:.1%}"
    yield _percent(kept.headroom.percent if kept.headroom else None, kept=kept.goal.keeps(estimate.value))


def _percent(room: float | None, *, kept: bool) -> str:
    """Headroom; where there is no edge, that it is further than was looked at."""
    if room is None:
        return f"> {100.0 * (MOST - 1.0):+.0f}%" if kept else "–"
    return f"{room:+.0f}%"


def _knee(examination: Examination) -> str:
    if examination.knee:
        return f"; {knee_text(examination.knee)}"
    return "; no knee up to ten times as much" if not examination.prediction.result.elapsed else ""


def knee_text(bend: Knee) -> str:
    """Where ``bend`` is, and how far off it may be: in steps of the load where that is one, else in per cent."""
    by = "1" if round(bend.within * bend.load, 9) == 1.0 else f"{bend.within:.0%}"
    near = f" (±{by})" if bend.within > WITHIN else ""
    return f"knee at {number(bend.load)} {bend.unit}{near}, {bend.times:.2f} times that ({bend.engine})"


def _print_lost(examination: Examination) -> None:
    system = examination.prediction.case.system
    if not system.failures:
        out("failures    no part can be lost in this model")
        return
    lost = table("a part fails", "goal", "answer", "kept", right=2)
    for each in examination.lost:
        answer = "–" if each.why else figure_text(each.value, each.goal.unit)
        lost.add_row(printable(each.part), each.goal.text, answer, _KEPT[each.kept])
    out(lost)
    for part, why in {each.part: each.why for each in examination.lost if each.why}.items():
        out(f"  {printable(part)}: {printable(why)}")


def _cost(cost: Cost) -> str:
    parts = f"{cost.purchase:,.0f} and {cost.month:,.0f} a month for {cost.months:g} months"
    return f"{_total(cost)}: {parts}" if cost.month else _total(cost)


def _total(cost: Cost) -> str:
    return f"{cost.total:,.0f} {cost.currency}".strip()


def _print_front(finding: Finding) -> None:
    front, goal = finding.search.front, finding.search.trials.asked[0].goals[0]
    if len(front) < 2:  # noqa: PLR2004  (one is the design)
        return
    axes, priced = finding.search.space.axes, front[0].cost is not None
    designs = table(*(each.setting.name for each in axes), *("cost",) * priced, words(goal.measure), right=0)
    for option in front:
        settings = [each.setting.show(option.candidate.design[each.setting.name]) for each in axes]
        costs = [_total(option.cost)] if option.cost else []
        designs.add_row(*map(printable, settings), *costs, figure_text(option.trial.first, goal.unit))
    out(Text.assemble("\n", (f"designs that keep the goals, {_what(finding)}", "bold")))
    out(designs)


def _what(finding: Finding) -> str:
    """What the designs of the front have in common."""
    largest, priced = finding.search.space.largest, finding.search.front[0].cost is not None
    if largest:
        return (
            f"each with the most {largest} for the money"
            if priced
            else f"each with the most {largest} it can have"
        )
    return f"none of them {'cheaper and better' if priced else 'smaller in all settings'} than another"


def _print_rejected(finding: Finding) -> None:
    rejected = finding.rejected
    counts = Counter(each.status for each in rejected)
    if not counts:
        return
    listed = ", ".join(f"{counts[status]} {status}" for status in _STATUSES if counts[status])
    out(f"rejected    {len(rejected)} of {len(finding.search.options)}: {listed}")
    shown_design = finding.search.space.shown
    for status in _STATUSES[:-1]:
        for each in [each for each in rejected if each.status == status][-_REASONS:]:
            out(f"  {status:<9} {printable(shown_design(each.option.candidate.design))}: {printable(each.reason)}")


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
