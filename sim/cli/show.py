"""Printed views of the commands."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rich.cells import cell_len
from rich.console import Console, ConsoleOptions
from rich.table import Table
from rich.text import Text
from typing_extensions import TypedDict

from sim.cli.console import out, print_warnings
from sim.engine.errors import printable
from sim.engine.units import SIZES
from sim.engine.units.text import ends_text, figure_text, number_text, range_text
from sim.output.views.parts import GAP, blocks, hanging, table
from sim.prediction.prediction_record import finite
from sim.system.parameters import Basis
from sim.system.settings import Size
from sim.system.system import System

if TYPE_CHECKING:
    from sim.prediction.cells import Summary
    from sim.prediction.reach import Reach
    from sim.prediction.repeats import Repeats
    from sim.prediction.report import Report
    from sim.prediction.transfers import Transfer


def print_overview(systems: Iterable[System]) -> None:
    """Print a line for each system."""
    rows = table("system", "what it predicts")
    for system in systems:
        rows.add_row(system.name, f"{system.rival_of}, if {system.structure}" if system.rival_of else system.title)
    out(rows)
    out("\n`stacksim systems SYSTEM` lists settings and parameters of one")
    out("other stacks, such as PostgreSQL on a gp3 volume: `stacksim stack new FILE` (-h lists the parts)")


def print_system(system: System) -> None:
    """Print name, settings and parameters of a system."""
    structure = f", if {system.structure}" if system.rival_of else ""
    out(Text.assemble((system.name, "bold"), f": {system.title}{structure}\n"))
    settings = table("setting", "default", "allowed", "meaning")
    for each in system.settings:
        settings.add_row(each.name, each.show(each.default), each.allowed, each.help)
    out(settings)
    if any(isinstance(each, Size) for each in system.settings):
        out(SIZES)
    ranged = any(entry.likely for entry in system.parameters.entries)
    parameters = table("parameter", "value", *(("90% range",) if ranged else ()), "unit", "basis", "source")
    parameters.columns[0].no_wrap = True  # a shortened name could not be given to --set
    parameters.columns[-1].overflow = "fold"
    for entry in system.parameters.entries:
        likely = _sized(entry.unit, *entry.likely) if entry.likely else ""
        cells = (likely,) if ranged else ()
        parameters.add_row(
            entry.name, _sized(entry.unit, entry.value), *cells, entry.unit, entry.basis, entry.source
        )
    out(parameters)
    _print_failures(system)


def _sized(unit: str, low: float, high: float | None = None) -> str:
    """A value or a range, with its unit only if it has a prefix: the next column has the plain unit."""
    text = figure_text(low, unit) if high is None else range_text(low, high, unit)
    return text.removesuffix(f" {unit}")


def _print_failures(system: System) -> None:
    """Print parts that may fail with their settings; nothing if there are none."""
    if not system.failures:
        return
    by_name = {each.name: each for each in system.settings}
    rows = table("part that may fail", "changed settings")
    for failure in system.failures:
        values = failure.settings.items()
        rows.add_row(failure.part, "  ".join(f"{name}={by_name[name].show(value)}" for name, value in values))
    out(rows)


class SettingRecord(TypedDict):
    """A setting, as users write it."""

    name: str
    default: Any
    allowed: str
    help: str


class ParameterRecord(TypedDict):
    """A parameter in ``unit``, its bounds, the range of 9 of 10 values, and its source."""

    name: str
    value: float
    unit: str
    low: float | None
    high: float | None
    range: list[float] | None
    basis: Basis
    source: str


class FailureRecord(TypedDict):
    """A part that may fail, and the settings then."""

    part: str
    settings: dict[str, Any]


class SystemRecord(TypedDict):
    """A system: its settings, its parameters, and the parts that may fail."""

    name: str
    title: str
    structure: str | None
    settings: list[SettingRecord]
    parameters: list[ParameterRecord]
    failures: list[FailureRecord]


Printed = SystemRecord | list[SystemRecord]
"""The JSON of ``systems --json``: of one system, or of all."""


def described(system: System) -> SystemRecord:
    """Name, settings and parameters of a system, for ``systems --json``."""
    return {
        "name": system.name,
        "title": system.title,
        "structure": system.structure or None,
        "settings": [
            {"name": each.name, "default": each.plain(each.default), "allowed": each.allowed, "help": each.help}
            for each in system.settings
        ],
        "parameters": [
            {
                "name": each.name,
                "value": each.value,
                "unit": each.unit,
                "low": finite(each.low),
                "high": finite(each.high),
                "range": list(each.likely) if each.likely else None,
                "basis": each.basis,
                "source": each.source,
            }
            for each in system.parameters.entries
        ],
        "failures": [{"part": each.part, "settings": dict(each.settings)} for each in system.failures],
    }


def print_report(report: Report, *, cells: bool) -> None:
    """Print the summary of each dataset and of its roles; with ``cells``, first every figure."""
    from sim.prediction.totals import as_first_predicted, totals  # lazily: data packages load pydantic

    if cells:
        _all_cells(report)
    rows = table("dataset", "figures", "mean error", "median", "95th", "worst", right=1)
    for level, each in totals(report):
        shares = (f"{value:.1%}" for value in (each.mape, each.median, each.p95, each.worst))
        rows.add_row(each.name if level == "whole" else f"  {each.name}", str(each.cells), *shares)
    out(rows)
    for each in report.summary:
        if each.repeats:
            out(f"{each.name}: {_noise(each.repeats)}")
    if made := as_first_predicted(report):
        out(_first(*made))
    if report.reach:
        out("")
        out(_reach(report.reach))
    if report.transfers:
        out(_headline(report.transfers))
        out(_transfers(report.transfers))
    if not cells:
        without = f", and the {len(report.unpredicted)} that no model predicts" if report.unpredicted else ""
        out(f"\n--cells lists every figure{without}")
    for note in report.notes:
        out(f"note: {printable(note)}")
    print_warnings(report.warnings)


def _noise(repeats: Repeats) -> str:
    """Text of the irreducible error of a dataset: the scatter of its repeats."""
    return (
        f"repeats of the same run differ by {repeats.median:.1%} in the median, "
        f"95 % by up to {repeats.p95:.1%} ({repeats.pairs} pairs)"
    )


def _first(errors: Summary, unchanged: int) -> str:
    """Text of the errors of first predictions."""
    figures = "figure" if errors.cells == 1 else "figures"
    return (
        f"as first predicted: {errors.cells} {figures}, median error {errors.median:.1%}, 95 % within "
        f"{errors.p95:.1%}, worst {errors.worst:.1%}; predicted the same since: {unchanged}"
    )


def _reach(reached: Iterable[Reach]) -> Table:
    """The headline of a report: errors of fits within the range of their figures, and beyond."""
    from sim.prediction.reach import REACHES  # lazily: data packages load pydantic

    errors = ("figures", "median", "95th", "worst", "in 90 % bands", "best curve", "better in")
    rows = table("what the fits never saw", *errors, right=1)
    for each in reached:
        inside = "" if each.inside is None else f"{each.inside:.0%}"
        curve = _shares(each.baseline_median, each.baseline_p95) if each.splits else ""
        shares = (f"{value:.1%}" for value in (each.median, each.p95, each.worst))
        rows.add_row(
            *(REACHES[each.where], str(each.figures), *shares, inside, curve, f"{each.better} of {each.splits}")
        )
    return rows


def _transfers(transfers: Iterable[Transfer]) -> Table:
    """Table of errors of fits under unseen conditions, beside the best curve without mechanism."""
    inside = ("rates in bands", "latencies in bands")
    rows = table("moved to what the fit never saw", "figures", "median / 95th", *inside, "best curve", right=1)
    for each in transfers:
        curve = f"{_shares(each.baseline_median, each.baseline_p95)} {each.baseline}" if each.baseline else ""
        shares = ("" if share is None else f"{share:.0%}" for share in (each.rates_inside, each.latencies_inside))
        rows.add_row(
            f"{each.system}: {each.to}", str(each.figures), _shares(each.median, each.p95), *shares, curve
        )
    return rows


def _headline(transfers: Iterable[Transfer]) -> str:
    """Text of the share of transfers in which models beat curves, with the exceptions."""
    compared = [each for each in transfers if each.better is not None]
    lost = [f"{each.system}: {each.to}" for each in compared if not each.better]
    worse = f"; a curve is better for {', '.join(lost)}" if lost else ""
    better = len(compared) - len(lost)
    return f"moved to what the fit never saw: better than every curve in {better} of {len(compared)}{worse}"


def _shares(*shares: float | None) -> str:
    return " / ".join("?" if each is None else f"{each:.1%}" for each in shares)


def _all_cells(report: Report) -> None:
    for summary in report.summary:
        out(_cells(report, summary.name))
        reasons = Counter(cell.restated for cell in report.cells if cell.dataset == summary.name and cell.restated)
        for reason, count in reasons.items():
            out(f"restated, {count}: {reason}")
    if report.unpredicted:
        out(_reasons(report))


def _cells(report: Report, dataset: str) -> Named:
    cells = [cell for cell in report.cells if cell.dataset == dataset]
    held_out = ("held out",) if any(cell.held_out is not None for cell in cells) else ()
    headings = ("row", "column", report.called, "predicted", "95% interval", "error", "role", *held_out)
    rows = [
        (
            cell.row,
            cell.column,
            f"{number_text(cell.published, 6)} {cell.unit}",
            number_text(cell.predicted),
            "" if cell.low is None or cell.high is None else ends_text(cell.low, cell.high),
            f"{cell.error:+.1%}",
            cell.counted_as,
            *("" if cell.held_out is None else f"{cell.held_out:+.1%}" for _ in held_out),
        )
        for cell in cells
    ]
    return Named(dataset, headings, rows, keys=2)


def _reasons(report: Report) -> Table:
    rows = table("dataset", "row", "column", report.called, "reason")
    rows.title = "not predicted"
    for figure in report.unpredicted:
        rows.add_row(
            figure.dataset,
            figure.row,
            figure.column,
            f"{number_text(figure.published, 6)} {figure.unit}",
            figure.reason,
        )
    return rows


@dataclass(frozen=True)
class Named:
    """Rows that begin with ``keys`` names; if a row is too long, its numbers stand below its names, uncut."""

    title: str
    headings: Sequence[str]
    rows: Sequence[Sequence[str]]
    keys: int

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[Table | Text]:
        widths = [max(map(cell_len, column)) + GAP for column in zip(self.headings, *self.rows, strict=True)]
        if sum(widths) - GAP <= options.max_width:  # nothing follows the last column
            yield self._table()
            return
        yield Text(self.title, "table.title")
        numbers = range(self.keys, len(self.headings))
        cut = list(blocks(numbers, widths, options.max_width))  # widths include a gap before each column
        for row, style in ((self.headings, "bold"), *((row, "") for row in self.rows)):
            names = Text((" " * GAP).join(filter(None, row[: self.keys])), style)
            yield hanging(names, console, options.max_width)
            for block in cut:
                yield Text("".join(row[each].rjust(widths[each]) for each in block), style)

    def _table(self) -> Table:
        """Everything as one table."""
        whole = table(*self.headings, right=self.keys)
        whole.title = self.title
        for row in self.rows:
            whole.add_row(*row)
        return whole
