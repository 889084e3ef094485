"""Do bands over structures hold, and does the measurement named decide? ``python -m benchmarks.structures``.

A generated study: one of the structures of ``dbfs`` is drawn, all as likely, and values of its parameters as its
fit leaves them open. Its answers to the 72 published cases, scattered as figures miss the fit, take the place of
the tables. Each structure is fitted to them anew (Gauss-Newton steps with the derivatives of its own fit, answers
by the analytic engine), weighted by misses of figures left out one by one, and asked for racks of which no table
tells. The first columns say how many of the measurements there, scattered likewise, lie in the 90 % band over all
structures, and in that of the likeliest one alone. The last lines say how likely the true structure is before and
after one more measurement, the one that is named as deciding.
"""

from __future__ import annotations

import argparse
import math
import statistics
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from sim.calibration.problem import PRIOR_DEVIATIONS
from sim.engine.simulation.options import ANALYTIC, RunOptions
from sim.prediction.mixture import Mixture, Side
from sim.prediction.published import published
from sim.prediction.solvers import solved_case
from sim.prediction.structures import deciding, systems_of, weights_of
from sim.system.case import Case
from sim.system.installed import find
from sim.system.parameters import CONFIDENCE, DEVIATIONS
from sim.system.system import System

Numbers = NDArray[np.float64]

STEPS = 2
"""Gauss-Newton steps of a fit; the derivatives stay those at the fit to the published figures."""

MOVED = 0.05
"""By so much the logarithm of a parameter is moved for a derivative."""

HALF = 0.5

RACKS = ((8, 14), (16, 28))
"""Nodes and cells that are asked for."""


@dataclass(frozen=True)
class Structure:
    """One structure, and all that its fits need; cases are the published ones, then those that are asked for."""

    system: System
    cases: tuple[dict[str, object], ...]

    def logs(self, steps: Numbers) -> Numbers:
        """Logarithms of throughput, shape (cases,), with those of parameters so many ``steps`` from the fit."""
        free = self.system.parameters.free()
        values = {
            each.name: each.bounded(each.value * math.exp(step)) for each, step in zip(free, steps, strict=True)
        }
        system = replace(self.system, parameters=self.system.parameters.changed(values))
        return np.array([self._log(Case.of(system, settings)) for settings in self.cases])

    @staticmethod
    def _log(case: Case) -> float:
        scenario, result = solved_case(case, RunOptions(engine=ANALYTIC))
        return math.log(scenario.answers(result)["throughput"].estimate.value)

    @cached_property
    def slopes(self) -> Numbers:
        """Derivatives of ``logs`` at the fit, shape (cases, parameters)."""
        count = len(self.system.parameters.free())
        moved = MOVED * np.eye(count)
        return np.array([(self.logs(step) - self.logs(-step)) / (2.0 * MOVED) for step in moved]).T

    @cached_property
    def prior(self) -> tuple[Numbers, Numbers]:
        """Centres of the priors from the fit, and their deviations, both of logarithms."""
        free = self.system.parameters.free()
        centres = np.array([math.log(each.centre / each.value) for each in free])
        return centres, np.array([math.log(each.high / each.low) / PRIOR_DEVIATIONS for each in free])

    def drawn(self, random: np.random.Generator) -> Numbers:
        """Logarithms in each case, with parameters as the fit leaves them open."""
        root = np.linalg.cholesky(np.array(self.system.parameters.covariance))
        return self.logs(root @ random.standard_normal(len(root)))

    def fitted(self, table: Numbers, scatter: float) -> Fit:
        """The fit to ``table``, logarithms of shape (figures,)."""
        count = len(table)
        centres, deviations = self.prior
        design = np.vstack([self.slopes[:count] / scatter, np.diag(1.0 / deviations)])
        point = np.zeros(len(centres))
        for _ in range(STEPS):
            missing = np.concatenate(
                [(table - self.logs(point)[:count]) / scatter, (centres - point) / deviations]
            )
            point = point + np.linalg.lstsq(design, missing, rcond=None)[0]
        covariance = np.linalg.inv(design.T @ design)
        logs, slopes = self.logs(point), self.slopes
        leverage = np.einsum("ij,jk,ik->i", slopes, covariance, slopes)
        left_out = (logs[:count] - table) / (1.0 - leverage[:count] / scatter**2)
        return Fit(logs[count:], np.sqrt(leverage[count:] + float(np.mean(left_out**2))), left_out)


@dataclass(frozen=True)
class Fit:
    """What a structure says of the racks that are asked for, as logarithms; and its misses of figures left out."""

    asked: Numbers
    deviations: Numbers
    misses: Numbers

    def side(self, number: int) -> Side:
        """What is open about the case ``number`` of those asked for."""
        return Side(self.asked[number], self.deviations[number], self.deviations[number])


@dataclass(frozen=True)
class Tried:
    """One draw: for each case asked, whether a measurement is in the bands, and how wide these are."""

    inside: tuple[bool, ...]
    alone: tuple[bool, ...]
    widths: tuple[float, ...]
    likely: float
    decided: float


def tried(structures: Sequence[Structure], figures: int, random: np.random.Generator) -> Tried:
    """Draw one world, fit all structures to it, and ask them."""
    number = int(random.integers(len(structures)))
    truth = structures[number]
    scatter = truth.system.parameters.scatter
    measured = truth.drawn(random)
    measured = measured + scatter * random.standard_normal(len(measured))
    fits = [each.fitted(measured[:figures], each.system.parameters.scatter) for each in structures]
    likely = weights_of([each.misses for each in fits])
    best = int(np.argmax(likely))
    inside, alone, widths = [], [], []
    asked = measured[figures:]
    for rack, value in enumerate(asked[:-1]):
        mixture = Mixture(tuple((weight, each.side(rack)) for weight, each in zip(likely, fits, strict=True)))
        low, high = map(math.log, mixture.ends(CONFIDENCE))
        of_best = fits[best].side(rack)
        inside.append(bool(low <= value <= high))
        alone.append(bool(abs(value - of_best.middle) <= DEVIATIONS * of_best.above))
        widths.append(math.exp(high - low))
    told = np.array(
        [weight * _density(each.side(-1), asked[-1]) for weight, each in zip(likely, fits, strict=True)]
    )
    decided = told / told.sum()
    return Tried(tuple(inside), tuple(alone), tuple(widths), likely[number], float(decided[number]))


def _density(side: Side, log: float) -> float:
    return math.exp(-0.5 * ((log - side.middle) / side.above) ** 2) / side.above


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.structures", description=__doc__)
    parser.add_argument("--draws", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args(arguments)
    system = find("dbfs")
    published_cases = [dict(settings) for settings, figure in published(system) if figure.dataset == "dbfs-dd"]
    asked = [
        {"nodes": nodes, "cells": cells, "users": 8, "block": "128KiB", "op": op}
        for nodes, cells in RACKS
        for op in ("write", "read")
    ]
    named = deciding(Case.of(system, asked[0]))
    further = [{**asked[0], **named.settings}] if named else []
    cases = (*published_cases, *asked, *further)
    structures = [Structure(each, cases) for each in systems_of(system)]
    random = np.random.default_rng(options.seed)
    draws = [tried(structures, len(published_cases), random) for _ in range(options.draws)]
    _print(draws, asked, named.settings if named else {}, options.seed)


def _print(draws: Sequence[Tried], asked: Sequence[Mapping[str, object]], further: object, seed: int) -> None:
    rows = []
    for number, case in enumerate(asked):
        shares = [statistics.fmean(getattr(each, name)[number] for each in draws) for name in ("inside", "alone")]
        width = statistics.median(each.widths[number] for each in draws)
        what = f"nodes={case['nodes']} cells={case['cells']} op={case['op']}"
        rows.append(f"{what:<32}{shares[0]:>12.0%}{shares[1]:>18.0%}{width:>14.2f}x")
    before, after = (statistics.fmean(getattr(each, name) for each in draws) for name in ("likely", "decided"))
    right = statistics.fmean(each.decided > HALF for each in draws)
    lines = (
        f"{len(draws)} draws, seed {seed}; measured further: {further}",
        f"{'asked':<32}{'in the band':>12}{'in the likeliest':>18}{'width, median':>15}",
        *rows,
        f"weight of the true structure: {before:.0%}, {after:.0%} after one more measurement",
        f"it is then above one half in {right:.0%} of draws",
    )
    sys.stdout.write("\n".join((*lines, "")))


if __name__ == "__main__":
    main()
