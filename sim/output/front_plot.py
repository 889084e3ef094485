"""The picture of a search: what designs cost, against the answer that the first goal is about."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from sim.decision.find import Finding
from sim.decision.search import Option
from sim.system.scenario import LATENCIES
from sim.units import time_unit

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_LABELS = 8
"""Designs of the front that are named; of more, the first and the last, and every so many between them."""


def front_figure(finding: Finding) -> Figure:
    """Every candidate with an answer as a point, the front as a line, the design and the goal marked."""
    from matplotlib.figure import Figure  # lazily: most commands draw nothing

    goal, search = finding.search.trials.asked[0].goals[0], finding.search
    figure = Figure(figsize=(8.0, 5.0), layout="constrained")
    axes = figure.add_subplot()
    unit, scale = time_unit(goal.limit) if goal.unit == "s" else (goal.unit, 1.0)
    others = [each for each in search.options if each not in search.front and not math.isnan(_value(each, 1.0))]
    axes.plot(
        [_cost(each) for each in others],
        [_value(each, scale) for each in others],
        linestyle="none", marker="o", markersize=4, color="0.75", label="not chosen",
    )  # fmt: skip
    front = sorted(search.front, key=_cost)
    if front:
        x, y = [_cost(each) for each in front], [_value(each, scale) for each in front]
        axes.plot(x, y, drawstyle="steps-post", marker="s", color="C0", label="none is cheaper and better")
    if design := search.design:
        axes.plot([_cost(design)], [_value(design, scale)], "*", markersize=16, color="C1", label="the design")
    axes.axhline(goal.limit / scale, color="0.3", linestyle="--", label=f"goal {goal.text}")
    for option in front[:: math.ceil(len(front) / _LABELS) or 1]:
        axes.annotate(
            search.space.shown(option.candidate.design).replace("$", r"\$"),
            (_cost(option), _value(option, scale)),
            xytext=(6, -12), textcoords="offset points", fontsize=8,
        )  # fmt: skip
    axes.set_ylim(bottom=0)
    axes.set_xlabel(f"cost {_currency(finding)}".strip())
    axes.set_ylabel(f"{LATENCIES.get(goal.measure, goal.measure.replace('_', ' '))} ({unit})")
    axes.grid(alpha=0.3)
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(frameon=False)
    figure.suptitle(f"{search.trials.system.name}: cost against {goal.measure.replace('_', ' ')}", fontsize=11)
    return figure


def _cost(option: Option) -> float:
    return option.cost.total if option.cost else math.nan


def _value(option: Option, scale: float) -> float:
    return option.trial.first / scale


def _currency(finding: Finding) -> str:
    cost = finding.search.options[0].cost
    return f"({cost.currency})" if cost and cost.currency else ""
