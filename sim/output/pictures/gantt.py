"""A Gantt chart of one request: a lane for each place, time from left to right."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from sim.engines.trace import MAX_INTERVALS, Interval, Span
from sim.errors import InputError

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

NOWHERE = "delay"
"""The lane of time that passes at no place."""

_TITLE_WIDTH = 100
"""Characters of a line of the title that fit into the picture."""

_SERVED, _WAITING = "#1f77b4", "#ffb366"


def typical(requests: Sequence[Span]) -> Span:
    """The completed request of median latency; of several, the first.

    Raises:
        InputError: none is completed.
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
    from matplotlib.figure import Figure  # lazily: most commands draw nothing
    from matplotlib.patches import Patch  # lazily: with it

    figure = Figure(figsize=(9, 1.3 + 0.36 * len(lanes)), layout="constrained")
    axes = figure.add_subplot()
    scale, unit = (1e6, "ms") if _ns(request) >= 1e6 else (1e3, "µs")  # noqa: PLR2004  (a millisecond)
    for interval in intervals:
        _bar(axes, lanes.index(interval.place or NOWHERE), interval, request.begin_ns, scale)
    axes.set_yticks(range(len(lanes)), lanes)
    axes.invert_yaxis()
    axes.set_xlim(left=0)
    axes.set_xlabel(f"{unit} since it began")
    figure.suptitle(_wrapped(f"{title}: {_ns(request) / scale:.4g} {unit}"), fontsize=11)
    axes.grid(axis="x", alpha=0.3)
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(
        handles=[Patch(color=_SERVED, label="served"), Patch(color=_WAITING, hatch="///", label="waiting")],
        frameon=False,
        loc="upper left",
        bbox_to_anchor=(1.0, 1.0),
    )
    return figure


def _wrapped(title: str) -> str:
    return "\n".join(textwrap.fill(line, _TITLE_WIDTH) for line in title.splitlines())


def _bar(axes: Axes, lane: int, interval: Interval, origin_ns: int, scale: float) -> None:
    waiting = interval.activity == "wait"
    axes.barh(
        lane,
        interval.duration_ns / scale,
        left=(interval.begin_ns - origin_ns) / scale,
        height=0.6,
        color=_WAITING if waiting else _SERVED,
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
