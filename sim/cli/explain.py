"""`stacksim predict … --explain`: one I/O as a waterfall in words and bars, the limits, and what changes them."""

from __future__ import annotations

from rich.text import Text

from sim.cli.console import out, table
from sim.model.distributions import NANOSECONDS_PER_SECOND
from sim.prediction.explanation import Explanation
from sim.simulation.latency_breakdown import Breakdown, Share
from sim.units import time_text

BAR = 24
"""Characters of a bar that is the whole latency."""

SMALL = 0.005
"""Shares below this fraction of the latency are added up."""

FURTHER = 3
"""Limits that are shown behind the first."""

_WORDS = {"wait": "waiting for", "serve": "served by", "delay": "delay"}


def print_explanation(explained: Explanation) -> None:
    """Latency breakdowns, limits and sensitivities, below the prediction."""
    for group, breakdown in explained.breakdowns.items():
        _waterfall(group, breakdown)
    _limits(explained)
    _sensitivities(explained)


def _waterfall(group: str, breakdown: Breakdown) -> None:
    mean_s = breakdown.latency_ns / breakdown.requests / NANOSECONDS_PER_SECOND
    mean = f": {time_text(mean_s)}, mean of {breakdown.requests}"
    out(Text.assemble("\n", (f"one request of {group}", "bold"), mean))
    rows = table("share", "time", "visits", "", "", right=0)
    for column in rows.columns[3:]:
        column.justify = "left"
    kept = [share for share in breakdown.shares if breakdown.fraction(share) >= SMALL]
    passed = 0.0
    for share in kept:
        fraction = breakdown.fraction(share)
        rows.add_row(
            f"{fraction:.1%}",
            time_text(breakdown.mean_s(share)),
            f"{breakdown.visits(share):.3g}",
            _bar(passed, passed + fraction, share),
            f"{_WORDS[share.activity]} {share.place}".strip(),
        )
        passed += fraction
    if len(kept) < len(breakdown.shares):
        rest = f"{len(breakdown.shares) - len(kept)} more"
        rows.add_row(f"{1.0 - passed:.1%}", time_text(mean_s * (1.0 - passed)), "", "", rest)
    out(rows)


def _bar(begin: float, end: float, share: Share) -> str:
    """The place of a share in the whole: solid for service, light for waiting."""
    first, last = round(BAR * begin), round(BAR * end)
    return " " * first + ("░" if share.activity == "wait" else "█") * max(1, last - first)


def _limits(explained: Explanation) -> None:
    prediction = explained.prediction
    out("")
    out(f"limited by  {prediction.limit.words(prediction.amount, prediction.unit)}")
    for bound in explained.limits[1 : 1 + FURTHER]:
        times = bound.throughput / explained.limits[0].throughput
        out(f"behind it   {bound.place} allows {bound.throughput:.4g} {prediction.unit}, {times:.2f} times that")


def _sensitivities(explained: Explanation) -> None:
    out(Text.assemble("\n", ("1% more of a parameter", "bold"), " changes throughput by"))
    rows = table("parameter", "change", "95% interval", right=1)
    for sensitivity in explained.sensitivities:
        if not sensitivity.inert:
            change = sensitivity.elasticity
            interval = f"{change.low:+.2f} … {change.high:+.2f}%"
            rows.add_row(sensitivity.parameter, f"{change.value:+.2f}%", interval)
    if rows.row_count:
        out(rows)
    inert = [sensitivity.parameter for sensitivity in explained.sensitivities if sensitivity.inert]
    out(f"no effect here: {', '.join(inert) or 'none'}")
