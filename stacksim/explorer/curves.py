"""The curve of the page: an answer over one setting or parameter, of one design or of two."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

from sim.engine.errors import InputError, printable, shown
from sim.engine.simulation.options import ANALYTIC, Progress
from sim.engine.units.text import time_unit
from sim.output.pictures.chart import Axis, Chart, Curve, Points
from sim.prediction.published import PublishedFigure, conditions
from sim.system.scenario import LATENCIES
from stacksim.explorer.answers import CAREFUL
from stacksim.explorer.choices import Choices, figures_of
from stacksim.explorer.form import is_numeric
from stacksim.explorer.lines import Line, Point
from stacksim.explorer.question import Question

WIDE = 16.0
"""Ratio of values above which their axis is logarithmic."""


def curves(
    choices: Choices, questions: Sequence[Question], over: str, measure: str, look: Progress, *, carefully: bool
) -> Iterator[dict[str, Any]]:
    """Records of a chart, each better than the one before: points are computed first, then simulated in turn.

    Points that cannot be computed take a while, and are shown one by one.

    Raises:
        InputError: the first design has no setting, parameter or answer of that name, or cannot be asked about.
    """
    lines, left_out = [Line.of("A" if questions[1:] else "", choices, questions[0], over)], ""
    try:
        lines += [Line.of("B", choices, each, over) for each in questions[1:]]
    except InputError as error:
        left_out = f"B is not drawn: {printable(str(error))}"
    for number, line in enumerate(lines, 1):
        for point in line.points:
            line.compute(point, look)
            if point.found and point.found.result.engine != ANALYTIC:
                yield _record(lines[:number], measure, left_out, last=False)
    yield _record(lines, measure, left_out, last=not carefully)
    if carefully:
        for line, point in [(each, point) for each in lines for point in each.points]:
            line.simulate(point, look)
            yield _record(lines, measure, left_out, last=point is lines[-1].points[-1])


def _record(lines: Sequence[Line], measure: str, left_out: str, *, last: bool) -> dict[str, Any]:
    unit = _unit(lines[0], measure)
    drawn = [line for line in lines if _unit(line, measure) == unit]
    if len(drawn) < len(lines):
        left_out = f"B is not drawn: it has no {measure} in {unit}"
    return {
        "chart": _chart(drawn, measure, unit).record(),
        "gaps": [{"at": point.text, "why": point.why} for line in lines for point in line.points if point.why],
        "how": _how(lines),
        "left_out": left_out,
        "last": last,
    }


def _unit(line: Line, measure: str) -> str:
    found = [point.found for point in line.points if point.found]
    answers = [each.answers[measure] for each in found if measure in each.answers]
    if found and not answers and line.label != "B":
        raise InputError(f"no answer '{shown(measure)}' here; choose another")
    return answers[0].unit if answers else ""


def _how(lines: Sequence[Line]) -> str:
    """Method of the points, as text."""
    whole = [point for line in lines for point in line.points]
    points = [point for point in whole if point.found]
    if left := sum(not (point.found or point.why) for point in whole):
        return f"working: {len(whole) - left} of {len(whole)} points"
    computed = [point for point in points if point.found and point.found.result.engine == ANALYTIC]
    careful = sum(point.careful for point in points)
    if careful and careful < len(points):
        return f"{careful} of {len(points)} points simulated"
    if careful:
        return "simulated"
    return "computed, approximately" if len(computed) == len(points) else "roughly simulated"


def _chart(lines: Sequence[Line], measure: str, unit: str) -> Chart:
    label = LATENCIES.get(measure, measure).replace("_", " ")
    scale, scaled = _scale(lines, measure, unit)
    drawn = [_curve(line, measure, scale, line.label or label) for line in lines]
    published = [_published(number, line, measure, scale, unit) for number, line in enumerate(lines)]
    return Chart(
        f"{label} over {lines[0].over}",
        _across(lines),
        Axis(label, scaled),
        drawn,
        [points for points in published if points.x],
        _band(lines, measure),
    )


def _band(lines: Sequence[Line], measure: str) -> str:
    """Description of the intervals."""
    careful = [point.found for line in lines for point in line.points if point.found and point.careful]
    intervals = [each.intervals[measure] for each in careful if measure in each.intervals]
    if intervals:
        return f"prediction interval, at {intervals[0].confidence:.0%}"
    return f"interval of the simulation, at {CAREFUL.confidence:.0%}" if careful else ""


def _scale(lines: Sequence[Line], measure: str, unit: str) -> tuple[float, str]:
    """Factor to the unit of the axis, and that unit; times get a convenient one."""
    values = [_value(point, measure) for line in lines for point in line.points]
    largest = max((value for value in values if math.isfinite(value)), default=1.0)
    if unit != "s":
        return 1.0, unit
    name, seconds = time_unit(largest)
    return 1.0 / seconds, name


def _value(point: Point, measure: str) -> float:
    answer = point.found.answers.get(measure) if point.found else None
    return answer.estimate.value if answer else math.nan


def _curve(line: Line, measure: str, scale: float, label: str) -> Curve:
    ends = [_ends(point, measure) for point in line.points]
    return Curve(
        label,
        [point.x for point in line.points],
        [scale * _value(point, measure) for point in line.points],
        [scale * low for low, _ in ends],
        [scale * high for _, high in ends],
        untested=[bool(point.found and point.found.caveats.beyond) for point in line.points],
    )


def _ends(point: Point, measure: str) -> tuple[float, float]:
    """Ends of the prediction interval, or of the simulation's interval if parameters are certain."""
    if not (point.found and point.careful and measure in point.found.answers):
        return math.nan, math.nan
    if interval := point.found.intervals.get(measure):
        return interval.low, interval.high
    estimate = point.found.answers[measure].estimate
    return estimate.low, estimate.high


def _published(number: int, line: Line, measure: str, scale: float, unit: str) -> Points:
    """Published figures under the conditions of the points."""
    figures = [(point.x, figure) for point in line.points if (figure := _figure(line, point, measure, unit))]
    y, half_width = ([getattr(each, name) * scale for _, each in figures] for name in ("value", "half_width"))
    return Points(number, [x for x, _ in figures], y, half_width)


def _figure(line: Line, point: Point, measure: str, unit: str) -> PublishedFigure | None:
    if point.found is None or point.found.case.system.parameters.set():
        return None
    figure = figures_of(line.system).get((conditions(point.found.case.settings), measure))
    return figure if figure and figure.unit == unit else None


def _across(lines: Sequence[Line]) -> Axis:
    first = lines[0]
    named = {point.x: point.text for line in lines for point in line.points}
    numeric = first.setting is None or is_numeric(first.setting)
    wide = numeric and min(named) > 0.0 and max(named) / min(named) >= WIDE
    return Axis(first.over, "", wide, named, kinds=not numeric)
