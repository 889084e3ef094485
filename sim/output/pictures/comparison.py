"""A picture of a comparison: answers of B as a share of those of A, and times by place in each."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sim.decision.compare import Comparison
from sim.decision.difference import MORE_IS_BETTER, Difference
from sim.decision.places import PlaceTime
from sim.engine.units.text import time_unit
from sim.output.pictures import style
from sim.system.scenario import LATENCIES

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_MOST = 6
"""Largest number of drawn places; the times of the others are added up."""

_BETTER, _WORSE, _NEITHER = ("^", style.GREEN), ("v", style.PINK), ("o", style.GREY)
"""Mark and colour of an answer."""


def figure(comparison: Comparison) -> Figure:
    """Ratios of answers on the left; times by place on the right, A above B."""
    judged = [each for each in comparison.differences if each.name in MORE_IS_BETTER]
    answers = [each for each in judged if math.isfinite(each.ratio.value)]
    places = _rows(comparison.places.times)
    drawn = style.blank(12.0, 1.8 + style.ROW * max(len(answers), 2 * len(places)))
    left, right = drawn.subplots(1, 2)
    _ratios(left, answers)
    _times(right, places, comparison.places.per)
    drawn.legend(loc="outside lower center", ncols=5, frameon=False)
    style.title(drawn, f"A: {_named(comparison, 0)}\nB: {_named(comparison, 1)}")
    return drawn


def _named(comparison: Comparison, side: int) -> str:
    """Name of a design: the settings in which both differ if they are of one system."""
    a, b = comparison.a, comparison.b
    own = (a, b)[side]
    if a.system != b.system:
        return own.system
    differing = [f"{name} {text}" for name, text in own.shown.items() if a.shown.get(name) != b.shown.get(name)]
    return f"{own.system} {', '.join(differing)}".strip()


def _ratios(axes: Axes, answers: Sequence[Difference]) -> None:
    """Draw a mark with its interval for each answer; its colour says whether B is better."""
    kinds = (("B is better", _BETTER), ("B is worse", _WORSE), ("no difference is seen", _NEITHER))
    for label, looks in kinds:
        rows = [row for row, each in enumerate(answers) if _looks(each) == looks]
        if rows:
            ratios = [answers[row].ratio for row in rows]
            ends = [[each.value - each.low for each in ratios], [each.high - each.value for each in ratios]]
            axes.errorbar(
                [each.value for each in ratios],
                rows,
                xerr=ends,
                fmt=looks[0],
                color=looks[1],
                capsize=3,
                label=label,
            )
    axes.axvline(1.0, color=style.BLACK, linewidth=0.8)
    axes.set_yticks(range(len(answers)), [style.plain(_name(each.name)) for each in answers])
    axes.set_ylim(len(answers) - 0.5, -0.5)
    axes.set_xlabel("B / A, and its interval at 95%")
    style.dress(axes)


def _looks(each: Difference) -> tuple[str, str]:
    if not each.seen:
        return _NEITHER
    return _BETTER if (each.difference.value > 0.0) == MORE_IS_BETTER[each.name] else _WORSE


def _name(answer: str) -> str:
    return LATENCIES.get(answer, answer.replace("_", " "))


@dataclass(frozen=True)
class _Row:
    """Seconds at a place, or at several together, in A and in B."""

    place: str
    waiting: tuple[float, float]
    service: tuple[float, float]


def _rows(times: Sequence[PlaceTime]) -> list[_Row]:
    """The places with the longest times, and all others as one."""
    longest = sorted(times, key=lambda each: -max(each.a, each.b))
    rows = [_Row(each.place, each.waiting, each.service) for each in longest[:_MOST]]
    if rest := longest[_MOST:]:
        waiting, service = (_summed([each.waiting for each in rest]), _summed([each.service for each in rest]))
        rows.append(_Row(f"{len(rest)} more", waiting, service))
    return rows


def _summed(times: Sequence[tuple[float, float]]) -> tuple[float, float]:
    return sum(a for a, _ in times), sum(b for _, b in times)


def _times(axes: Axes, rows: Sequence[_Row], per: str) -> None:
    """Draw two bars for each place, A above B, each of service and then waiting."""
    service = [time for row in rows for time in row.service]
    waiting = [time for row in rows for time in row.waiting]
    unit, scale = time_unit(max(map(sum, zip(service, waiting, strict=True)), default=0.0))
    at = [number + beside for number in range(len(rows)) for beside in (-0.2, 0.2)]
    served, waited = ([time / scale for time in times] for times in (service, waiting))
    axes.barh(at, served, 0.36, color=style.SERVED, edgecolor="white", label="service")
    axes.barh(at, waited, 0.36, served, color=style.WAITING, hatch="///", edgecolor="white", label="waiting")
    axes.set_yticks(at, [name for row in rows for name in (f"{style.plain(row.place)}   A", "B")])
    axes.invert_yaxis()
    axes.set_xlabel(f"mean time per {per} ({unit})")
    style.dress(axes)
    axes.grid(visible=False, axis="y")
