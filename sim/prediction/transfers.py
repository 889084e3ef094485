"""Errors of shipped fits after transfers to figures that they had not seen, beside the best curve."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from statistics import fmean

from sim.data.fitted import NO_TRANSFERS, TO_MACHINE, Errors, Fitted, FittedFigure, path_in, read
from sim.prediction.misses import next_miss
from sim.system.parameters import DEVIATIONS
from sim.system.system import System

RATES, LATENCIES = "rates", "latencies"


@dataclass(frozen=True)
class Transfer:
    """Absolute errors of a fit of ``system`` for figures that it had not seen, as shares.

    Attributes:
        to: target of the transfer.
        p95: the 95th percentile; None from a file of an older version.
        inside: share of the figures in 90 % bands of that fit alone; None from such a file.
        rates_inside: of figures other than latencies, the share in the printed bands, which include all
            misses but those of this transfer; equal to ``inside`` if the file lacks individual predictions.
        latencies_inside: share of latencies in the printed bands.
        baseline: the curve without mechanism with the best median; empty if there is none.
    """

    system: str
    to: str
    figures: int
    median: float
    p95: float | None
    inside: float | None
    rates_inside: float | None = None
    latencies_inside: float | None = None
    baseline: str = ""
    baseline_median: float | None = None
    baseline_p95: float | None = None

    @property
    def better(self) -> bool | None:
        """True if the median of the fit is no larger than that of the best curve; None without a curve."""
        return None if self.baseline_median is None else self.median <= self.baseline_median


@dataclass(frozen=True)
class Placed:
    """A figure not seen by a transferred fit, and its band.

    Attributes:
        kind: rates or latencies.
    """

    figure: FittedFigure
    kind: str
    low: float
    high: float

    @property
    def inside(self) -> bool:
        """True if it lies in its band."""
        return self.low <= self.figure.measured <= self.high


def fit_of(system: System) -> Fitted | None:
    """The shipped fit of ``system``; None if there is none."""
    return read(path_in(system.data_package, system.name)) if system.data_package else None


def transfers(systems: Iterable[System]) -> Iterator[Transfer]:
    """All transfers of the shipped fits of ``systems``."""
    for system in systems:
        fitted = fit_of(system)
        for to, each in fitted.errors.items() if fitted else ():
            if fitted and to not in NO_TRANSFERS:
                own = each.system
                rates, latencies = _inside(placed(fitted, to)) if each.moved else (each.inside, None)
                curve, best = best_curve(each.baselines)
                yield Transfer(
                    system.name,
                    to,
                    own.figures,
                    own.median,
                    own.p95,
                    each.inside,
                    rates,
                    latencies,
                    curve,
                    best.median if best else None,
                    best.p95 if best else None,
                )


def placed(fitted: Fitted, to: str) -> Iterator[Placed]:
    """Figures of one transfer, each with the band that would have been printed before its measurement."""
    others = [each for each in (fitted.elsewhere() if to.startswith(TO_MACHINE) else fitted.along()) if each != to]
    within, moved = fitted.missed(), fitted.missed_after(others)
    figures = {each.cell: each for each in fitted.figures}
    for cell, said in fitted.errors[to].moved.items():
        figure = figures[cell]
        miss = next_miss(within, fitted.scatter, figure.measure, moved)
        open_squared = max(0.0, said.deviation**2 - fitted.scatter**2)
        half = math.exp(DEVIATIONS * math.sqrt(open_squared + miss**2))
        kind = LATENCIES if figure.unit in ("s", "ms", "µs") else RATES
        yield Placed(figure, kind, said.predicted / half, said.predicted * half)


def _inside(figures: Iterable[Placed]) -> tuple[float | None, float | None]:
    by_kind: dict[str, list[bool]] = {RATES: [], LATENCIES: []}
    for each in figures:
        by_kind[each.kind].append(each.inside)
    rates, latencies = (fmean(inside) if inside else None for inside in by_kind.values())
    return rates, latencies


def best_curve(baselines: dict[str, Errors]) -> tuple[str, Errors | None]:
    """Name and errors of the curve without mechanism with the best median; empty and None without curves."""
    return min(baselines.items(), key=lambda item: item[1].median) if baselines else ("", None)
