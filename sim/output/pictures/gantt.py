"""A Gantt chart of one request: a lane for each place, time from left to right."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from sim.engine.errors import InputError
from sim.engine.events.trace import MAX_INTERVALS, Interval, Span
from sim.engine.model.distributions import NANOSECONDS_PER_SECOND
from sim.engine.units.text import time_unit
from sim.output.pictures import style

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

NOWHERE = "delay"
"""Lane of time at no place."""


def typical(requests: Sequence[Span]) -> Span:
    """The completed request of median latency; of several, the first.

    Raises:
        InputError: no request is completed.
    """
    ended = sorted((_ns(span), number) for number, span in enumerate(requests) if span.end_ns is not None)
    if not ended:
        raise InputError(
            f"a request here takes more than {MAX_INTERVALS} intervals, too many to draw; give --output instead"
        )
    return requests[ended[(len(ended) - 1) // 2][1]]


def draw(request: Span, title: str) -> Figure:
    """Draw a completed ``request`` with all its branches."""
    intervals = [each for span in _with_branches(request) for each in span.intervals if each.activity != "join"]
    lanes = list(dict.fromkeys(each.place or NOWHERE for each in sorted(intervals, key=_begin)))
    from matplotlib.patches import Patch  # lazily: most commands draw nothing

    figure = style.blank(9.0, 1.3 + 0.36 * len(lanes))
    axes = figure.add_subplot()
    unit, seconds = time_unit(_ns(request) / NANOSECONDS_PER_SECOND)
    scale = seconds * NANOSECONDS_PER_SECOND
    for interval in intervals:
        _bar(axes, lanes.index(interval.place or NOWHERE), interval, request.begin_ns, scale)
    axes.set_yticks(range(len(lanes)), list(map(style.plain, lanes)))
    axes.invert_yaxis()
    axes.set_xlim(left=0)
    axes.set_xlabel(f"{unit} since it began")
    style.title(figure, f"{title}: {_ns(request) / scale:.4g} {unit}")
    style.dress(axes)
    axes.grid(visible=False, axis="y")
    axes.legend(
        handles=[
            Patch(color=style.SERVED, label="served"),
            Patch(color=style.WAITING, hatch="///", label="waiting"),
        ],
        **style.OUTSIDE,
    )
    return figure


def _bar(axes: Axes, lane: int, interval: Interval, origin_ns: int, scale: float) -> None:
    waiting = interval.activity == "wait"
    axes.barh(
        lane,
        interval.duration_ns / scale,
        left=(interval.begin_ns - origin_ns) / scale,
        height=0.6,
        color=style.WAITING if waiting else style.SERVED,
        hatch="///" if waiting else None,
        edgecolor="white",
        linewidth=0.4,
    )


def _with_branches(span: Span) -> Iterator[Span]:
    yield span
    for branch in span.branches:
        yield from _with_branches(branch)


def _begin(interval: Interval) -> int:
    return interval.begin_ns


def _ns(span: Span) -> int:
    return span.until_ns - span.begin_ns
