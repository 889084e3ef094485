"""How far models missed published figures that they were not made from: the error to expect of the next one."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path

from sim.data.package import read_rows
from sim.system.system import System

FILE = "misses.csv"
"""Of a data package: a line for each predicted figure, with the logarithm of predicted over published."""

MISSED = 0.09
"""Deviation of the logarithm by which models miss at large: root mean square over all answers of ``FILE``, each of
which counts once however many figures it has."""

WEIGHT = 2.0
"""Figures that ``MISSED`` counts like, beside those of the answer itself; equation (1) of docs/fitting.md has the
same. So a single figure that was met exactly, or missed by far, does not decide."""


def missed(system: System, measure: str) -> float:
    """Deviation of the logarithm by which ``system`` misses figures of ``measure`` that it was not made from."""
    known = _misses(system.data_package) if system.data_package else {}
    return deviation(known.get((system.name, measure), ()))


def deviation(misses: Iterable[float]) -> float:
    """The deviation beside these ``misses`` of the same answer; ``MISSED`` where there are none."""
    squares = [each * each for each in misses]
    return math.sqrt((WEIGHT * MISSED**2 + sum(squares)) / (WEIGHT + len(squares)))


@cache
def _misses(package: Path) -> Mapping[tuple[str, str], list[float]]:
    """By system and answer."""
    found: dict[tuple[str, str], list[float]] = {}
    for line in lines(package / FILE):
        found.setdefault((line["system"], line["measure"]), []).append(float(line["miss"]))
    return found


def lines(path: Path) -> list[dict[str, str]]:
    """The lines of such a file, by name of column; none where there is no file."""
    if not path.exists():
        return []
    (_, header), *rows = read_rows(path)
    return [dict(zip(header, cells, strict=True)) for _, cells in rows]
