"""Charts drawn by Matplotlib, for paper."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from sim.output.pictures import style
from sim.output.pictures.chart import Chart, Curve, Points

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_MARKERS, _STYLES, _HATCHES = "os^DvPX*", ("-", "--", ":", "-."), ("", "//", "..", "xx")

MAX_CURVES = len(style.PALETTE) * len(_STYLES)
"""Largest number of distinguishable curves, or kinds of bars, in one panel."""

_BANDS = len(style.PALETTE)
"""Largest number of curves with translucent bands; more bands would hide the lines."""

_OVER_LINES, _ON_TOP, _HIGHEST = 3, 4, 5
"""Drawing order (zorder) of untested points, published figures, and knees."""

_RING: dict[str, Any] = {
    "marker": "o",
    "s": 220,
    "facecolors": "none",
    "edgecolors": "black",
    "zorder": _HIGHEST,
    "clip_on": False,
}


def figure(*charts: Chart) -> Figure:
    """One picture of ``charts``, one panel below the other, with the title of the first."""
    drawn = style.blank()
    for axes, chart in zip(drawn.subplots(len(charts), squeeze=False)[:, 0], charts, strict=True):
        draw(axes, chart)
        dress(axes, chart)
    _add_legends(drawn, charts)
    style.title(drawn, charts[0].title)
    return drawn


def draw(axes: Axes, chart: Chart) -> None:
    """Draw the curves and published figures of ``chart``, and name them for a legend."""
    for number, curve in enumerate(chart.curves):
        if chart.x.kinds:
            _bars(axes, curve, number, len(chart.curves))
        else:
            _line(axes, curve, number, len(chart.curves))
    for points in chart.published:
        beside = _beside(points.curve, len(chart.curves)) if chart.x.kinds else 0.0
        _diamonds(axes, points, beside)
    _explain_marks(axes, chart)


def _line(axes: Axes, curve: Curve, number: int, count: int) -> None:
    """Draw a curve with its band and a ring around its knee; a dashed one has no marks."""
    colour, dashes = _colour(number), _STYLES[number // len(style.PALETTE) % len(_STYLES)]
    size = 8.0 - 4.0 * number / count  # lower ones are larger, so that they are seen
    marks: dict[str, Any] = {"marker": _MARKERS[number % len(style.PALETTE)], "markersize": size}
    if curve.dashed:
        dashes, marks = "--", {}
    axes.plot(curve.x, curve.y, label=style.plain(curve.label), color=colour, linestyle=dashes, **marks)
    if untested := [place for place, far in zip(zip(curve.x, curve.y, strict=True), curve.untested) if far]:  # noqa: B905
        hollow: dict[str, Any] = {"facecolors": "white", "edgecolors": colour, "zorder": _OVER_LINES}
        x, y = zip(*untested, strict=True)
        axes.scatter(x, y, s=size**2, marker=marks["marker"], **hollow)
    low, high = _ends(curve)
    if count <= _BANDS:
        axes.fill_between(curve.x, low, high, color=colour, alpha=style.BAND, linewidth=0)
    if curve.knee is not None:
        axes.scatter([curve.x[curve.knee]], [curve.y[curve.knee]], **_RING)


def _bars(axes: Axes, curve: Curve, number: int, count: int) -> None:
    """Draw a bar for each point of a curve, beside those of the others."""
    low, high = _ends(curve)
    below = [y - end for y, end in zip(curve.y, low, strict=True)]
    above = [end - y for y, end in zip(curve.y, high, strict=True)]
    bars = axes.bar(
        [x + _beside(number, count) for x in curve.x],
        curve.y,
        _WIDTH / count,
        label=style.plain(curve.label),
        color=_colour(number),
        hatch=_HATCHES[number // len(style.PALETTE) % len(_HATCHES)],
        edgecolor="white",
        yerr=(below, above),
        ecolor=style.BLACK,
        capsize=3,
    )
    for bar, untested in zip(bars, curve.untested):  # noqa: B905
        if untested:
            bar.set_alpha(_PALE)


_PALE = 0.45
"""Opacity of an untested bar."""

_WIDTH = 0.8
"""Width of all bars of a category; the next category is 1 away."""


def _beside(number: int, count: int) -> float:
    """Offset of bar ``number`` of ``count`` to the right of its category."""
    return _WIDTH / count * (number - 0.5 * (count - 1))


def _ends(curve: Curve) -> tuple[list[float], list[float]]:
    """Ends of the drawn intervals; both at the value if an end is not known."""
    nothing = [math.nan] * len(curve.y)
    ends = zip(curve.y, curve.low or nothing, curve.high or nothing, strict=True)
    known = [(low, high) if math.isfinite(low) and math.isfinite(high) else (y, y) for y, low, high in ends]
    return [low for low, _ in known], [high for _, high in known]


def _diamonds(axes: Axes, points: Points, beside: float) -> None:
    """Draw published figures, each with its rounding."""
    x, colour = [each + beside for each in points.x], _colour(points.curve)
    if points.half_width:
        low, high = zip(
            *((y - half, y + half) for y, half in zip(points.y, points.half_width, strict=True)), strict=True
        )
        axes.vlines(x, low, high, colors=colour, zorder=_ON_TOP - 0.1)
    axes.scatter(x, points.y, **_diamond(colour))


def _diamond(colour: str) -> dict[str, Any]:
    line = {"edgecolors": colour, "linewidths": 1.5}
    return {"marker": "D", "s": 60, "facecolors": "white", "zorder": _ON_TOP, **line}


def _colour(number: int) -> str:
    return style.PALETTE[number % len(style.PALETTE)]


def _explain_marks(axes: Axes, chart: Chart) -> None:
    """Add the marks besides lines and bars to the legend."""
    if chart.band and chart.x.kinds:
        axes.plot([], [], color=style.BLACK, linestyle="none", marker="|", markersize=12, label=chart.band)
    elif chart.band and len(chart.curves) <= _BANDS:
        axes.fill_between([], [], [], color=style.BLACK, alpha=style.BAND, linewidth=0, label=chart.band)
    if chart.published:
        axes.scatter([], [], label="published", **_diamond(style.BLACK))
    if any(any(curve.untested) for curve in chart.curves):
        if chart.x.kinds:
            axes.fill_between([], [], [], color=style.BLACK, alpha=_PALE, linewidth=0, label="extrapolated")
        else:
            axes.scatter([], [], facecolors="white", edgecolors=style.BLACK, label="extrapolated")
    if any(curve.knee is not None for curve in chart.curves):
        axes.scatter([], [], label="knee", **_RING)


def dress(axes: Axes, chart: Chart) -> None:
    """Draw the axes of ``chart`` with their texts."""
    axes.margins(y=0.08)
    axes.set_ylim(bottom=0)
    axes.set_xlabel(style.plain(chart.x.title))
    axes.set_ylabel(style.plain(chart.y.title))
    if chart.x.logarithmic:
        axes.set_xscale("log", base=2)
    if named := chart.x.named:
        axes.set_xticks(list(named), [style.plain(each) for each in named.values()])
        axes.minorticks_off()
    style.dress(axes)
    if chart.x.kinds:
        axes.grid(visible=False, axis="x")


def _add_legends(drawn: Figure, charts: Sequence[Chart]) -> None:
    """Add a legend beside each panel with several lines, and make room for it."""
    labels = [axes.get_legend_handles_labels()[1] for axes in drawn.axes]
    for axes, chart, named in zip(drawn.axes, charts, labels, strict=True):
        if len(named) > 1:
            axes.legend(*_curves_first(axes, chart), handlelength=3, **style.OUTSIDE)
    drawn.set_size_inches(*_inches(labels))


def _curves_first(axes: Axes, chart: Chart) -> tuple[list[Artist], list[str]]:
    """Artists and labels of the legend, curves first; Matplotlib would put bars last."""
    curves = [style.plain(curve.label) for curve in chart.curves]
    explained = zip(*axes.get_legend_handles_labels(), strict=True)
    ordered = sorted(explained, key=lambda each: each[1] not in curves)
    return [artist for artist, _ in ordered], [label for _, label in ordered]


def _inches(labels: Sequence[Sequence[str]]) -> tuple[float, float]:
    """Width and height of a picture with a panel for each of the legends."""
    longest = max((len(label) for named in labels for label in named if len(named) > 1), default=0)
    width = style.WIDTH + (style.CHARACTER * longest + 0.6 if longest else 0.0)
    height = max(style.HEIGHT if len(labels) == 1 else style.PANEL, style.LINE * max(map(len, labels)) + 1.0)
    return width, len(labels) * height
