"""Pictures of sweeps, as PNG or SVG."""

from __future__ import annotations

import io
import textwrap
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sim.errors import InputError
from sim.files import check_target, write_atomically
from sim.prediction import Prediction

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

FORMATS = (".png", ".svg")
_TITLE_WIDTH = 80


def sweep_figure(predictions: Sequence[Prediction], varied: Mapping[str, Sequence[Any]]) -> Figure:
    """Throughput over the numeric setting with most values, one line for each combination of the others.

    Raises:
        InputError: nothing to draw: no numeric setting has two values.
    """
    across = horizontal(varied)
    from matplotlib.figure import Figure  # lazily: most commands draw nothing

    figure = Figure(figsize=(8, 5), layout="constrained")
    axes = figure.add_subplot()
    lines: dict[str, list[Prediction]] = {}
    for each in predictions:
        label = ", ".join(f"{name} {each.shown[name]}" for name in varied if name != across)
        lines.setdefault(label, []).append(each)
    for label, points in lines.items():
        _line(axes, across, label, points)
    _dress(axes, across, predictions, sorted(varied[across]))
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


def _line(axes: Axes, across: str, label: str, points: Sequence[Prediction]) -> None:
    ordered = sorted(points, key=lambda each: int(each.settings[across]))
    x = [each.settings[across] for each in ordered]
    line = axes.plot(x, [each.throughput.value for each in ordered], marker="o", label=label)[0]
    axes.fill_between(
        x,
        [each.throughput.low for each in ordered],
        [each.throughput.high for each in ordered],
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
    axes.set_ylabel(f"throughput ({predictions[0].unit})")
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
