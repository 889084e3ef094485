"""Pictures of sweeps, as PNG or SVG."""

from __future__ import annotations

import io
import textwrap
from collections.abc import Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sim.errors import InputError, nearest, shown
from sim.files import check_target, write_atomically
from sim.prediction import Prediction
from sim.settings import complete
from sim.sweep import crossed
from sim.system import System

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

FORMATS = (".png", ".svg")
_TITLE_WIDTH = 80


def sweep_figure(
    predictions: Sequence[Prediction],
    varied: Mapping[str, Sequence[Any]],
    measures: Sequence[str] = ("throughput",),
) -> Figure:
    """Answers of one unit over the numeric setting with most values, a line for each combination of the others.

    Raises:
        InputError: nothing to draw: no numeric setting has two values.
    """
    across = horizontal(varied)
    from matplotlib.figure import Figure  # lazily: most commands draw nothing

    figure = Figure(figsize=(8, 5), layout="constrained")
    axes = figure.add_subplot()
    lines: dict[tuple[str, str], list[Prediction]] = {}
    for measure, each in product(measures, predictions):
        words = [f"{name} {each.shown[name]}" for name in varied if name != across and len(varied[name]) > 1]
        words += [measure.replace("_", " ")] * (len(measures) > 1)
        lines.setdefault((measure, ", ".join(words)), []).append(each)
    for (measure, label), points in lines.items():
        _line(axes, across, label, measure, points)
    _dress(axes, across, predictions, sorted(varied[across]))
    name = measures[0].replace("_", " ") if len(measures) == 1 else "answers"
    axes.set_ylabel(f"{name} ({predictions[0].answers[measures[0]].unit})")
    if len(lines) > 1:
        axes.legend(frameon=False)
    return figure


def horizontal(varied: Mapping[str, Sequence[Any]]) -> str:
    """The setting that a picture of a sweep has along its x axis.

    Raises:
        InputError: nothing to draw: no numeric setting has two values.
    """
    numeric = {
        name: len(values)
        for name, values in varied.items()
        if len(values) > 1 and all(isinstance(value, int) and not isinstance(value, bool) for value in values)
    }
    if not numeric:
        raise InputError(
            f"nothing to draw with {', '.join(varied)} alone; vary a setting that is a number, such as users=1,4,8"
        )
    return max(numeric, key=lambda name: numeric[name])


def check_measures(system: System, varied: Mapping[str, Sequence[Any]], names: Sequence[str]) -> None:
    """Refuse answers that one picture cannot draw: before hours of simulation, not behind them.

    Raises:
        InputError: a combination has no such answer, or the units differ.
    """
    for given in crossed(varied):
        units = system.build(complete(system.settings, given), system.parameters).units
        for name in names:
            if name not in units:
                raise InputError(
                    f"system '{system.name}' has no answer '{shown(name)}' here; {nearest(name, units)}"
                )
        if len({units[name] for name in names}) > 1:
            told = ", ".join(f"{name} in {units[name]}" for name in names)
            raise InputError(f"one picture cannot draw {told}; draw answers of one unit")


def _line(axes: Axes, across: str, label: str, measure: str, points: Sequence[Prediction]) -> None:
    ordered = sorted(points, key=lambda each: int(each.settings[across]))
    x = [each.settings[across] for each in ordered]
    found = [each.answers[measure].estimate for each in ordered]
    line = axes.plot(x, [each.value for each in found], marker="o", label=label)[0]
    axes.fill_between(
        x,
        [each.low for each in found],
        [each.high for each in found],
        color=line.get_color(),
        alpha=0.2,
        linewidth=0,
    )


def _dress(axes: Axes, across: str, predictions: Sequence[Prediction], values: Sequence[int]) -> None:
    axes.set_xscale("log", base=2)
    shown = {each.settings[across]: each.shown[across] for each in predictions}
    axes.set_xticks(values, [shown[value] for value in values])
    axes.minorticks_off()
    axes.set_ylim(bottom=0)
    axes.set_xlabel(across)
    axes.set_title(textwrap.fill(_fixed(predictions[0], across, predictions), _TITLE_WIDTH))
    axes.grid(alpha=0.3)
    axes.spines[["top", "right"]].set_visible(False)


def _fixed(first: Prediction, across: str, predictions: Sequence[Prediction]) -> str:
    """Settings that are the same everywhere, for the title."""
    same = [
        f"{name} {text}"
        for name, text in first.shown.items()
        if name != across and all(each.shown[name] == text for each in predictions)
    ]
    return f"{first.system}: {', '.join(same)}"


def save(figure: Figure, path: Path) -> None:
    """Write ``figure`` to ``path``, whole or not at all; the ending says which format."""
    check_target("picture", path, FORMATS)
    write_atomically(path, content(figure, path.suffix[1:].lower()))


def content(figure: Figure, kind: str) -> bytes:
    """What a file of ``figure`` holds; ``kind`` is ``png`` or ``svg``."""
    written = io.BytesIO()
    figure.savefig(written, format=kind, dpi=150)
    return written.getvalue()
