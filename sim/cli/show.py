"""What the commands print: a view for each."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from rich.table import Table
from rich.text import Text

from sim.cli.console import UNKNOWN, number, out, out_wide, print_warnings, table, words
from sim.errors import printable
from sim.prediction.prediction import Prediction
from sim.prediction.uncertainty import PredictionInterval
from sim.prediction.usage import usages
from sim.result import Result
from sim.simulation.options import ANALYTIC
from sim.statistics.estimates import Estimate
from sim.system.settings import Size
from sim.system.system import System
from sim.units import SIZES, time_text, time_unit

if TYPE_CHECKING:
    from sim.prediction.report import Report
    from sim.prediction.table import Point

_BUSIEST = 6
"""Places listed in a prediction, without gates; identical ones count once."""
_UNSURE = ", not known well enough"
"""The same, where there is room."""
_RANGED = 6
"""Parameters with a range that are named; if there are more, they are counted."""
_SWEPT = 4
"""Answers beside throughput in the table of a sweep; its .csv file has them all."""


def print_overview(systems: Iterable[System]) -> None:
    """A line for each system."""
    rows = table("system", "what it predicts")
    for system in systems:
        rows.add_row(system.name, system.title)
    out(rows)
    out("\n`stacksim systems SYSTEM` has its settings and parameters")


def print_system(system: System) -> None:
    """Name, settings and parameters of a system."""
    out(Text.assemble((system.name, "bold"), f": {system.title}\n"))
    settings = table("setting", "default", "allowed", "meaning")
    for each in system.settings:
        settings.add_row(each.name, each.show(each.default), each.allowed, each.help)
    out(settings)
    if any(isinstance(each, Size) for each in system.settings):
        out(SIZES)
    ranged = any(entry.likely for entry in system.parameters.entries)
    parameters = table("parameter", "value", *(("9 of 10 in",) if ranged else ()), "unit", "basis", "source")
    parameters.columns[0].no_wrap = True  # a name that is cut short could not be given to --set
    parameters.columns[-1].overflow = "fold"
    for entry in system.parameters.entries:
        likely = "{:.4g} … {:.4g}".format(*entry.likely) if entry.likely else ""
        cells = (likely,) if ranged else ()
        parameters.add_row(entry.name, f"{entry.value:.4g}", *cells, entry.unit, entry.basis, entry.source)
    out(parameters)
    _print_failures(system)


def _print_failures(system: System) -> None:
    """The parts that may fail, and what is set then; nothing where the model has none."""
    if not system.failures:
        return
    by_name = {each.name: each for each in system.settings}
    rows = table("part that may fail", "settings then")
    for failure in system.failures:
        values = failure.settings.items()
        rows.add_row(failure.part, "  ".join(f"{name}={by_name[name].show(value)}" for name, value in values))
    out(rows)


def described(system: System) -> dict[str, Any]:
    """Name, settings and parameters of a system, for ``systems --json``."""
    return {
        "name": system.name,
        "title": system.title,
        "settings": [
            {"name": each.name, "default": each.default, "allowed": each.allowed, "help": each.help}
            for each in system.settings
        ],
        "parameters": [
            {
                "name": each.name,
                "value": each.value,
                "unit": each.unit,
                "low": _finite(each.low),
                "high": _finite(each.high),
                "range": list(each.likely) if each.likely else None,
                "basis": each.basis,
                "source": each.source,
            }
            for each in system.parameters.entries
        ],
        "failures": [{"part": each.part, "settings": dict(each.settings)} for each in system.failures],
    }


def _finite(bound: float) -> float | None:
    return bound if math.isfinite(bound) else None


def print_prediction(prediction: Prediction) -> None:
    """One prediction in a few lines."""
    latency = prediction.result.groups[prediction.result.watched].latency
    settings = printable("  ".join(f"{name}={text}" for name, text in prediction.shown.items()))
    out(Text.assemble((prediction.system, "bold"), f"  {settings}"))
    out(Text.assemble("throughput  ", (_interval(prediction.throughput, prediction.unit), "bold")))
    if interval := prediction.intervals.get("throughput"):
        out(_prediction_interval(interval, prediction))
    for index, (name, each) in enumerate(vars(latency).items()):
        if not math.isnan(each.value):
            out(f"{'' if index else 'latency':<11} {name:<4} {_time_interval(each)}")
    width = max(map(len, ("throughput ", *prediction.further)))
    for name, answer in prediction.further.items():
        out(f"{words(name):<{width}} {_interval(answer.estimate, answer.unit)}")
    for burst in prediction.result.bursts:
        speed = _interval(burst.throughput.scaled(prediction.amount), prediction.unit)
        out(f"at first    {speed} for {_time_interval(burst.seconds)}, until {burst.place} was full or empty")
    out(f"limited by  {prediction.limit.words(prediction.amount, prediction.unit)}")
    out(_busiest(prediction.result))
    out(_how(prediction))
    print_warnings(prediction.result.warnings)
    out(f"assumed: {', '.join(each.name for each in prediction.assumed) or 'nothing'}")


def _prediction_interval(interval: PredictionInterval, prediction: Prediction) -> str:
    """Where a measurement would lie; without a fit, only as far as the ranges of parameters say."""
    ranged = [each.name for each in prediction.case.system.parameters.entries if each.likely]
    names = ", ".join(ranged) if len(ranged) <= _RANGED else f"{len(ranged)} parameters"
    of_ranges = f"assumed range{'s' if len(ranged) > 1 else ''} of {names}"
    ends = f"{interval.low:.4g} … {interval.high:.4g} {prediction.unit} at {interval.confidence:.0%}"
    unsure = "" if interval.known else _UNSURE
    if not interval.scatter:
        return f"likely      {ends}, from the {of_ranges}{unsure}"
    reasons = [f"parameters ±{interval.parameters:.1%}", f"scatter of measured figures ±{interval.scatter:.1%}"]
    if ranged:
        reasons.insert(1, f"{of_ranges} ±{interval.ranges:.1%}")
    return f"measured    {ends}: {', '.join(reasons)}{unsure}"


def _busiest(result: Result) -> Table:
    """The busiest places, one row for identical ones."""
    places_used = usages(result, _BUSIEST)
    several = any(each.count > 1 for each in places_used)
    identical = ("identical", "used, mean", "busiest") if several else ("used",)
    places = table("busiest places", "kind", *identical, "waiting")
    for each in places_used:
        counted = (str(each.count), each.words(each.mean)) if several else ()
        busiest = each.words(each.busiest) if each.count > 1 or not several else ""
        places.add_row(each.name, each.kind, *counted, busiest, f"{each.waiting:.2f}")
    return places


def _how(prediction: Prediction) -> str:
    result = prediction.result
    if result.engine == ANALYTIC:
        return "analytic engine: computed, not simulated; identical places are shown once"
    return (
        f"{result.engine} engine, seed {result.seed}, {result.steps} steps, "
        f"{time_text(result.measured_s)} simulated after {time_text(result.warmup_s)} of warm-up"
    )


def print_sweep(points: Sequence[Point], varied: Sequence[str]) -> None:
    """A table with a row for each point, at least one of which is done."""
    done = [point.prediction for point in points if point.prediction]
    shown = list({name: answer for each in done for name, answer in each.further.items()}.items())[:_SWEPT]
    further = {name: f"{words(name)}, {each.unit}" for name, each in shown}
    headings = (*varied, done[0].unit, "low", "high", *further.values(), "mean latency", "p99", "limited by")
    rows = [_swept(each, varied, list(further)) for each in points]
    out_wide(headings, rows, keys=len(varied))
    if any(UNKNOWN in cell for row in rows for cell in row[len(varied) : -1]):
        out(f"{UNKNOWN} not known well enough: take more steps (--max-steps), or less --precision")


def _swept(point: Point, varied: Sequence[str], further: Sequence[str]) -> tuple[str, ...]:
    """One that is not done has its status where else stands what limits."""
    prediction = point.prediction
    if prediction is None:
        shown, answers = point.case.shown, len(further) + 5
        return (*(printable(shown[name]) for name in varied), *("",) * answers, point.known.status)
    latency, estimate = prediction.result.groups[prediction.result.watched].latency, prediction.throughput
    return (
        *(printable(prediction.shown[name]) for name in varied),
        _value(estimate),
        *(number(value) for value in (estimate.low, estimate.high)),
        *(_value(prediction.further[name].estimate) if name in prediction.further else "" for name in further),
        *(f"{time_text(answer.value)}{_mark(answer)}" for answer in (latency.mean, latency.p99)),
        prediction.limit.short,
    )


def _value(estimate: Estimate) -> str:
    return f"{number(estimate.value)}{_mark(estimate)}"


def _mark(estimate: Estimate) -> str:
    return "" if estimate.known else UNKNOWN


def print_report(report: Report, *, cells: bool) -> None:
    """The summary of each dataset and of the roles in it; before it, with ``cells``, every figure."""
    from sim.prediction.report import totals  # lazily: data packages load pydantic

    if cells:
        _all_cells(report)
    rows = table("dataset", "figures", "mean error", "median", "95th", "worst", right=1)
    for level, each in totals(report):
        shares = (f"{value:.1%}" for value in (each.mape, each.median, each.p95, each.worst))
        rows.add_row(each.name if level == "whole" else f"  {each.name}", str(each.cells), *shares)
    out(rows)
    if not cells:
        without = f", and the {len(report.unpredicted)} that no model predicts" if report.unpredicted else ""
        out(f"\n--cells lists every figure{without}")
    print_warnings(report.warnings)


def _all_cells(report: Report) -> None:
    for summary in report.summary:
        out(_cells(report, summary.name))
    if report.unpredicted:
        out(_reasons(report))


def _cells(report: Report, dataset: str) -> Table:
    cells = [cell for cell in report.cells if cell.dataset == dataset]
    held_out = ("held out",) if any(cell.held_out is not None for cell in cells) else ()
    headings = ("row", "column", report.called, "predicted", "95% interval", "error", "role", *held_out)
    rows = table(*headings, right=2)
    rows.title = dataset
    for cell in cells:
        rows.add_row(
            cell.row,
            cell.column,
            f"{cell.published:g} {cell.unit}",
            f"{cell.predicted:.4g}",
            "" if math.isnan(cell.low) else f"{cell.low:.4g} … {cell.high:.4g}",
            f"{cell.error:+.1%}",
            cell.role,
            *("" if cell.held_out is None else f"{cell.held_out:+.1%}" for _ in held_out),
        )
    return rows


def _reasons(report: Report) -> Table:
    rows = table("dataset", "row", "column", report.called, "reason")
    rows.title = "not predicted"
    for figure in report.unpredicted:
        rows.add_row(
            figure.dataset, figure.row, figure.column, f"{figure.published:g} {figure.unit}", figure.reason
        )
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
    """A time with its interval, in the unit that people would choose."""
    unit, scale = time_unit(estimate.value)
    return f"{_interval(estimate.scaled(1.0 / scale), unit)}"
