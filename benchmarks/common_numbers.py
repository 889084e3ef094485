"""What common random numbers save, and how often the interval of a difference holds the true one.

``python -m benchmarks.common_numbers``. Pairs of runs are those of ``stacksim compare``. The gain is the variance
of B - A if each run had numbers of its own, Var A + Var B, over that of the pairs: so many times as many runs would
be needed.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from sim import Closed, Exponential, Model, Open, Poisson, Station, Use
from sim.analytic.closed_forms import mm1, mva
from sim.decision import pairs
from sim.decision.difference import Paired
from sim.prediction.prediction import predict_case
from sim.prediction.sweep import cases_of
from sim.simulation.fixed_length import RunLength
from sim.simulation.options import RunOptions
from sim.simulation.replicates import Pool, replicate
from sim.statistics.answers import ANSWERS
from sim.statistics.estimates import Series
from sim.system.installed import find

PAIRS = 96
"""Pairs of which variances are known to 15 %."""

DESIGNS: tuple[tuple[str, Mapping[str, Any], str, tuple[Any, Any]], ...] = (
    ("dbfs", {"users": 8, "block": 8192}, "users", (8, 9)),
    ("dbfs", {"users": 8, "block": 8192}, "nodes", (1, 2)),
    ("dbfs", {"users": 8, "block": 8192}, "fuse_queue_s", (1.0, 1.1)),
    ("cubefs", {"processes": 16}, "clients", (1, 2)),
    ("cubefs", {"processes": 16}, "fuse_queue_s", (1.0, 1.1)),
    ("redo", {}, "sessions", (6, 7)),
    ("postgresql", {}, "drive", ("450us", "400us")),
    ("nvme", {"processes": 4, "depth": 16}, "scheduler", ("none", "kyber")),
)
"""Systems, settings of both sides, and what differs: a setting, or a parameter that is multiplied."""


def gains(system: str, both: Mapping[str, Any], name: str, values: Sequence[Any]) -> str:
    """A line: the gain in each answer that differs."""
    found = find(system)
    parameters = {each.name: each.value for each in found.parameters.entries}
    if name in parameters:
        values = [parameters[name] * each for each in values]
    varied = {**{key: [value] for key, value in both.items()}, name: values}
    a, b = (predict_case(case, RunOptions()) for case in cases_of(found, varied))
    sides = [
        pairs.side(each, [pairs.run(each, length, number, lambda _: None) for number in range(PAIRS)])
        for each, length in zip((a, b), pairs.lengths(a, b), strict=True)
    ]
    cells = [_gain(sides[0].values[each], sides[1].values[each]) for each in ANSWERS]
    return f"| {system} | {name} {values[0]} or {values[1]} | {' | '.join(cells)} |"


def _gain(a: Series, b: Series) -> str:
    together, apart = float(np.var(b - a, ddof=1)), float(np.var(a, ddof=1) + np.var(b, ddof=1))
    return f"{apart / together:.1f}" if together else ""


def queues() -> tuple[tuple[Model, Model], dict[str, float]]:
    """M/M/1 at 70 %, and with a service that is 5 % shorter: 1/300 s, and 1 / (1000 / 0.95 - 700)."""
    models = [
        Model([Open("o", arrivals=Poisson(700.0), path=Use(Station("s"), Exponential(each)))])
        for each in (1e-3, 0.95e-3)
    ]
    exact = [mm1(700.0, each) for each in (1e-3, 0.95e-3)]
    return (models[0], models[1]), {"mean": exact[1].response_s - exact[0].response_s}


def networks() -> tuple[tuple[Model, Model], dict[str, float]]:
    """Eight clients between two stations, of which one becomes 10 % faster."""
    demands = [(1e-3, 0.8e-3), (1e-3, 0.72e-3)]
    models = [
        Model(
            [
                Closed(
                    "o",
                    clients=8,
                    path=[Use(Station(name), Exponential(each)) for name, each in zip("st", times, strict=True)],
                )
            ]
        )
        for times in demands
    ]
    exact = [mva(times, 8) for times in demands]
    return (models[0], models[1]), {
        "throughput": exact[1].throughput - exact[0].throughput,
        "mean": exact[1].response_s - exact[0].response_s,
    }


def held(case: str, comparisons: int) -> str:
    """A line: how often intervals from pairs of runs hold the true difference, and the gain."""
    models, truth = {"queues": queues, "networks": networks}[case]()
    length, inside, gain = (
        RunLength(200_000_000, 10_000_000_000),
        {name: 0 for name in truth},
        {name: [] for name in truth},
    )
    for seed in range(comparisons):
        sides = [
            Pool([replicate(model, "o", length, 1000 + seed, number) for number in range(pairs.PAIRS)])
            for model in models
        ]
        for name, exact in truth.items():
            a, b = (each.pseudovalues(name) for each in sides)
            found = Paired(name, "", a, b).difference().difference
            inside[name] += found.low <= exact <= found.high
            gain[name].append((np.var(b - a, ddof=1), np.var(a, ddof=1) + np.var(b, ddof=1)))
    cells = [f"{name} {inside[name] / comparisons:.1%}, gain {_of(gain[name]):.1f}" for name in truth]
    return f"| {case} | {' | '.join(cells)} |"


def _of(variances: Sequence[tuple[float, float]]) -> float:
    together, apart = np.mean(variances, axis=0)
    return float(apart / together)


def lines(comparisons: int) -> Iterator[str]:
    """All of both tables."""
    for design in DESIGNS:
        yield gains(*design)
    for case in ("queues", "networks"):
        yield held(case, comparisons)


def main(words: Sequence[str]) -> None:
    """Print them."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.common_numbers", description=__doc__)
    parser.add_argument("--comparisons", type=int, default=300)
    for line in lines(parser.parse_args(words).comparisons):
        sys.stdout.write(f"{line}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main(sys.argv[1:])
