"""What the commands print: a view for each."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from rich.table import Table
from rich.text import Text

from sim.cli.console import number, out, out_wide, table, time, time_unit, warnings, words
from sim.errors import printable
from sim.prediction.prediction import Prediction
from sim.prediction.usage import usages
from sim.result import Result
from sim.simulation.options import ANALYTIC
from sim.statistics.estimates import Estimate
from sim.system.settings import Size
from sim.system.system import System
from sim.units import SIZES

if TYPE_CHECKING:
    from sim.prediction.report import Cell, Report, Unpredicted

_BUSIEST = 6
"""Places listed in a prediction, gates aside; alike ones count once."""
_UNKNOWN = "?"
"""Behind a value that is not known well enough."""
_UNSURE = ", not known well enough"
"""The same, where there is room."""
_SWEPT = 4
"""Answers beside throughput in the table of a sweep; its .csv file has them all."""


def overview(found: Iterable[System]) -> None:
    """A line for each system."""
    rows = table("system", "what it predicts")
    for each in found:
        rows.add_row(each.name, each.title)
    out(rows)
    out("\n`stacksim systems SYSTEM` has its settings and parameters")


def system(found: System) -> None:
    """Name, settings and parameters of a system."""
    out(Text.assemble((found.name, "bold"), f": {found.title}\n"))
    settings = table("setting", "default", "allowed", "meaning")
    for each in found.settings:
        settings.add_row(each.name, each.show(each.default), each.allowed, each.help)
    out(settings)
    if any(isinstance(each, Size) for each in found.settings):
        out(SIZES)
    parameters = table("parameter", "value", "unit", "basis", "source")
    for entry in found.parameters.entries:
        parameters.add_row(entry.name, f"{entry.value:.4g}", entry.unit, entry.basis, entry.source)
    out(parameters)


def described(found: System) -> dict[str, Any]:
    """The same for ``systems --json``."""
    return {
        "name": found.name,
        "title": found.title,
        "settings": [
            {"name": each.name, "default": each.default, "allowed": each.allowed, "help": each.help}
            for each in found.settings
        ],
        "parameters": [
            {
                "name": each.name,
                "value": each.value,
                "unit": each.unit,
                "low": _finite(each.low),
                "high": _finite(each.high),
                "basis": each.basis,
                "source": each.source,
            }
            for each in found.parameters.entries
        ],
    }


def _finite(bound: float) -> float | None:
    return bound if math.isfinite(bound) else None


def prediction(found: Prediction) -> None:
    """One prediction in a few lines."""
    latency = found.result.groups[found.result.watched].latency
    settings = printable("  ".join(f"{name}={text}" for name, text in found.shown.items()))
    out(Text.assemble((found.system, "bold"), f"  {settings}"))
    out(Text.assemble("throughput  ", (_interval(found.throughput, found.unit), "bold")))
    if interval := found.intervals.get("throughput"):
        out(
            f"measured    {interval.low:.4g} … {interval.high:.4g} {found.unit} at {interval.confidence:.0%}: "
            f"parameters ±{interval.parameters:.1%}, scatter of measured figures ±{interval.scatter:.1%}"
            f"{'' if interval.known else _UNSURE}"
        )
    for index, (name, each) in enumerate(vars(latency).items()):
        if not math.isnan(each.value):
            out(f"{'' if index else 'latency':<11} {name:<4} {_time_interval(each)}")
    width = max(map(len, ("throughput ", *found.further)))
    for name, answer in found.further.items():
        out(f"{words(name):<{width}} {_interval(answer.estimate, answer.unit)}")
    for burst in found.result.bursts:
        speed = _interval(burst.throughput.scaled(found.amount), found.unit)
        out(f"at first    {speed} for {_time_interval(burst.seconds)}, until {burst.place} was full or empty")
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
    further = {name: f"{words(name)}, {each.unit}" for name, each in shown}
    headings = (*varied, found[0].unit, "low", "high", *further.values(), "mean latency", "p99", "bottleneck")
    rows = [_swept(each, varied, list(further)) for each in found]
    out_wide(headings, rows, keys=len(varied))
    if any(_UNKNOWN in cell for row in rows for cell in row[len(varied) : -1]):
        out(f"{_UNKNOWN} not known well enough: take more steps (--most-steps), or less --precision")


def _swept(each: Prediction, varied: Sequence[str], further: Sequence[str]) -> tuple[str, ...]:
    latency, estimate = each.result.groups[each.result.watched].latency, each.throughput
    return (
        *(printable(each.shown[name]) for name in varied),
        _value(estimate),
        *(number(value) for value in (estimate.low, estimate.high)),
        *(_value(each.further[name].estimate) if name in each.further else "" for name in further),
        *(f"{time(told.value)}{_mark(told)}" for told in (latency.mean, latency.p99)),
        each.limit.short,
    )


def _value(estimate: Estimate) -> str:
    return f"{number(estimate.value)}{_mark(estimate)}"


def _mark(estimate: Estimate) -> str:
    return "" if estimate.known else _UNKNOWN


def report(found: Report, *, cells: bool) -> None:
    """The summary of each dataset and of the roles in it; before it, with ``cells``, every figure."""
    from sim.prediction.report import totals  # lazily: data packages load pydantic

    if cells:
        _all_cells(found)
    rows = table("dataset", "figures", "mean error", "median", "95th", "worst", right=1)
    for level, each in totals(found):
        shares = (f"{value:.1%}" for value in (each.mape, each.median, each.p95, each.worst))
        rows.add_row(each.name if level == "whole" else f"  {each.name}", str(each.cells), *shares)
    out(rows)
    if not cells:
        without = f", and the {len(found.unpredicted)} that no model predicts" if found.unpredicted else ""
        out(f"\n--cells lists every figure{without}")
    warnings(found.warnings)


def _all_cells(found: Report) -> None:
    for summary in found.summary:
        out(_cells(summary.name, [each for each in found.cells if each.dataset == summary.name]))
    if found.unpredicted:
        out(_reasons(found.unpredicted))


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


def _interval(estimate: Estimate, unit: str) -> str:
    """The value with its interval, and a mark if it is not known well enough."""
    value, mark = number(estimate.value), "" if estimate.known else _UNSURE
    if math.isnan(estimate.low):
        return f"{value} {unit}{mark}"
    ends = f"at least {estimate.low:.4g}"
    if math.isfinite(estimate.high):
        ends = f"{estimate.low:.4g} … {estimate.high:.4g}"
    return f"{value} ({ends} at {estimate.confidence:.0%}) {unit}{mark}"


def _time_interval(estimate: Estimate) -> str:
    """Of a time, in the unit that people would take."""
    unit, scale = time_unit(estimate.value)
    return f"{_interval(estimate.scaled(1.0 / scale), unit)}"
