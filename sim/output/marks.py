"""What stands out in a picture of a sweep: published figures, and the knee of a line."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from sim.prediction.prediction import Prediction
from sim.prediction.published import Conditions, conditions, published_figures
from sim.statistics.power import at_knee, power

if TYPE_CHECKING:
    from matplotlib.axes import Axes

PALETTE = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#F0E442")
"""Colours that all people can tell apart: Okabe and Ito, "Color Universal Design", 2008; the faintest is last."""

Figures = Mapping[tuple[Conditions, str], tuple[float, str]]


def figures_for(predictions: Sequence[Prediction]) -> Figures:
    """The published figures of the system that ``predictions`` are about."""
    return published_figures(predictions[0].case.system)


def draw_published(
    axes: Axes,
    figures: Figures,
    points: Sequence[tuple[float, Prediction]],
    measure: str,
    scale: float,
    colour: str,
) -> bool:
    """Draw on top of ``points``, each with its place along the x axis, what was published, if anything was."""
    found = []
    for x, prediction in points:
        value, unit = figures.get((conditions(prediction.case.settings), measure), (0.0, ""))
        if unit == prediction.answers[measure].unit:
            found.append((x, value * scale))
    if found:
        axes.scatter(*zip(*found, strict=True), **_diamond(colour))
    return bool(found)


def legend_of_marks(axes: Axes, *, published: bool, knees: bool) -> None:
    """Say in the legend of ``axes`` what the marks mean that were drawn."""
    if published:
        axes.scatter([], [], label="published", **_diamond("black"))
    if knees:
        axes.scatter([], [], label="knee", **_RING)


def _diamond(colour: str) -> dict[str, Any]:
    return {"marker": "D", "s": 60, "facecolors": "white", "edgecolors": colour, "linewidths": 1.5, "zorder": 4}


_RING: dict[str, Any] = {"marker": "o", "s": 220, "facecolors": "none", "edgecolors": "black", "zorder": 5}


def knee(predictions: Sequence[Prediction]) -> int | None:
    """Which of ``predictions``, along a line of growing load, is the knee: from there on latency rises faster.

    None where the load does not grow, so that nobody waits for more, and where that is so from the first point on,
    or not even at the last.
    """
    loads = [each.result.groups[each.result.watched].population for each in predictions]
    if not all(before < after for before, after in pairwise(loads)):
        return None
    return (
        at_knee([power(each.throughput.value, each.answers["mean"].estimate.value) for each in predictions])
        or None
    )


def draw_knee(axes: Axes, x: float, y: float) -> None:
    """A ring around a point."""
    axes.scatter([x], [y], **_RING)
