"""The first prediction recorded for each figure, before any later change of the models."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from math import expm1
from pathlib import Path

from sim.data.misses import FIRST, lines

REPEATS = 0.01
"""Difference of errors between two runs of the same model."""


@dataclass(frozen=True)
class First:
    """The first recorded prediction of a figure.

    Attributes:
        error: predicted / published - 1, at that time.
        date: date of the record, as YYYY-MM-DD.
        commit: the commit of the models that predicted it.
    """

    error: float
    date: str
    commit: str


@cache
def firsts(package: Path) -> Mapping[tuple[str, str, str], First]:
    """First predictions by dataset, row and column of the figure; empty if ``package`` has none."""
    return {
        (line["dataset"], line["row"], line["column"]): First(
            expm1(float(line["miss"])), line["date"], line["commit"]
        )
        for line in lines(package / FIRST)
    }
