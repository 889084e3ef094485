"""Pictures of sweeps: answers over a setting, as charts for paper and page."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise, product
from typing import TYPE_CHECKING, Any

from sim.engine.errors import InputError, printable
from sim.engine.statistics.estimates import Estimate
from sim.engine.statistics.power import at_knee, power
from sim.engine.units.text import time_unit
from sim.output.pictures import static
from sim.output.pictures.chart import Axis, Chart, Curve, Points
from sim.output.pictures.drawable import horizontal, numeric
from sim.output.pictures.style import UNBROKEN
from sim.prediction.prediction import Prediction
from sim.prediction.published import Conditions, PublishedFigure, conditions, published_figures
from sim.prediction.sweep import groups
from sim.system.scenario import LATENCIES

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True)
class _Line:
    """One answer under one combination of the settings that are not along the x axis."""

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
    """The picture of ``charts``."""
    return static.figure(*charts(predictions, varied, measures, paired, over))


def charts(
    predictions: Sequence[Prediction],
    varied: Mapping[str, Sequence[Any]],
    measures: Sequence[str] = ("throughput",),
    paired: Sequence[str] = (),
    over: str | None = None,
) -> tuple[Chart, ...]:
    """Answers over a setting, a curve for each combination of the others; a chart for each unit.

    Without ``over``, ``horizontal`` chooses the setting.

    Published figures under the same settings lie on top. With several charts, such as throughput and latency over
    a load, each curve has its knee. Bands are prediction intervals if all are known, else those of the engine.

    Raises:
        InputError: nothing to draw: no setting has two values.
    """
    across = horizontal(varied, over)
    others = _others(varied, across, paired)
    panels = [list(_lines(predictions, others, each)) for each in _by_unit(predictions, measures)]
    axis = _along(predictions, across, varied[across])
    made = _Charts(_title(predictions, across), axis, across, varied[across], knees=len(panels) > 1)
    figures = published_figures(predictions[0].case.system)
    return tuple(made.chart(lines, figures) for lines in panels)


def _others(varied: Mapping[str, Sequence[Any]], across: str, paired: Sequence[str]) -> list[str]:
    """Settings that differ between lines: those that vary, but not together with the x axis."""
    along = next(group for group in groups(varied, paired) if across in group)
    return [name for name in varied if name not in along and len(varied[name]) > 1]


def _by_unit(predictions: Sequence[Prediction], measures: Sequence[str]) -> list[list[str]]:
    """The measures of each unit, in their order."""
    panels: dict[str, list[str]] = {}
    for measure in measures:
        panels.setdefault(predictions[0].answers[measure].unit, []).append(measure)
    return list(panels.values())


def _lines(predictions: Sequence[Prediction], others: Sequence[str], measures: Sequence[str]) -> Iterator[_Line]:
    points: dict[tuple[str, str], list[Prediction]] = {}
    for measure, prediction in product(measures, predictions):
        words = [f"{name} {printable(prediction.shown[name])}" for name in others]
        words += [_name(measure)] * (len(measures) > 1 or not others)
        points.setdefault((measure, ", ".join(words)), []).append(prediction)
    for (measure, label), of_line in points.items():
        yield _Line(label, measure, of_line)


def _along(predictions: Sequence[Prediction], across: str, values: Sequence[Any]) -> Axis:
    """The x axis: numbers at their values, words one after the other."""
    texts = {each.inputs[across]: printable(each.shown[across]) for each in predictions}
    if numeric(values):
        return Axis(across, logarithmic=min(texts) > 0, named=texts)
    named = {float(values.index(value)): text for value, text in texts.items()}
    return Axis(across, named=named, kinds=True)


def _title(predictions: Sequence[Prediction], across: str) -> str:
    """The system, and the settings that are equal everywhere."""
    first = predictions[0]
    same = [
        f"{name}{UNBROKEN}{printable(text)}"
        for name, text in first.shown.items()
        if name != across and all(each.shown[name] == text for each in predictions)
    ]
    return f"{first.system}: {', '.join(same)}"


def _name(measure: str) -> str:
    return LATENCIES.get(measure, measure.replace("_", " "))


@dataclass(frozen=True)
class _Charts:
    """Properties that all charts of a sweep share.

    Attributes:
        across: the setting along the x axis.
        values: all its values.
        knees: True to mark knees.
    """

    title: str
    x: Axis
    across: str
    values: Sequence[Any]
    knees: bool

    def chart(self, lines: Sequence[_Line], figures: _Figures) -> Chart:
        """The chart of ``lines``, whose answers have equal units."""
        scale, unit = _unit(lines)
        names = {_name(line.measure) for line in lines}
        intervals, band = _bands(lines)
        points = [self._points(number, line, figures, scale) for number, line in enumerate(lines)]
        return Chart(
            self.title,
            self.x,
            Axis(names.pop() if len(names) == 1 else "answers", unit),
            [self._curve(line, ends, scale) for line, ends in zip(lines, intervals, strict=True)],
            [each for each in points if each.x],
            band,
        )

    def _curve(self, line: _Line, ends: Sequence[tuple[float, float]], scale: float) -> Curve:
        y = [_answer(each, line.measure).value * scale for each in line.points]
        low, high = ([each[side] * scale for each in ends] for side in (0, 1))
        knees = self.knees and not self.x.kinds
        untested = [each.caveats.beyond for each in line.points]
        at = knee(line.points) if knees else None
        return Curve(line.label, self._places(line), y, low, high, knee=at, untested=untested)

    def _points(self, number: int, line: _Line, figures: _Figures, scale: float) -> Points:
        """Published figures under the conditions of ``line``."""
        found = [
            (x, figure)
            for x, each in zip(self._places(line), line.points, strict=True)
            if (figure := figures.get((conditions(each.case.settings), line.measure)))
            and figure.unit == each.answers[line.measure].unit
        ]
        y, half_width = ([getattr(each, name) * scale for _, each in found] for name in ("value", "half_width"))
        return Points(number, [x for x, _ in found], y, half_width)

    def _places(self, line: _Line) -> list[float]:
        given = [each.inputs[self.across] for each in line.points]
        return [float(self.values.index(each)) for each in given] if self.x.kinds else given


_Figures = Mapping[tuple[Conditions, str], PublishedFigure]


def _bands(lines: Sequence[_Line]) -> tuple[list[list[tuple[float, float]]], str]:
    """Ends of the intervals of each line, and their description."""
    ranges = [[each.intervals.get(line.measure) for each in line.points] for line in lines]
    if all(each for of_line in ranges for each in of_line):
        ends = [[(each.low, each.high) for each in of_line if each] for of_line in ranges]
        confidence = next(each.confidence for each in ranges[0] if each)
        return ends, f"prediction interval, at {confidence:.0%}"
    estimates = [[_answer(each, line.measure) for each in line.points] for line in lines]
    known = [each for of_line in estimates for each in of_line if math.isfinite(each.low + each.high)]
    name = f"interval, at {known[0].confidence:.0%}" if known else ""
    return [[(each.low, each.high) for each in of_line] for of_line in estimates], name


def _answer(prediction: Prediction, measure: str) -> Estimate:
    return prediction.answers[measure].estimate


def _unit(lines: Sequence[_Line]) -> tuple[float, str]:
    """The factor from the unit of the answers to that of the y axis, and the name of the latter."""
    first = lines[0]
    if first.measure not in LATENCIES:
        return 1.0, first.points[0].answers[first.measure].unit
    answers = [each.answers[line.measure] for line in lines for each in line.points]
    known = [each.estimate.value for each in answers if math.isfinite(each.estimate.value)]
    if not known:
        raise InputError(f"{first.measure} cannot be drawn: {answers[0].why}; draw mean")
    unit, seconds = time_unit(max(known))
    return 1.0 / seconds, unit


def knee(predictions: Sequence[Prediction]) -> int | None:
    """Index of the knee along predictions of growing load: from there on latency rises faster.

    None if the load does not grow, if latency rises faster from the first point on, or if it does not even at the
    last one.
    """
    loads = [each.result.groups[each.result.watched].population for each in predictions]
    if not all(before < after for before, after in pairwise(loads)):
        return None
    powers = [power(each.throughput.value, each.answers["mean"].estimate.value) for each in predictions]
    return at_knee(powers) or None
