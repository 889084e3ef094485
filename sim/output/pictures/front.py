"""The picture of a search: cost of designs against the answer of the first goal.

A search for the largest value of a setting shows that value instead of the answer.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from sim.decision.find import Finding
from sim.decision.search import Option
from sim.engine.units.text import time_unit
from sim.output.pictures import style
from sim.system.scenario import LATENCIES

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_PLACES = (
    (8, -10, "left"),
    (-8, 10, "right"),
    (8, 10, "left"),
    (-8, -10, "right"),
    (8, -22, "left"),
    (-8, 22, "right"),
)
"""Places of a name, in points from its design, with the name's side there; a step goes right, then up."""

_MARK = 4.0
"""Pixels around a design that no name covers."""

_ROOM = 1.1
"""Top of the axis over the highest point: leaves room for a name."""


def front_figure(finding: Finding) -> Figure:
    """Draw every candidate with an answer as a point, the front as a line, the design and the goal marked."""
    goal, search = finding.search.trials.asked[0].goals[0], finding.search
    figure = style.blank()
    axes = figure.add_subplot()
    unit, scale = time_unit(goal.limit) if goal.unit == "s" else (goal.unit, 1.0)
    largest = search.space.largest

    def at(option: Option) -> tuple[float, float]:
        answer = float(option.candidate.design[largest]) if largest else option.trial.first / scale
        return option.cost.total if option.cost else math.nan, answer

    others = [each for each in search.options if each not in search.front and not math.isnan(each.trial.first)]
    axes.plot(
        *_columns([at(each) for each in others]),
        linestyle="none", marker="o", markersize=4, color=style.FAINT, label="not chosen",
    )  # fmt: skip
    front = sorted(search.front, key=at)
    if front:
        x, y = _columns([at(each) for each in front])
        axes.plot(x, y, drawstyle="steps-post", marker="s", color=style.BLUE, label="none is cheaper and better")
    if design := search.design:
        axes.plot(*_columns([at(design)]), "*", markersize=16, color=style.VERMILION, label="the design")
    if not largest:
        axes.axhline(goal.limit / scale, color=style.BLACK, linestyle="--", label=f"goal {style.plain(goal.text)}")
    answer = largest or LATENCIES.get(goal.measure, goal.measure.replace("_", " "))
    axes.set_ylabel(answer if largest else f"{answer} ({unit})")
    axes.set_xlabel(f"cost {_currency(finding)}".strip())
    _finish(axes)
    style.title(figure, f"{search.trials.system.name}: cost against {answer}")
    named = sorted(front, key=lambda each: each is not design)
    figure.draw_without_rendering()
    _label(axes, [(at(each), style.plain(search.space.shown(each.candidate.design))) for each in named])
    return figure


def _columns(points: Sequence[tuple[float, float]]) -> tuple[list[float], list[float]]:
    return [x for x, _ in points], [y for _, y in points]


def _finish(axes: Axes) -> None:
    axes.set_ylim(0, _ROOM * axes.get_ylim()[1])
    style.dress(axes)
    axes.legend(frameon=False)


def _label(axes: Axes, points: Sequence[tuple[tuple[float, float], str]]) -> None:
    """Name ``points`` where there is room: no name covers another, or leaves the axes.

    Only the first name, the design's, may cover a point of them.
    """
    from matplotlib.patheffects import withStroke  # lazily: as above
    from matplotlib.transforms import Bbox  # lazily: as above

    legend = axes.get_legend()
    at = [Bbox([place, place]).padded(_MARK) for place in axes.transData.transform([point for point, _ in points])]
    taken = [legend.get_window_extent()] if legend else []
    for number, (point, text) in enumerate(points):
        covered = [*taken, *at] if number else taken
        for dx, dy, side in _PLACES:
            label = axes.annotate(
                text, point, xytext=(dx, dy), textcoords="offset points", ha=side, va="center",
                fontsize=style.SMALL,
                path_effects=[withStroke(linewidth=2.5, foreground="white")],  # legible over marks and lines
            )  # fmt: skip
            box = label.get_window_extent().padded(1)
            if axes.bbox.contains(*box.min) and axes.bbox.contains(*box.max) and not box.count_overlaps(covered):
                taken.append(box)
                break
            label.remove()


def _currency(finding: Finding) -> str:
    cost = finding.search.options[0].cost
    return f"({cost.currency})" if cost and cost.currency else ""
