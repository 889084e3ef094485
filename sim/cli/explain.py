"""`stacksim predict … --explain`: one I/O as a waterfall in words and bars, the limits, and what changes them."""

from __future__ import annotations

from rich.text import Text

from sim.cli.console import out, table, time
from sim.model.distributions import NANOSECONDS_PER_SECOND
from sim.prediction.explanation import Explanation
from sim.simulation.latency_breakdown import Ledger, Line

BAR = 24
"""Characters of a bar that is the whole latency."""

SMALL = 0.005
"""Lines with a smaller share of the latency are added up."""

FURTHER = 3
"""Limits that are shown behind the first."""

_WORDS = {"wait": "waiting for", "serve": "served by", "delay": "delay"}


def explanation(found: Explanation) -> None:
    """Print it behind the prediction."""
    for group, books in found.ledgers.items():
        _waterfall(group, books)
    _limits(found)
    _sensitivities(found)


def _waterfall(group: str, books: Ledger) -> None:
    mean_s = books.latency_ns / books.walks / NANOSECONDS_PER_SECOND
    out(Text.assemble("\n", (f"one walk of {group}", "bold"), f": {time(mean_s)}, mean of {books.walks}"))
    rows = table("share", "time", "visits", "", "", right=0)
    for column in rows.columns[3:]:
        column.justify = "left"
    kept = [line for line in books.lines if books.share(line) >= SMALL]
    passed = 0.0
    for line in kept:
        share = books.share(line)
        rows.add_row(
            f"{share:.1%}",
            time(books.seconds(line)),
            f"{books.stays(line):.3g}",
            _bar(passed, passed + share, line),
            f"{_WORDS[line.doing]} {line.place}".strip(),
        )
        passed += share
    if len(kept) < len(books.lines):
        rest = f"{len(books.lines) - len(kept)} more"
        rows.add_row(f"{1.0 - passed:.1%}", time(mean_s * (1.0 - passed)), "", "", rest)
    out(rows)


def _bar(begin: float, end: float, line: Line) -> str:
    """Where in the whole this part lies: solid for service, light for waiting."""
    first, last = round(BAR * begin), round(BAR * end)
    return " " * first + ("░" if line.doing == "wait" else "█") * max(1, last - first)


def _limits(found: Explanation) -> None:
    predicted = found.prediction
    out("")
    out(f"limit       {predicted.limit.words(predicted.amount, predicted.unit)}")
    for each in found.limits[1 : 1 + FURTHER]:
        times = each.throughput / found.limits[0].throughput
        out(f"behind it   {each.place} allows {each.throughput:.4g} {predicted.unit}, {times:.2f} times that")


def _sensitivities(found: Explanation) -> None:
    out(Text.assemble("\n", ("1% more of a parameter", "bold"), " changes throughput by"))
    rows = table("parameter", "change", "95% interval", right=1)
    for each in found.sensitivities:
        if not each.inert:
            interval = each.elasticity
            rows.add_row(each.parameter, f"{interval.value:+.2f}%", f"{interval.low:+.2f} … {interval.high:+.2f}%")
    out(rows)
    inert = [each.parameter for each in found.sensitivities if each.inert]
    out(f"no effect here: {', '.join(inert) or 'none'}")
