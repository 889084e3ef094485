"""What the commands print: tables on standard output, progress on standard error."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table
from rich.text import Text

from sim.estimates import Estimate
from sim.prediction import Choices, Prediction
from sim.result import Result
from sim.solvers import ANALYTIC
from sim.sweep import Done
from sim.system import System
from sim.usage import usages
from sim.wish import Progress as ShareDone

if TYPE_CHECKING:
    from sim.report import Cell, Report, Unpredicted

_OUT = Console(highlight=False, markup=False)  # names may have brackets
if not sys.stdout.isatty():  # whether or not colours are asked for
    _OUT.width = 300  # a file or pipe has no edge at which to fold a table
_BUSIEST = 6
"""Places listed in a prediction, gates aside; alike ones count once."""
_SWEPT = 4
"""Answers beside throughput in the table of a sweep; its .csv file has them all."""


def compilation(choices: Choices) -> None:
    """Say so when the event loop has to be compiled first."""
    if choices.engine in {"reference", ANALYTIC}:
        return
    from sim.compiled import jit  # lazily: only simulations need it

    if jit.AVAILABLE and not jit.is_kept():
        Console(stderr=True).print("compiling the event loop: some seconds, once per installation")


@contextmanager
def share_done(what: str) -> Iterator[ShareDone]:
    """Show a bar while one simulation runs."""
    with _bar() as bar:
        task = bar.add_task(what, total=1.0)
        yield lambda share: bar.update(task, completed=share)


@contextmanager
def count_done(what: str) -> Iterator[Done]:
    """Show a bar while many simulations run."""
    with _bar(MofNCompleteColumn()) as bar:
        task = bar.add_task(what, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)


def _bar(*columns: MofNCompleteColumn) -> Progress:
    parts = (TextColumn("{task.description}"), BarColumn(), *columns, TimeRemainingColumn())
    return Progress(*parts, console=Console(stderr=True), transient=True, disable=not sys.stderr.isatty())


def out(*shown: object) -> None:
    """Print on standard output."""
    _OUT.print(*shown)


def system(found: System) -> None:
    """Name, settings and parameters of a system."""
    out(Text.assemble((found.name, "bold"), f": {found.title}\n"))
    settings = table("setting", "default", "allowed", "meaning")
    for each in found.settings:
        settings.add_row(each.name, each.show(each.default), each.allowed, each.help)
    out(settings)
    parameters = table("parameter", "value", "unit", "basis", "source")
    for entry in found.parameters.entries:
        parameters.add_row(entry.name, f"{entry.value:.4g}", entry.unit, entry.basis, entry.source)
    out(parameters)


def warnings(found: Sequence[str]) -> None:
    """What a reader should know, a line each."""
    for warning in found:
        out(f"warning: {warning}")


def prediction(found: Prediction) -> None:
    """One prediction in a few lines."""
    latency = found.result.groups[found.result.watched].latency
    settings = "  ".join(f"{name}={text}" for name, text in found.shown.items())
    out(Text.assemble((found.system, "bold"), f"  {settings}"))
    out(Text.assemble("throughput  ", (_interval(found.throughput, found.unit), "bold")))
    if band := found.bands.get("throughput"):
        out(
            f"measured    {band.low:.4g} … {band.high:.4g} {found.unit} at {band.confidence:.0%}: parameters "
            f"±{band.parameters:.1%}, scatter of measured figures ±{band.scatter:.1%}"
        )
    for number, (name, each) in enumerate(vars(latency).items()):
        if not math.isnan(each.value):
            out(f"{'' if number else 'latency':<11} {name:<4} {_time_interval(each)}")
    for name, answer in found.further.items():
        out(f"{_words(name):<11} {_interval(answer.estimate, answer.unit)}")
    out(f"bottleneck  {found.limit.words(found.amount, found.unit)}")
    out(_busiest(found.result))
    out(_how(found))
    warnings(found.result.warnings)
    out(f"assumed: {', '.join(each.name for each in found.assumed) or 'nothing'}")


def _busiest(result: Result) -> Table:
    """The places used most, a row for all that are alike but for numbers."""
    found = usages(result, _BUSIEST)
    several = any(each.count > 1 for each in found)
    alike = ("alike", "used, mean", "busiest") if several else ("used",)
    places = table("busiest places", "kind", *alike, "waiting")
    for each in found:
        counted = (str(each.count), each.words(each.mean)) if several else ()
        busiest = each.words(each.busiest) if each.count > 1 or not several else ""
        places.add_row(each.name, each.kind, *counted, busiest, f"{each.waiting:.2f}")
    return places


def _how(found: Prediction) -> str:
    result = found.result
    if result.engine == ANALYTIC:
        return "analytic engine: computed, not simulated; of alike places one is shown"
    return (
        f"{result.engine} engine, seed {result.seed}, {result.steps} steps, "
        f"{time(result.measured_s)} simulated after {time(result.warmup_s)} of warm-up"
    )


def sweep(found: Sequence[Prediction], varied: Sequence[str]) -> None:
    """One row a combination."""
    shown = list({name: answer for each in found for name, answer in each.further.items()}.items())[:_SWEPT]
    further = {name: f"{_words(name)}, {each.unit}" for name, each in shown}
    rows = table(
        *(*varied, found[0].unit, "low", "high", *further.values(), "mean latency", "p99", "bottleneck"),
        right=len(varied),
    )
    for each in found:
        latency, estimate = each.result.groups[each.result.watched].latency, each.throughput
        rows.add_row(
            *(each.shown[name] for name in varied),
            *(_number(value) for value in (estimate.value, estimate.low, estimate.high)),
            *(_number(each.further[name].estimate.value) if name in each.further else "" for name in further),
            time(latency.mean.value),
            time(latency.p99.value),
            each.limit.short,
        )
    out(rows)


def report(found: Report) -> None:
    """Every cell, the figures that no model predicts, then the summary of each dataset and of the roles in it."""
    from sim.report import totals  # lazily: data packages load pydantic

    for summary in found.summary:
        out(_cells(summary.name, [each for each in found.cells if each.dataset == summary.name]))
    if found.unpredicted:
        out(_reasons(found.unpredicted))
    rows = table("dataset", "figures", "mean error", "median", "95th", "worst", right=1)
    for level, each in totals(found):
        shares = (f"{value:.1%}" for value in (each.mape, each.median, each.p95, each.worst))
        rows.add_row(each.name if level == "whole" else f"  {each.name}", str(each.cells), *shares)
    out(rows)
    warnings(found.warnings)


def _cells(dataset: str, cells: Sequence[Cell]) -> Table:
    held_out = ("held out",) if any(each.held_out is not None for each in cells) else ()
    rows = table("row", "column", "published", "predicted", "95% interval", "error", "role", *held_out, right=2)
    rows.title = dataset
    for each in cells:
        rows.add_row(
            each.row,
            each.column,
            f"{each.published:g} {each.unit}",
            f"{each.predicted:.4g}",
            "" if math.isnan(each.low) else f"{each.low:.4g} … {each.high:.4g}",
            f"{each.error:+.1%}",
            each.role,
            *("" if each.held_out is None else f"{each.held_out:+.1%}" for _ in held_out),
        )
    return rows


def _reasons(figures: Sequence[Unpredicted]) -> Table:
    rows = table("dataset", "row", "column", "published", "reason")
    rows.title = "not predicted"
    for each in figures:
        rows.add_row(each.dataset, each.row, each.column, f"{each.published:g} {each.unit}", each.reason)
    return rows


def table(*columns: str, right: int = 1_000) -> Table:
    """A plain table; columns from number ``right`` on are aligned to the right."""
    made = Table(box=None, pad_edge=False, title_justify="left", header_style="bold")
    for index, column in enumerate(columns):
        made.add_column(column, justify="right" if index >= right else "left", no_wrap=index >= right)
    return made


def _number(value: float) -> str:
    return "–" if math.isnan(value) else f"{value:.4g}"


def _interval(estimate: Estimate, unit: str) -> str:
    """The value with its interval, and a mark if it is not known well enough."""
    value, mark = _number(estimate.value), "" if estimate.known else ", not known well enough"
    if math.isnan(estimate.low):
        return f"{value} {unit}{mark}"
    ends = f"at least {estimate.low:.4g}"
    if math.isfinite(estimate.high):
        ends = f"{estimate.low:.4g} … {estimate.high:.4g}"
    return f"{value} ({ends} at {estimate.confidence:.0%}) {unit}{mark}"


def _time_interval(estimate: Estimate) -> str:
    """Of a time, in the unit that people would take."""
    unit, scale = _unit(estimate.value)
    return f"{_interval(estimate.scaled(1.0 / scale), unit)}"


def _words(name: str) -> str:
    return name.replace("_", " ")


def time(seconds: float) -> str:
    """In the unit that people would take."""
    if math.isnan(seconds):
        return "–"
    unit, scale = _unit(seconds)
    return f"{seconds / scale:.4g} {unit}"


def _unit(seconds: float) -> tuple[str, float]:
    units = (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6))
    return next(((unit, scale) for unit, scale in units if seconds >= scale), ("ns", 1e-9))
