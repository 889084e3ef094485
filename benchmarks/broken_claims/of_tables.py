"""The figures of the published tables as claims, each about the system that it was measured on, and row by row."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from benchmarks.broken_claims.made import Made, told
from sim.data.arithmetic import IN_FLIGHT
from sim.data.dataset import Dataset, Measurement
from sim.engine.units import bytes_of, factor, per_second
from sim.prediction.report import datasets

NOT_CLEAN = {("fc-fabric", "UFS", "read"): "450 MB/s over two paths of 425 is what claims are about"}
"""Figures of tables that are themselves claims, with the reason."""

_LATENCIES = {"mean", "p50", "p95", "p99"}
_MAIN = {"throughput", "iops", "elapsed", *_LATENCIES}
"""Answers that the key of a claim names; all others are named by ``measure``."""

_MOVED = ("file", "bytes", "data")
"""Conditions that say how many bytes a job moves."""

_JOB = {"writers": "1", "streams": "1"}
"""Of others nobody says whether each moves them, or all together."""


def claims_of(dataset: Dataset) -> Iterator[Made]:
    """The predicted figures of ``dataset`` that a claim can say: rates, times, and what is counted a second."""
    for figure in dataset.predicted():
        key = _key(figure)
        if key and (dataset.name, figure.row, figure.column) not in NOT_CLEAN:
            about = {"system": dataset.system, "settings": dict(figure.conditions)}
            named = {} if figure.measure in _MAIN else {"measure": figure.measure}
            yield told("model", {**_text(dataset, figure), **about, key: _of(figure, _range(figure)), **named})


def rows_of(dataset: Dataset) -> Iterator[Made]:
    """Each run of ``dataset`` as one claim of all its numbers, as they were printed, and of what was set."""
    runs: dict[tuple[Any, ...], list[Measurement]] = {}
    for figure in dataset.measurements:
        repeat = figure.column.partition("repeat")[2]
        runs.setdefault((figure.row, figure.conditions, repeat), []).append(figure)
    for run in runs.values():
        told_of = [each for each in run if each.measure in _MAIN and _key(each)]
        ordered = sorted(told_of, key=lambda each: each.measure == "mean")  # of latencies, the mean
        numbers = {_key(each) or "": _printed(each) for each in ordered}
        if numbers:
            yield told("hardware", {**_text(dataset, run[0]), **numbers, **_set(run[0], numbers)})


def names() -> tuple[str, ...]:
    """The published tables."""
    return tuple(each.name for each in datasets(()))


def _key(figure: Measurement) -> str | None:
    if factor(figure.unit, "byte / second") is not None:
        return "throughput"
    if factor(figure.unit, "second") is not None:
        return "elapsed" if figure.measure == "elapsed" else "latency"
    return "iops" if per_second(figure.unit) else None


def _set(figure: Measurement, numbers: dict[str, Any]) -> dict[str, Any]:
    """Conditions that are numbers of a claim."""
    conditions = dict(figure.conditions)
    found: dict[str, Any] = {}
    if "block" in conditions:
        found["block"] = f"{bytes_of('block', conditions['block']):.0f} B"
    in_flight = [int(conditions[name]) for name in IN_FLIGHT if conditions.get(name, "").isdigit()]
    if in_flight:
        found["requests_in_flight"] = math.prod(in_flight)
    moved = next((conditions[name] for name in _MOVED if name in conditions), None)
    if moved and "elapsed" in numbers and all(conditions.get(name, one) == one for name, one in _JOB.items()):
        found["bytes"] = moved
    return found


def _text(dataset: Dataset, figure: Measurement) -> dict[str, Any]:
    return {
        "text": f"{dataset.name}: {figure.row}, {figure.column}",
        "source": f"{figure.source}, {figure.table}",
    }


def _range(figure: Measurement) -> str:
    return f"{figure.value - figure.half_width:.9g}..{figure.value + figure.half_width:.9g} {_unit(figure)}"


def _printed(figure: Measurement) -> Any:
    """The figure with as many digits as its rounding says that it had."""
    scale, unit = (1e6, "us") if figure.unit == "s" and figure.measure != "elapsed" else (1.0, _unit(figure))
    places = max(0, -math.floor(math.log10(2.0 * figure.half_width * scale * 1.001)))
    text = f"{figure.value * scale:.{places}f}{'' if places else '.'} {unit}"
    return _of(figure, text)


def _of(figure: Measurement, text: str) -> Any:
    """The number with what it is of, if that is a statistic of latency."""
    return {"value": text, "of": figure.measure} if figure.measure in _LATENCIES else text


def _unit(figure: Measurement) -> str:
    return figure.unit.replace("bytes", "B").replace("1/s", "/s")
