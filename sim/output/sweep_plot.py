"""Pictures of sweeps, as PNG or SVG."""

from __future__ import annotations

import io
import math
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sim.errors import InputError, StacksimError, nearest, printable, shown
from sim.files import check_target, write_atomically
from sim.output.marks import PALETTE, Figures, draw_knee, draw_published, figures_for, knee, legend_of_marks
from sim.prediction.prediction import Prediction
from sim.prediction.sweep import groups
from sim.simulation.options import ANALYTIC
from sim.statistics.estimates import Estimate
from sim.system.case import Case
from sim.system.scenario import LATENCIES

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

FORMATS = (".png", ".svg")

_MARKERS, _STYLES, _HATCHES = "os^DvPX*", ("-", "--", ":", "-."), ("", "//", "..", "xx")
MAX_LINES = len(PALETTE) * len(_STYLES)
"""Lines, or kinds of bars, that can be told apart in one panel."""

MAX_PANELS = 4
"""Units that one picture can show, each in a panel of its own."""

_WIDTH, _HEIGHT, _PANEL = 8.0, 5.0, 3.6
"""Inches of a picture, and the height of one of several panels."""

_OUTSIDE: Mapping[str, Any] = {"loc": "upper left", "bbox_to_anchor": (1.0, 1.0)}

_CHARACTER, _LINE = 0.085, 0.24
"""Inches of a character of a legend or title, and of a line of a legend."""


@dataclass(frozen=True)
class _Line:
    """One answer under one combination of the settings that do not lie along the x axis."""

    label: str
    measure: str
    points: list[Prediction]


def sweep_figure(
    predictions: Sequence[Prediction],
    varied: Mapping[str, Sequence[Any]],
    measures: Sequence[str] = ("throughput",),
    paired: Sequence[str] = (),
    over: str | None = None,
) -> Figure:
    """Answers over a setting, a line (or bars) for each combination of the others; a panel for each unit.

    Without the setting ``over`` it is the one that ``horizontal`` chooses.

    What was published under the same settings lies on top. With several panels, such as throughput and latency
    over a load, each line has a ring around its knee.

    Raises:
        InputError: nothing to draw: no setting has two values; or more lines than can be told apart.
    """
    across = horizontal(varied, over)
    others = _others(varied, across, paired)
    panels = [list(_lines(predictions, others, each)) for each in _by_unit(predictions, measures)]
    from matplotlib.figure import Figure  # lazily: most commands draw nothing

    figure = Figure(layout="constrained")
    picture = _Picture(across, varied[across], figures_for(predictions), knees=len(panels) > 1)
    for axes, lines in zip(figure.subplots(len(panels), squeeze=False)[:, 0], panels, strict=True):
        picture.draw(axes, lines)
    width = _add_legends(figure)
    figure.suptitle(_wrapped(_fixed(predictions[0], across, predictions), width), fontsize=11)
    return figure


def _add_legends(figure: Figure) -> float:
    """Say beside each panel what its lines are, if there are several, and make room for that; the new width."""
    labels = [axes.get_legend_handles_labels()[1] for axes in figure.axes]
    for axes, named in zip(figure.axes, labels, strict=True):
        if len(named) > 1:
            axes.legend(frameon=False, handlelength=3, **_OUTSIDE)
    longest = max((len(label) for named in labels for label in named if len(named) > 1), default=0)
    width = _WIDTH + (_CHARACTER * longest + 0.6 if longest else 0.0)
    height = max(_HEIGHT if len(labels) == 1 else _PANEL, _LINE * max(map(len, labels)) + 1.0)
    figure.set_size_inches(width, len(labels) * height)
    return width


def _wrapped(title: str, inches: float) -> str:
    """``title`` in lines that fit into a picture so wide."""
    return "\n".join(textwrap.fill(each, int(inches / _CHARACTER)) for each in title.splitlines())


def parsed_measures(text: str) -> list[str]:
    """Read the answers that a picture is to show; ``hit ratio`` may be written for ``hit_ratio``.

    Raises:
        InputError: one is given twice.
    """
    names = [each.strip().replace(" ", "_") for each in text.split(",")]
    if len(set(names)) < len(names):
        raise InputError(f"an answer is given twice in '{shown(text)}'; give each once")
    return names


def horizontal(varied: Mapping[str, Sequence[Any]], over: str | None = None) -> str:
    """The setting that a picture of a sweep has along its x axis: with most values, a number if one is varied.

    Args:
        over: the one that it is to be.

    Raises:
        InputError: nothing to draw: no setting has two values, or ``over`` has not.
    """
    several = {name: values for name, values in varied.items() if len(values) > 1}
    if not several:
        raise InputError(
            f"nothing to draw with {', '.join(varied)} alone; give a setting several values, such as users=1,4,8"
        )
    if over is not None:
        if over not in several:
            raise InputError(f"cannot draw over '{shown(over)}', which does not vary; {nearest(over, several)}")
        return over
    return max(several, key=lambda name: (_numeric(several[name]), len(several[name])))


def _numeric(values: Sequence[Any]) -> bool:
    return all(isinstance(value, int | float) and not isinstance(value, bool) for value in values)


def check_measures(
    cases: Sequence[Case],
    varied: Mapping[str, Sequence[Any]],
    names: Sequence[str],
    engine: str = "auto",
    paired: Sequence[str] = (),
    over: str | None = None,
) -> None:
    """Refuse what one picture cannot draw, before hours of simulation.

    Raises:
        InputError: a combination has no such answer, the units differ, or there are too many lines.
    """
    across = horizontal(varied, over)
    together = groups(varied, paired)
    count = len(names) * math.prod(len(varied[group[0]]) for group in together if across not in group)
    if count > MAX_LINES:
        raise InputError(f"a picture of {count} lines cannot be read; allowed: {MAX_LINES}; vary less")
    for case in cases:
        try:
            units = case.scenario.units
        except StacksimError:  # which that point will say of itself
            continue
        for name in names:
            if name not in units:
                raise InputError(
                    f"system '{case.system.name}' has no answer '{shown(name)}' here; {nearest(name, units)}"
                )
            if engine == ANALYTIC and name in LATENCIES and name != "mean":
                raise InputError(f"the analytic engine does not know {name}; draw mean, or choose engine auto")
        if len({units[name] for name in names}) > MAX_PANELS:
            named = ", ".join(f"{name} in {units[name]}" for name in names)
            raise InputError(f"one picture cannot draw {named}; draw answers of {MAX_PANELS} units at most")


def _answer(prediction: Prediction, measure: str) -> Estimate:
    return prediction.answers[measure].estimate


def _name(measure: str) -> str:
    return LATENCIES.get(measure, measure.replace("_", " "))


def _by_unit(predictions: Sequence[Prediction], measures: Sequence[str]) -> list[list[str]]:
    """The measures of each unit, in their order."""
    panels: dict[str, list[str]] = {}
    for measure in measures:
        panels.setdefault(predictions[0].answers[measure].unit, []).append(measure)
    return list(panels.values())


def _unit(lines: Sequence[_Line]) -> tuple[float, str]:
    """The factor from the unit of the answers to that of the y axis, and the name of the latter."""
    first = lines[0]
    if first.measure not in LATENCIES:
        return 1.0, first.points[0].answers[first.measure].unit
    largest_s = max(_answer(each, line.measure).value for line in lines for each in line.points)
    for unit, times in (("s", 1.0), ("ms", 1e3), ("µs", 1e6)):
        if largest_s * times >= 1.0:
            return times, unit
    return 1e9, "ns"


def _others(varied: Mapping[str, Sequence[Any]], across: str, paired: Sequence[str]) -> list[str]:
    """What differs from line to line: what varies, but not together with the setting along the x axis."""
    along = next(group for group in groups(varied, paired) if across in group)
    return [name for name in varied if name not in along and len(varied[name]) > 1]


def _lines(predictions: Sequence[Prediction], others: Sequence[str], measures: Sequence[str]) -> Iterator[_Line]:
    points: dict[tuple[str, str], list[Prediction]] = {}
    for measure, prediction in product(measures, predictions):
        words = [f"{name} {_plain(prediction.shown[name])}" for name in others]
        words += [_name(measure)] * (len(measures) > 1)
        points.setdefault((measure, ", ".join(words)), []).append(prediction)
    for (measure, label), of_line in points.items():
        yield _Line(label, measure, of_line)


@dataclass(frozen=True)
class _Picture:
    """What all panels of a picture have in common.

    Attributes:
        across: the setting along the x axis.
        values: all values that it has.
        figures: what was published.
        knees: whether knees are marked.
    """

    across: str
    values: Sequence[Any]
    figures: Figures
    knees: bool

    def draw(self, axes: Axes, lines: Sequence[_Line]) -> None:
        """Draw one panel."""
        scale, unit = _unit(lines)
        published = [
            *map(bool, (self._draw_lines if _numeric(self.values) else self._draw_bars)(axes, lines, scale))
        ]
        measures = {line.measure for line in lines}
        _dress(axes, self.across, f"{_name(lines[0].measure) if len(measures) == 1 else 'answers'} ({unit})")
        knees = self.knees and any(knee(line.points) is not None for line in lines) and _numeric(self.values)
        legend_of_marks(axes, published=any(published), knees=knees)

    def _draw_lines(self, axes: Axes, lines: Sequence[_Line], scale: float) -> Iterator[bool]:
        """Draw each line with its interval; whether figures were published on it."""
        shown: dict[Any, str] = {}
        for number, line in enumerate(lines):
            x = [each.inputs[self.across] for each in line.points]
            answers = [_answer(each, line.measure).scaled(scale) for each in line.points]
            y = [each.value for each in answers]
            colour, style = PALETTE[number % len(PALETTE)], _STYLES[number // len(PALETTE) % len(_STYLES)]
            marker = _MARKERS[number % len(PALETTE)]
            size = 8.0 - 4.0 * number / len(lines)  # the hindmost look out
            axes.plot(x, y, label=line.label, color=colour, linestyle=style, marker=marker, markersize=size)
            low, high = zip(*map(_ends, answers), strict=True)
            axes.fill_between(x, low, high, color=colour, alpha=0.2, linewidth=0)
            if self.knees and (at := knee(line.points)) is not None:
                draw_knee(axes, x[at], y[at])
            points = list(zip(x, line.points, strict=True))
            yield draw_published(axes, self.figures, points, line.measure, scale, colour)
            shown |= {each.inputs[self.across]: _plain(each.shown[self.across]) for each in line.points}
        if min(shown) > 0:
            axes.set_xscale("log", base=2)
        axes.set_xticks(list(shown), list(shown.values()))
        axes.minorticks_off()

    def _draw_bars(self, axes: Axes, lines: Sequence[_Line], scale: float) -> Iterator[bool]:
        """Draw the bars of each kind; whether figures were published of them."""
        width = 0.8 / len(lines)
        shown: dict[int, str] = {}
        for number, line in enumerate(lines):
            at = [self.values.index(each.inputs[self.across]) for each in line.points]
            x = [index + width * (number - 0.5 * (len(lines) - 1)) for index in at]
            answers = [_answer(each, line.measure).scaled(scale) for each in line.points]
            ends = [(each, _ends(each)) for each in answers]
            below, above = zip(*((each.value - low, high - each.value) for each, (low, high) in ends), strict=True)
            colour, hatch = PALETTE[number % len(PALETTE)], _HATCHES[number // len(PALETTE) % len(_HATCHES)]
            y = [each.value for each in answers]
            axes.bar(
                x,
                y,
                width,
                label=line.label,
                color=colour,
                hatch=hatch,
                edgecolor="white",
                yerr=(below, above),
                ecolor="0.4",
            )
            points = list(zip(x, line.points, strict=True))
            yield draw_published(axes, self.figures, points, line.measure, scale, colour)
            shown |= {index: _plain(each.shown[self.across]) for index, each in zip(at, line.points, strict=True)}
        axes.set_xticks(list(shown), list(shown.values()))


def _ends(estimate: Estimate) -> tuple[float, float]:
    """Ends of the interval that is drawn; both at the value where an end is not known."""
    finite = math.isfinite(estimate.low) and math.isfinite(estimate.high)
    return (estimate.low, estimate.high) if finite else (estimate.value, estimate.value)


def _dress(axes: Axes, across: str, vertical: str) -> None:
    axes.margins(y=0.08)
    axes.set_ylim(bottom=0)
    axes.set_xlabel(across)
    axes.set_ylabel(vertical)
    axes.set_axisbelow(True)
    axes.grid(alpha=0.3)
    axes.spines[["top", "right"]].set_visible(False)


def _plain(text: str) -> str:
    """``text`` without formulas, which Matplotlib reads between dollar signs such as a file name may have."""
    return printable(text).replace("$", r"\$")


def _fixed(first: Prediction, across: str, predictions: Sequence[Prediction]) -> str:
    """Settings that are the same everywhere, for the title."""
    same = [
        f"{name}\u00a0{_plain(text)}"  # which no line is broken between
        for name, text in first.shown.items()
        if name != across and all(each.shown[name] == text for each in predictions)
    ]
    return f"{first.system}: {', '.join(same)}"


def save(figure: Figure, path: Path) -> None:
    """Write ``figure`` to ``path``, whole or not at all; the ending says which format, PNG without one."""
    check_target("picture", path, FORMATS, or_standard_output=True)
    write_atomically(path, content(figure, path.suffix[1:].lower() or "png"))


def content(figure: Figure, kind: str) -> bytes:
    """What a file of ``figure`` holds; ``kind`` is ``png`` or ``svg``."""
    written = io.BytesIO()
    figure.savefig(written, format=kind, dpi=150)
    return written.getvalue()
