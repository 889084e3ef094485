"""A picture of utilisation: a bar for each of the busiest places, the limiting one in another colour."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from sim.output.pictures import style
from sim.prediction.prediction import Prediction

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_MOST = 6
"""Largest number of drawn places."""

_COLOURS = ((style.VERMILION, "limits throughput", True), (style.BLUE, "other places", False))
"""Colours and labels of places that limit, and of others."""


def figure(prediction: Prediction) -> Figure | None:
    """Share of each place in use or filled, of identical ones the busiest; None if none is used."""
    busiest = prediction.usages(_MOST)
    places = [each for each in busiest if not math.isnan(each.busiest)]
    if not places:
        return None
    limit = prediction.limit
    drawn = style.blank(style.WIDTH, 0.9 + style.ROW * len(places))
    axes = drawn.add_subplot()
    full = limit.family if limit.kind == "place" else ""
    for colour, label, limits in _COLOURS:
        rows = [row for row, each in enumerate(places) if (each.name == full) is limits]
        if rows:
            axes.barh(rows, [100.0 * places[row].busiest for row in rows], 0.6, color=colour, label=label)
    names = (f"{each.name} ({each.count} identical)" if each.count > 1 else each.name for each in places)
    axes.set_yticks(range(len(places)), list(map(style.plain, names)))
    axes.invert_yaxis()
    axes.set_xlim(0.0, 100.0)
    axes.set_xlabel("in use, held or filled (%)")
    style.dress(axes)
    axes.grid(visible=False, axis="y")
    if any(each.name == full for each in places):
        axes.legend(**style.OUTSIDE)
    return drawn
