"""An explanation: one request as a waterfall in words and bars, the limits, and sensitivities."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from sim.engine.simulation.allowances import refilling
from sim.engine.simulation.latency_breakdown import Breakdown
from sim.engine.units.text import figure_text, time_text
from sim.output.pictures import breakdown as picture
from sim.output.pictures.breakdown import SMALL
from sim.output.views.parts import Line, Part, Rows, about
from sim.output.views.view import PartsAndPicture
from sim.output.views.waterfall import Step, Waterfall
from sim.prediction.explanation import Explanation
from sim.prediction.prediction import Prediction

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FURTHER = 3
"""Number of bounds shown after the limiting one."""

_WORDS = {"wait": "waiting for", "serve": "served by", "delay": "delay"}


def parts(explained: Explanation) -> Iterator[Part]:
    """Latency breakdowns, limits and sensitivities."""
    prediction = explained.prediction
    refills = refilling(prediction.case.scenario.model) - {prediction.result.watched}
    for group, breakdown in explained.breakdowns.items():
        if group in refills or all(share.activity == "delay" for share in breakdown.shares):
            continue  # a clock or a bucket, which takes no time by itself
        yield Line("")
        yield from _waterfall(f"one request of {group}", breakdown)
    yield Line("")
    yield from _limits(explained)
    yield Line("")
    yield from _sensitivities(explained)
    yield from _narrowed(prediction)


def _waterfall(what: str, breakdown: Breakdown) -> Iterator[Part]:
    mean_s = breakdown.latency_s
    yield Line("", what, f": {time_text(mean_s)}, mean of {breakdown.requests} requests")
    steps = []
    kept = [share for share in breakdown.shares if breakdown.fraction(share) >= SMALL]
    passed = 0.0
    for share in kept:
        fraction = breakdown.fraction(share)
        numbers = (f"{fraction:.1%}", time_text(breakdown.mean_s(share)), f"{breakdown.visits(share):.3g}")
        place = f"{_WORDS[share.activity]} {share.place}".strip()
        mark = "░" if share.activity == "wait" else "█"  # light for waiting, solid for service
        steps.append(Step(numbers, place, passed, passed + fraction, mark))
        passed += fraction
    if len(kept) < len(breakdown.shares):
        numbers = (f"{1.0 - passed:.1%}", time_text(mean_s * (1.0 - passed)), "")
        steps.append(Step(numbers, f"{len(breakdown.shares) - len(kept)} more"))
    yield Waterfall(steps)


def _limits(explained: Explanation) -> Iterator[Line]:
    prediction = explained.prediction
    yield about("limit", prediction.limit.words(prediction.amount, prediction.unit))
    for bound in prediction.behind[:FURTHER]:
        times = bound.throughput / prediction.throughput.value
        allows = f"allows {figure_text(bound.throughput, prediction.unit)}, {times:.2f} times as much as now"
        yield about("behind it", f"{bound.place} {allows}")


def _sensitivities(explained: Explanation) -> Iterator[Part]:
    yield Line("", "1% more of a parameter", " changes throughput by")
    rows = []
    for sensitivity in explained.sensitivities:
        if not sensitivity.inert:
            change = sensitivity.elasticity
            interval = f"{change.low:+.2f} … {change.high:+.2f}%"
            rows.append((sensitivity.parameter, f"{change.value:+.2f}%", interval))
    if rows:
        yield Rows(("parameter", "change", "95% interval"), rows, right=1)
    inert = [sensitivity.parameter for sensitivity in explained.sensitivities if sensitivity.inert]
    if inert:
        yield Line(f"no effect here: {', '.join(inert)}")


def _narrowed(prediction: Prediction) -> Iterator[Line]:
    """Factors by which control variates narrowed the intervals, if they did."""
    if narrowed := prediction.result.groups[prediction.result.watched].narrowed:
        times = ", ".join(f"{name} {1.0 / share:.1f} times" for name, share in narrowed.items())
        yield Line(f"control variates made intervals narrower: {times}")


def _picture(explained: Explanation) -> Figure | None:
    """The breakdown of the watched group."""
    group, breakdown = next(iter(explained.breakdowns.items()), ("", None))
    return picture.figure(breakdown, f"one request of {group}") if breakdown else None


VIEW = PartsAndPicture(parts, _picture, "where the latency of a request comes from")

BREAKDOWN = PartsAndPicture[Breakdown](
    lambda breakdown: _waterfall("one request", breakdown),
    lambda breakdown: picture.figure(breakdown, "one request") if breakdown.latency_ns else None,
    VIEW.drawn,
)
