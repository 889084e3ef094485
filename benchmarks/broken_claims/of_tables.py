"""The figures of the published tables as claims about the systems that they were measured on."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from benchmarks.broken_claims.made import Made, told
from sim.data.dataset import Dataset, Measurement
from sim.prediction.report import datasets
from sim.units import factor

NOT_CLEAN = {("fc-fabric", "UFS", "read"): "450 MB/s over two paths of 425 is what claims are about"}
"""Figures of tables that are themselves claims, with the reason."""

_MAIN = {"throughput", "elapsed", "mean", "p50", "p95", "p99"}
"""Answers that the key of a claim names; all others are named by ``measure``."""


def claims_of(dataset: Dataset) -> Iterator[Made]:
    """The predicted figures of ``dataset`` that a claim can say: rates, times, and what is counted a second."""
    for figure in dataset.predicted():
        key = _key(figure)
        if key and (dataset.name, figure.row, figure.column) not in NOT_CLEAN:
            yield told("model", _table(dataset, figure, key))


def names() -> tuple[str, ...]:
    """The published tables."""
    return tuple(each.name for each in datasets(()))


def _key(figure: Measurement) -> str | None:
    unit = figure.unit
    if factor(unit, "byte / second") is not None:
        return "throughput"
    if factor(unit, "second") is not None:
        return "elapsed" if figure.measure == "elapsed" else "latency"
    return "iops" if unit.endswith("/s") else None


def _table(dataset: Dataset, figure: Measurement, key: str) -> dict[str, Any]:
    low, high = figure.value - figure.half_width, figure.value + figure.half_width
    unit = "" if key == "iops" else f" {figure.unit.replace('bytes', 'B')}"
    table = {
        "text": f"{dataset.name}: {figure.row}, {figure.column}",
        "source": f"{figure.source}, {figure.table}",
        "system": dataset.system,
        "settings": dict(figure.conditions),
        key: f"{low:.9g}..{high:.9g}{unit}",
    }
    return table if figure.measure in _MAIN else table | {"measure": figure.measure}
