"""How far off shipped fits are where they were moved to what they never saw, beside the best curve."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from typing import Any

from sim.data.fitted import Errors, path_in, read
from sim.system.system import System

NO_TRANSFERS = ("in sample", "cross-validated")
"""Errors in a fit's file that are of what it saw, or of folds of it."""


@dataclass(frozen=True)
class Transfer:
    """Absolute errors over the figures that a fit of ``system`` did not see, as shares.

    Attributes:
        to: what it was moved to.
        p95: the 95th percentile; None in a file of an older version.
        inside: share of the figures in their 90 % bands; None likewise.
        baseline: the curve without mechanism that is best by the median; empty without any.
    """

    system: str
    to: str
    figures: int
    median: float
    p95: float | None
    inside: float | None
    baseline: str = ""
    baseline_median: float | None = None
    baseline_p95: float | None = None

    def record(self) -> dict[str, Any]:
        """Part of the stable interface of ``report --json``."""
        return asdict(self)


def transfers(systems: Iterable[System]) -> Iterator[Transfer]:
    """All transfers of the fits that ``systems`` come with."""
    for system in systems:
        fitted = read(path_in(system.data_package, system.name)) if system.data_package else None
        for to, each in fitted.errors.items() if fitted else ():
            if to not in NO_TRANSFERS:
                own, best = each.system, _best(each.baselines)
                yield Transfer(system.name, to, own.figures, own.median, own.p95, each.inside, *best)


def _best(baselines: dict[str, Errors]) -> tuple[str, float | None, float | None]:
    if not baselines:
        return "", None, None
    name, errors = min(baselines.items(), key=lambda item: item[1].median)
    return name, errors.median, errors.p95
