"""A picture of growth: each answer month by month, its interval, the limit of its goal, and when that breaks."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from sim.decision.growth import Breaking, Growth

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_BEYOND = 1.5
"""The axis reaches so far beyond the limit, at least; an answer that leaves it, or has no steady state, is cut."""

_LABELS = 12
"""Months that are named at most."""


def figure(growth: Growth) -> Figure:
    """A row for each goal."""
    from matplotlib.figure import Figure  # lazily: half a second

    count = len(growth.breakings)
    drawn = Figure(figsize=(9, 0.6 + 3.2 * count), layout="constrained")
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
    drawn.suptitle(f"{growth.case.system.name}: {100.0 * growth.load.by:.4g}% more each month")
    return drawn


def _draw(axes: Axes, growth: Growth, breaking: Breaking) -> None:
    goal = breaking.goal
    steady = {month.number: month.ends[goal] for month in growth.months if math.isfinite(month.ends[goal].value)}
    months, around = list(steady), list(steady.values())
    axes.fill_between(months, [each.low for each in around], [each.high for each in around], alpha=0.25, lw=0)
    axes.plot(months, [each.value for each in around], "o-", ms=3, label=f"{goal.measure}, at 90% in the band")
    axes.axhline(goal.limit, color="black", ls="--", lw=1, label=goal.text)
    if breaking.month is not None:
        last = len(growth.months) - 1
        latest = last if breaking.latest is None else breaking.latest
        axes.axvspan(breaking.earliest or 0, latest, color="C1", alpha=0.15, lw=0)
        axes.axvline(breaking.month, color="C1", label=f"breaks in {growth.load.date(breaking.month)}")
    top = max((each.value for each in around), default=goal.limit)
    axes.set_ylim(0, max(_BEYOND * goal.limit, min(1.1 * top, 2.0 * _BEYOND * goal.limit)))
    axes.set_xlim(0, max(1, len(growth.months) - 1))
    axes.set_ylabel(f"{goal.measure.replace('_', ' ')} ({goal.unit})")
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(loc="best", frameon=False)
