"""A sweep as a table: a row for each point."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from sim.errors import printable
from sim.output.pictures.static import MAX_CURVES
from sim.output.pictures.sweep import sweep_figure
from sim.output.views.parts import Line, Part, Wide
from sim.output.views.view import PartsAndPicture
from sim.output.views.words import UNKNOWN, mark, number, words
from sim.prediction.swept import Sweep
from sim.prediction.table import Point
from sim.statistics.estimates import Estimate
from sim.units import time_text

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_SWEPT = 4
"""Answers beside throughput in the table of a sweep; its .csv file has them all."""


def parts_of(points: Sequence[Point], varied: Sequence[str], mend: str) -> Iterator[Part]:
    """A table with a row for each point, at least one of which is done.

    Args:
        mend: how to know better what is not known well enough.
    """
    done = [point.prediction for point in points if point.prediction]
    shown = list({name: answer for each in done for name, answer in each.further.items()}.items())[:_SWEPT]
    further = {name: f"{words(name)}, {each.unit}" for name, each in shown}
    headings = (*varied, done[0].unit, "low", "high", *further.values(), "mean latency", "p99", "limited by")
    rows = [_row(each, varied, list(further)) for each in points]
    yield Wide(headings, rows, keys=len(varied))
    if any(UNKNOWN in cell for row in rows for cell in row[len(varied) : -1]):
        yield Line(f"{UNKNOWN} not known well enough: {mend}")
    if sampled := sorted({each.parts for each in done if each.parts > 1}):
        parts = ", ".join(map(str, sampled))
        yield Line(f"sampled: of jobs too long to simulate, one of {parts} equal parts, its times multiplied")


def _row(point: Point, varied: Sequence[str], further: Sequence[str]) -> tuple[str, ...]:
    """One that is not done has its status where else stands what limits."""
    prediction = point.prediction
    if prediction is None:
        shown, answers = point.case.shown, len(further) + 5
        return (*(printable(shown[name]) for name in varied), *("",) * answers, point.known.status)
    latency, estimate = prediction.latency, prediction.throughput
    return (
        *(printable(prediction.shown[name]) for name in varied),
        _value(estimate),
        *(number(value) for value in (estimate.low, estimate.high)),
        *(_value(prediction.further[name].estimate) if name in prediction.further else "" for name in further),
        *(f"{time_text(answer.value)}{mark(answer)}" for answer in (latency.mean, latency.p99)),
        prediction.limit.short,
    )


def _value(estimate: Estimate) -> str:
    return f"{number(estimate.value)}{mark(estimate)}"


def _parts(sweep: Sweep) -> Iterator[Part]:
    return parts_of(sweep.points, list(sweep.varied), "simulate longer, or ask for less precision")


def _picture(sweep: Sweep) -> Figure | None:
    """Throughput; None of a single point, and where more would be drawn than can be told apart."""
    several = [len(values) for values in sweep.varied.values() if len(values) > 1]
    if not several or math.prod(several) > MAX_CURVES * max(several):
        return None
    return sweep_figure(sweep.predictions, sweep.varied)


VIEW = PartsAndPicture(_parts, _picture, "the throughput of each row of the table")
