"""A picture of a latency: waiting and service of a request as parts of the whole."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sim.engine.simulation.latency_breakdown import Breakdown
from sim.engine.units.text import time_text, time_unit
from sim.output.pictures import style

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SMALL = 0.005
"""Shares below this fraction of the latency are added up."""

_LOOKS = {
    "wait": ("waiting", style.WAITING, "///"),
    "serve": ("service", style.SERVED, ""),
    "delay": ("delay", style.DELAYED, ".."),
}
"""Name, colour and hatch of each activity."""


def figure(breakdown: Breakdown, title: str) -> Figure:
    """Picture of the mean time of each share, from the largest down; those below ``SMALL`` are one."""
    kept = [share for share in breakdown.shares if breakdown.fraction(share) >= SMALL]
    whole_s = breakdown.latency_s
    unit, scale = time_unit(whole_s)
    drawn = style.blank(9.0, 1.1 + style.ROW * (len(kept) + 1))
    axes = drawn.add_subplot()
    ends_s = 0.0
    for row, share in enumerate(kept):
        label, colour, hatch = _LOOKS[share.activity]
        time_s = breakdown.mean_s(share)
        axes.barh(
            row, time_s / scale, 0.6, ends_s / scale, color=colour, hatch=hatch, edgecolor="white", label=label
        )
        ends_s += time_s
    names = [share.place or "no place" for share in kept]
    if len(kept) < len(breakdown.shares):
        axes.barh(len(kept), (whole_s - ends_s) / scale, 0.6, ends_s / scale, color=style.FAINT)
        names.append(f"{len(breakdown.shares) - len(kept)} more")
    axes.set_yticks(range(len(names)), list(map(style.plain, names)))
    axes.invert_yaxis()
    axes.set_xlim(0.0, whole_s / scale)
    axes.set_xlabel(f"mean of {breakdown.requests} requests ({unit})")
    style.dress(axes)
    axes.grid(visible=False, axis="y")
    handles, labels = axes.get_legend_handles_labels()
    once = dict(zip(labels, handles, strict=True))
    axes.legend(once.values(), once.keys(), **style.OUTSIDE)
    style.title(drawn, f"{title}: {time_text(whole_s)}")
    return drawn
