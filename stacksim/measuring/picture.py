"""Pictures of a measurement: predicted against measured, throughput over processes, and one of all."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from sim.engine.units import size_text
from sim.output.pictures import fit as fit_picture
from sim.output.pictures import style
from stacksim.measuring.answer import Fit, Tested
from stacksim.measuring.loads import Load
from stacksim.measuring.measured import Measured

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure

_KINDS = {"held-out": ("held out", style.BLUE, "s"), "twice-the-load": ("twice the load", style.VERMILION, "^")}
"""Names, colours and marks of unseen figures, by table."""

_FITTED = ("fitted", style.ORANGE, "o")

_NARROW, _TALL = 5.4, 4.4
"""Inches of a picture whose text is readable on a phone."""

_COLUMNS = 150
"""Characters of small text in a line of the whole picture."""

_ROOM = 1.5
"""Room around the smallest and largest value, as a factor."""

_LINE = 0.14
"""Inches of a line of small text."""


def agreement(measured: Measured) -> Figure:
    """Predicted against measured."""
    figure = style.blank(_NARROW, _TALL)
    _agreement(figure.add_subplot(), measured.fit)
    return figure


def throughput(measured: Measured) -> Figure:
    """Throughput over processes."""
    figure = style.blank(_NARROW, _TALL)
    _throughput(figure.add_subplot(), measured.loads)
    return figure


def parameters(measured: Measured) -> Figure:
    """The interval of each parameter on its prior."""
    figure = style.blank(_NARROW, _height(measured.fit))
    fit_picture.intervals(figure.add_subplot(), measured.fit.calibration)
    return figure


def whole(measured: Measured, title: str, above: Iterable[str], below: Iterable[str]) -> Figure:
    """All of these in one picture, with the lines ``above`` and ``below`` them."""
    blocks = [_filled(above), _filled(below)]
    heights = [_LINE * len(blocks[0]), _TALL, _height(measured.fit), _LINE * len(blocks[1])]
    figure = style.blank(2.0 * _NARROW, sum(heights) + 0.9)
    grid = figure.add_gridspec(4, 1, height_ratios=heights)
    rows = [figure.add_subfigure(grid[row]) for row in range(4)]
    _text(rows[0], blocks[0])
    left, right = rows[1].subplots(1, 2)
    _agreement(left, measured.fit)
    _throughput(right, measured.loads)
    fit_picture.intervals(rows[2].subplots(), measured.fit.calibration)
    _text(rows[3], blocks[1])
    style.title(figure, title)
    return figure


def _height(fit: Fit) -> float:
    return 1.3 + style.ROW * len(fit.calibration.problem.free)


def _filled(lines: Iterable[str]) -> list[str]:
    """Wrap ``lines`` to the width of the picture."""
    return [part for line in lines for part in textwrap.wrap(line, _COLUMNS, subsequent_indent="    ") or [""]]


def _text(figure: SubFigure, lines: Sequence[str]) -> None:
    text = "\n".join(map(style.plain, lines))
    figure.text(0.02, 1.0, text, va="top", fontsize=style.SMALL, family="monospace")


def _agreement(axes: Axes, fit: Fit) -> None:
    """Draw a mark for each job, with bands for unseen ones; the line marks equality."""
    figures = fit.fitted.figures
    label, colour, mark = _FITTED
    seen = [each.measured for each in figures], [each.predicted for each in figures]
    axes.plot(*seen, linestyle="none", marker=mark, color=colour, label=label)
    for name, tested in fit.tested.items():
        _tested(axes, name, tested)
    ends = _ends([*seen[0], *seen[1], *_unseen(fit)])
    axes.plot(ends, ends, color=style.BLACK, linewidth=0.8)
    axes.set(xscale="log", yscale="log", xlim=ends, ylim=ends, xlabel="measured (MB/s)", ylabel="predicted (MB/s)")
    axes.set_title("predicted against measured", fontsize=style.TITLE)
    _plain_numbers(axes)
    style.dress(axes)
    axes.legend(frameon=False, loc="upper left")


def _unseen(fit: Fit) -> list[float]:
    every = [each for tested in fit.tested.values() for each in tested]
    return [*(each.figure.value for each in every), *(each.predicted for each in every)]


def _ends(values: Sequence[float]) -> tuple[float, float]:
    """Ends of an axis with room around ``values``."""
    return min(values) / _ROOM, max(values) * _ROOM


def _tested(axes: Axes, name: str, tested: Sequence[Tested]) -> None:
    label, colour, mark = _KINDS[name]
    values = [each.predicted for each in tested]
    below = [max(each.predicted - each.band.low, 0.0) for each in tested]
    above = [max(each.band.high - each.predicted, 0.0) for each in tested]
    axes.errorbar(
        [each.figure.value for each in tested],
        values,
        yerr=(below, above),
        fmt=mark,
        markersize=5,
        linewidth=1,
        color=colour,
        label=f"{label}, with its band at 90 %",
    )


def _throughput(axes: Axes, loads: Sequence[Load]) -> None:
    """Draw a curve with its band for each kind of I/O and each size."""
    kinds = list(dict.fromkeys((each.job.op, each.job.block) for each in loads))
    for number, kind in enumerate(kinds):
        of_kind = [each for each in loads if (each.job.op, each.job.block) == kind]
        _curve(axes, f"{kind[0]} {size_text(kind[1])}", of_kind, style.PALETTE[number % len(style.PALETTE)])
    users = sorted({each.job.users for each in loads})
    axes.set_xscale("log", base=2)
    axes.set_yscale("log")
    axes.set_xticks(users, list(map(str, users)))
    axes.minorticks_off()
    axes.set_xlabel("processes, one request of each in flight")
    axes.set_ylabel("throughput (MB/s), with its band at 90 %")
    axes.set_title("what the fitted stack does", fontsize=style.TITLE)
    _plain_numbers(axes)
    style.dress(axes)
    axes.legend(frameon=False, loc="best")


def _curve(axes: Axes, label: str, loads: Sequence[Load], colour: str) -> None:
    users = [each.job.users for each in loads]
    bands = [each.prediction.intervals["throughput"] for each in loads]
    axes.plot(users, [each.prediction.throughput.value for each in loads], "o-", color=colour, label=label)
    low, high = [each.low for each in bands], [each.high for each in bands]
    axes.fill_between(users, low, high, color=colour, alpha=style.BAND, linewidth=0)


def _plain_numbers(axes: Axes) -> None:
    for axis in (axes.xaxis, axes.yaxis):
        if axis.get_scale() == "log":
            style.plain_numbers(axis)
