"""Pictures of a report: the errors of one dataset by figure, and their distribution."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from sim.output.pictures import style
from sim.prediction.cells import Cell
from sim.prediction.roles import Role

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

COLOURS: dict[Role, str] = {
    "predicted": style.BLUE,
    "restated": style.GREEN,
    "fitted": style.ORANGE,
    "input": style.GREY,
}

NAMED = 3
"""Number of figures with the largest errors that are named."""


def residuals(cells: Sequence[Cell]) -> Figure:
    """The error of each figure in the order of the table, with the interval of the simulation."""
    figure, axes = _empty((9, 3.6))
    for role, colour in COLOURS.items():
        at = [index for index, each in enumerate(cells) if each.role == role]
        if at:
            errors = [100.0 * cells[index].error for index in at]
            half = [_half_width(cells[index]) for index in at]
            axes.errorbar(at, errors, yerr=half, fmt="o", markersize=4, linewidth=1, color=colour, label=role)
    worst = sorted(range(len(cells)), key=lambda index: -abs(cells[index].error))
    for index in worst[:NAMED]:
        _name(axes, index, cells[index], last=len(cells) - 1)
    axes.axhline(0, color=style.BLACK, linewidth=0.8)
    axes.set_xlabel("figure, in the order of the table")
    axes.locator_params(axis="x", integer=True)
    axes.set_ylabel("error, %")
    axes.margins(y=0.2)
    axes.legend(frameon=False, loc="best")
    return figure


def distribution(cells: Sequence[Cell]) -> Figure:
    """Share of the figures within each absolute error."""
    figure, axes = _empty((9, 3.6))
    for role, colour in COLOURS.items():
        errors = np.sort([100.0 * abs(each.error) for each in cells if each.role == role])
        if len(errors):
            shares = 100.0 * np.arange(1, len(errors) + 1) / len(errors)
            axes.step(errors, shares, where="post", color=colour, label=f"{role} ({len(errors)})")
    axes.set_xlabel("absolute error at most, %")
    axes.set_ylabel("share of the figures, %")
    axes.set_xlim(left=0)
    axes.set_ylim(0, 101)
    axes.legend(frameon=False, loc="lower right")
    return figure


def _empty(inches: tuple[float, float]) -> tuple[Figure, Axes]:
    figure = style.blank(*inches)
    axes = figure.add_subplot()
    style.dress(axes)
    return figure, axes


def _half_width(cell: Cell) -> float:
    """Half the simulation's interval, in per cent of the published figure; 0 if unknown."""
    if cell.low is None or cell.high is None:
        return 0.0
    return 50.0 * (cell.high - cell.low) / cell.published


def _name(axes: Axes, index: int, cell: Cell, last: int) -> None:
    right = index > last / 2
    axes.annotate(
        style.plain(f"{cell.row} {cell.column}"),
        (index, 100.0 * cell.error),
        xytext=(-5 if right else 5, 5 if cell.error > 0 else -10),
        textcoords="offset points",
        ha="right" if right else "left",
        fontsize=style.SMALL,
    )
