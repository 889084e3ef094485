"""A picture of a failure: throughput and latency before, during and after it, by window."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Sequence
from typing import TYPE_CHECKING

from sim.engine.units.text import time_unit
from sim.output.pictures import style
from sim.prediction.timeline import AFTER, Phase, Window

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_MEAN, _P99, _LONG_RUN = style.BLUE, style.VERMILION, style.GREY

_LABEL_WIDTH = 26
"""Characters of a part's name that fit in a line."""


def timeline_figure(phases: Sequence[Phase], windows: Sequence[Window], *, cut_short: bool = True) -> Figure:
    """Throughput above, mean and p99 of latency below; dashed, the long run of each phase with its interval.

    Args:
        cut_short: True if phases are as short as possible, not of a requested length.
    """
    first = phases[0].prediction
    assert first  # noqa: S101  (it is not refused)
    figure = style.blank(11.0, 6.0)
    above, below = figure.subplots(2, 1, sharex=True)
    unit, scale = time_unit(windows[-1].end_s)
    edges = [window.begin_s / scale for window in windows] + [windows[-1].end_s / scale]
    _stairs(above, edges, [window.throughput for window in windows], _MEAN, "in a window")
    above.set_ylabel(f"throughput ({first.unit})")
    latency_unit, latency_scale = time_unit(max(_finite(window.mean_s) for window in windows))
    for name, colour, values in (
        ("mean", _MEAN, [window.mean_s / latency_scale for window in windows]),
        ("p99", _P99, [window.p99_s / latency_scale for window in windows]),
    ):
        _stairs(below, edges, values, colour, name)
    below.set_ylabel(f"latency ({latency_unit})")
    cut = "; phases are shortened" if cut_short else ""
    below.set_xlabel(f"{unit} since the beginning{cut}")
    _long_run(above, phases, windows, scale)
    _phases(above, below, windows, scale)
    shown = "  ".join(f"{name}={text}" for name, text in first.shown.items())
    style.title(figure, f"{first.system}  {shown}")
    return figure


def _finite(value: float) -> float:
    return value if math.isfinite(value) else 0.0


def _stairs(axes: Axes, edges: Sequence[float], values: Sequence[float], colour: str, label: str) -> None:
    axes.stairs(values, edges, baseline=None, color=colour, linewidth=1.8, label=label)


def _long_run(axes: Axes, phases: Sequence[Phase], windows: Sequence[Window], scale: float) -> None:
    """Draw the throughput of each phase by itself, with its interval; once in the legend."""
    predictions = {phase.part: phase.prediction for phase in phases} | {AFTER: phases[0].prediction}
    labels = {"line": "in the long run", "band": "its interval"}
    for part, prediction in predictions.items():
        assert prediction  # noqa: S101  (none of a timeline is refused)
        own = [window for window in windows if window.part == part]
        ends = [own[0].begin_s / scale, own[-1].end_s / scale]
        estimate = prediction.throughput
        label = labels.pop("line", None)
        axes.plot(ends, [estimate.value] * 2, color=_LONG_RUN, linestyle="--", label=label, zorder=1)
        if math.isfinite(estimate.low) and math.isfinite(estimate.high):
            label = labels.pop("band", None)
            label = label and f"{label}, at {estimate.confidence:.0%}"
            axes.fill_between(
                ends, estimate.low, estimate.high, color=_LONG_RUN, alpha=style.BAND, lw=0, label=label
            )


def _phases(above: Axes, below: Axes, windows: Sequence[Window], scale: float) -> None:
    """Draw a line at the begin of each phase with its name above, and the style of both panels."""
    begins = {window.part: window.begin_s / scale for window in reversed(windows)}
    for axes in (above, below):
        for begin in list(begins.values())[:-1]:
            axes.axvline(begin, color=style.GREY, linewidth=0.8, linestyle=":")
        axes.set_ylim(bottom=0.0)
        axes.set_xlim(0.0, windows[-1].end_s / scale)
        style.dress(axes)
        axes.legend(**style.OUTSIDE)
    for part, begin in begins.items():
        name = textwrap.fill(style.plain(part), _LABEL_WIDTH)
        above.annotate(name, (begin, 1.02), xycoords=("data", "axes fraction"), fontsize=style.SMALL, va="bottom")
