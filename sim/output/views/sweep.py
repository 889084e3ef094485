"""A sweep as a table: a row for each point."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from sim.engine.errors import printable
from sim.engine.statistics.estimates import Estimate
from sim.engine.units.text import interval_texts, number_text, time_text, time_unit
from sim.output.pictures.static import MAX_CURVES
from sim.output.pictures.sweep import sweep_figure
from sim.output.views.parts import Line, Part, Wide
from sim.output.views.prediction import of_all
from sim.output.views.view import PartsAndPicture
from sim.output.views.words import UNKNOWN, WHY_UNKNOWN, ends_of, mark, words
from sim.prediction.prediction import Prediction
from sim.prediction.swept import Sweep
from sim.prediction.table import Point
from sim.prediction.uncertainty import EXPECTED
from sim.system.scenario import LATENCIES

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_SWEPT = 4
"""Largest number of answers besides throughput in the table of a sweep; its .csv file has all."""


def parts_of(points: Sequence[Point], varied: Sequence[str]) -> Iterator[Part]:
    """A table with a row for each point, at least one of which is done; with bands, if the points have some."""
    done = [point.prediction for point in points if point.prediction]
    columns = list(_columns(done))
    rows = [_row(each, varied, columns) for each in points]
    yield Wide((*varied, *(each.heading for each in columns), "limit"), rows, keys=len(varied))
    if any(UNKNOWN in cell for row in rows for cell in row[len(varied) : -1]):
        yield Line(f"{WHY_UNKNOWN}; without a warning, it was not watched (--watch)")
    if several := sum(each.states is not None for each in done):
        yield Line(
            f"two states ({several} of {len(done)}): throughput switches between them; predict says for how long"
        )
    yield from of_all(done)


@dataclass(frozen=True)
class _Column:
    """Heading of a column, and its cell for each point that is done."""

    heading: str
    cell: Callable[[Prediction], str]


def _columns(done: Sequence[Prediction]) -> Iterator[_Column]:
    """Throughput with its interval, the answers of the system, then latencies; each followed by its band."""
    yield _Column(done[0].unit, _throughput)
    yield _Column("low", lambda each: _ends(each.throughput)[0])
    yield _Column("high", lambda each: _ends(each.throughput)[1])
    yield from _band(done, "throughput", "")
    further = {name: answer.unit for each in done for name, answer in each.further.items()}
    for name, unit in list(further.items())[:_SWEPT]:
        yield _Column(f"{words(name)}, {unit}", partial(_further, name))
        yield from _band(done, name, f" {words(name)}")
    for name, heading in (("mean", "mean latency"), ("p99", "p99")):
        yield _Column(heading, partial(_latency, name))
        yield from _band(done, name, f" {heading}")


def _throughput(prediction: Prediction) -> str:
    """Throughput; with two states, the rates of both."""
    estimate = prediction.throughput
    return f"{prediction.states.both()}{mark(estimate)}" if prediction.states else _value(estimate)


def _band(done: Sequence[Prediction], name: str, of: str) -> Iterator[_Column]:
    """Column of prediction intervals of the answer ``name``; none if no point has one."""
    if any(name in each.intervals for each in done):
        yield _Column(f"{EXPECTED}{of}", partial(_lies, name))


def _lies(name: str, prediction: Prediction) -> str:
    band = prediction.intervals.get(name)
    if band is None:
        return ""
    unit, scale = time_unit(prediction.answers[name].estimate.value) if name in LATENCIES else ("", 1.0)
    return f"{ends_of(band, scale)} {unit}".rstrip() + ("" if band.known else UNKNOWN)


def _further(name: str, prediction: Prediction) -> str:
    return _value(prediction.further[name].estimate) if name in prediction.further else ""


def _latency(name: str, prediction: Prediction) -> str:
    estimate = prediction.answers[name].estimate
    return f"{time_text(estimate.value)}{mark(estimate)}"


def _row(point: Point, varied: Sequence[str], columns: Sequence[_Column]) -> tuple[str, ...]:
    """Row of a point; one that is not done has its status in the last column."""
    prediction = point.prediction
    if prediction is None:
        shown = point.case.shown
        return (*(printable(shown[name]) for name in varied), *("",) * len(columns), point.known.status)
    cells = (column.cell(prediction) for column in columns)
    return (*(printable(prediction.shown[name]) for name in varied), *cells, prediction.limit.short)


def _ends(estimate: Estimate) -> list[str]:
    return interval_texts(estimate.low, estimate.high)


def _value(estimate: Estimate) -> str:
    return f"{number_text(estimate.value)}{mark(estimate)}"


def _parts(sweep: Sweep) -> Iterator[Part]:
    return parts_of(sweep.points, list(sweep.varied))


def _picture(sweep: Sweep) -> Figure | None:
    """Chart of throughput; None for a single point, or for too many curves."""
    several = [len(values) for values in sweep.varied.values() if len(values) > 1]
    if not several or math.prod(several) > MAX_CURVES * max(several):
        return None
    return sweep_figure(sweep.predictions, sweep.varied)


VIEW = PartsAndPicture(_parts, _picture, "the throughput of each row of the table")
