"""`stacksim predict … --explain`: one I/O as a waterfall in words and bars, the limits, and what changes them."""

from __future__ import annotations

from rich.text import Text

from sim.cli.console import out, table, time
from sim.model.distributions import NANOSECONDS_PER_SECOND
from sim.prediction.explanation import Explanation
from sim.simulation.latency_breakdown import Breakdown, Share

BAR = 24
"""Characters of a bar that is the whole latency."""

SMALL = 0.005
"""Shares below this fraction of the latency are added up."""

FURTHER = 3
"""Limits that are shown behind the first."""

_WORDS = {"wait": "waiting for", "serve": "served by", "delay": "delay"}


def explanation(found: Explanation) -> None:
    """Print it behind the prediction."""
    for group, breakdown in found.breakdowns.items():
        _waterfall(group, breakdown)
    _limits(found)
    _sensitivities(found)


def _waterfall(group: str, breakdown: Breakdown) -> None:
    mean_s = breakdown.latency_ns / breakdown.requests / NANOSECONDS_PER_SECOND
    out(Text.assemble("\n", (f"one walk of {group}", "bold"), f": {time(mean_s)}, mean of {breakdown.requests}"))
    rows = table("share", "time", "visits", "", "", right=0)
    for column in rows.columns[3:]:
        column.justify = "left"
    kept = [share for share in breakdown.shares if breakdown.fraction(share) >= SMALL]
    passed = 0.0
    for share in kept:
        fraction = breakdown.fraction(share)
        rows.add_row(
            f"{fraction:.1%}",
            time(breakdown.mean_s(share)),
            f"{breakdown.visits(share):.3g}",
            _bar(passed, passed + fraction, share),
            f"{_WORDS[share.activity]} {share.place}".strip(),
        )
        passed += fraction
    if len(kept) < len(breakdown.shares):
        rest = f"{len(breakdown.shares) - len(kept)} more"
        rows.add_row(f"{1.0 - passed:.1%}", time(mean_s * (1.0 - passed)), "", "", rest)
    out(rows)


def _bar(begin: float, end: float, share: Share) -> str:
    """Where in the whole this part lies: solid for service, light for waiting."""
    first, last = round(BAR * begin), round(BAR * end)
    return " " * first + ("░" if share.activity == "wait" else "█") * max(1, last - first)


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
