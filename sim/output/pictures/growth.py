"""A picture of growth: each answer by month, its interval, the limit of its goal, and when the goal breaks."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from sim.decision.growth import Breaking, Growth
from sim.engine.units.text import time_unit
from sim.output.pictures import style
from sim.system.scenario import LATENCIES

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_ANSWER, _BREAKS = style.BLUE, style.VERMILION

_WIDE = 11.0
"""Inches: months need room."""

_STRIP = 0.025
"""Height of the strip along the months in which a goal may break, as a share of the panel."""

_BEYOND = 1.5
"""Smallest end of the axis, as a multiple of the limit."""

_LONGEST = 3.0
"""Largest end of the axis, as a multiple of limit or first answer: latency grows without bound near overload."""

_LABELS = 12
"""Largest number of named months."""


def figure(growth: Growth) -> Figure:
    """A row for each goal; each month is a step, as the load is."""
    count = len(growth.breakings)
    drawn = style.blank(_WIDE, 0.6 + 3.2 * count)
    rows = drawn.subplots(count, 1, sharex=True, squeeze=False)[:, 0]
    for axes, breaking in zip(rows, growth.breakings, strict=True):
        _draw(axes, growth, breaking)
    step = max(1, -(-len(growth.months) // _LABELS))
    named = growth.months[::step]
    rows[-1].set_xticks(
        [month.number for month in named],
        [f"{growth.load.date(month.number)}\n{growth.load.text(month.load)}" for month in named],
    )
    rows[-1].set_xlabel(f"month, and {growth.load.setting.name} in it")
    style.title(drawn, f"{growth.case.system.name}: {100.0 * growth.load.by:.4g}% more each month")
    return drawn


def _draw(axes: Axes, growth: Growth, breaking: Breaking) -> None:
    goal, name = breaking.goal, LATENCIES.get(breaking.goal.measure, breaking.goal.measure.replace("_", " "))
    top = _top(growth, breaking)
    unit, scale = time_unit(top / _BEYOND) if goal.unit == "s" else (goal.unit, 1.0)
    edges = [number - 0.5 for number in range(len(growth.months) + 1)]
    around = [month.ends[goal] for month in growth.months]
    low, high, values = (
        [_drawn(end, top) / scale for end in ends]
        for ends in zip(*((each.low, each.high, each.value) for each in around), strict=True)
    )
    if any(above > below for below, above in zip(low, high, strict=True)):
        axes.stairs(
            high, edges, baseline=low, fill=True, color=_ANSWER, alpha=style.BAND, label="where it lies, at 90%"
        )
    axes.stairs(values, edges, baseline=None, color=_ANSWER, linewidth=1.8, label=name)
    axes.axhline(goal.limit / scale, color=style.BLACK, ls="--", lw=1, label=goal.text)
    _mark_breaking(axes, growth, breaking)
    axes.set_ylim(0, top / scale)
    axes.set_xlim(edges[0], edges[-1])
    axes.set_ylabel(f"{name} ({unit})")
    style.dress(axes)
    axes.legend(**style.OUTSIDE)


def _drawn(value: float, top: float) -> float:
    """``value`` for the axis: infinity is drawn beyond its ``top``; nan where overload leaves nothing."""
    return math.nan if value == -math.inf else min(value, 2.0 * top)


def _top(growth: Growth, breaking: Breaking) -> float:
    """Upper end of the axis."""
    goal = breaking.goal
    around = [month.ends[goal] for month in growth.months]
    highest = 1.1 * max(end for each in around for end in (each.value, each.high) if math.isfinite(end))
    if not goal.at_least:
        highest = min(highest, _LONGEST * max(goal.limit, around[0].value))
    return max(_BEYOND * goal.limit, highest)


def _mark_breaking(axes: Axes, growth: Growth, breaking: Breaking) -> None:
    """Draw a line at the month in which the goal breaks, a strip where it may; hatch overload."""
    if overloaded := [month.number for month in growth.months if month.prediction is None]:
        begin, end = overloaded[0] - 0.5, overloaded[-1] + 0.5
        axes.axvspan(begin, end, facecolor="none", edgecolor=style.FAINT, hatch="//", lw=0, label="overload")
    earliest, last = breaking.earliest, len(growth.months) - 1
    latest = last if breaking.latest is None else breaking.latest
    if earliest is not None and earliest < latest:
        axes.axvspan(
            earliest - 0.5,
            latest + 0.5,
            ymax=_STRIP,
            color=_BREAKS,
            lw=0,
            zorder=3,
            label="may break here, at 90%",
        )
    if breaking.month is not None:
        date = growth.load.date(breaking.month)
        label = "broken already" if breaking.status == "broken already" else f"breaks in {date}"
        axes.axvline(breaking.month - 0.5, color=_BREAKS, label=label)
