"""What common random numbers save, and how often the interval of a difference holds the true one.

``python -m benchmarks.common_numbers``. Pairs of runs are those of ``stacksim compare``. The gain is the variance
of B - A if each run had numbers of its own, Var A + Var B, over that of the pairs: so many times as many runs it
would take.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from sim import Closed, Exponential, Model, Open, Poisson, Station, Use
from sim.decision import pairs
from sim.decision.difference import Paired
from sim.engine.simulation.fixed_length import RunLength
from sim.engine.simulation.options import RunOptions
from sim.engine.simulation.replicates import Pool, replicate
from sim.engine.statistics.answers import ANSWERS
from sim.engine.statistics.estimates import Series
from sim.prediction.sweep import cases_of, predict_all
from sim.system.installed import find

sys.path.append(str(Path(__file__).parents[1] / "tests"))
from textbook import mm1, mva

PAIRS = 48
"""Pairs of which variances are known to 20 %."""

LENGTH = RunLength(200_000_000, 10_000_000_000)
"""Of the runs of ``held``, some thousands of requests."""

DESIGNS: tuple[tuple[str, Mapping[str, Any], str, tuple[Any, Any]], ...] = (
    ("dbfs", {"users": 8, "block": 8192}, "users", (8, 9)),
    ("dbfs", {"users": 8, "block": 8192}, "nodes", (1, 2)),
    ("dbfs", {"users": 8, "block": 8192}, "dispatch_s", (1, 1.1)),
    ("cubefs", {"processes": 16}, "clients", (1, 2)),
    ("cubefs", {"processes": 16}, "fuse_queue_s", (1, 1.1)),
    ("redo", {}, "sessions", (6, 7)),
    ("postgresql", {}, "drive", ("450us", "400us")),
    ("nvme", {"processes": 4, "depth": 16}, "scheduler", ("none", "kyber")),
)
"""Systems, settings of both sides, and what differs: a setting, or a parameter that is multiplied."""


def gains(system: str, both: Mapping[str, Any], name: str, values: Sequence[Any]) -> str:
    """A line: the gain in each answer that differs."""
    found, told = find(system), f"{name} {values[0]} or {values[1]}"
    parameters = {each.name: each.value for each in found.parameters.entries}
    if name in parameters:
        values = [parameters[name] * each for each in values]
    varied = {**{key: [value] for key, value in both.items()}, name: values}
    a, b = predict_all(cases_of(found, varied), RunOptions())
    sides = [
        pairs.side(each, [pairs.run(each, length, number, lambda _: None) for number in range(PAIRS)])
        for each, length in zip((a, b), pairs.lengths(a, b), strict=True)
    ]
    cells = [_gain(sides[0].values[each], sides[1].values[each]) for each in ANSWERS]
    return f"| {system} | {told} | {' | '.join(cells)} |"


def _gain(a: Series, b: Series) -> str:
    together, apart = _variances(a, b)
    return f"{apart / together:.1f}" if together else ""


def _variances(a: Series, b: Series) -> tuple[float, float]:
    """Of B - A in pairs, and of runs with numbers of their own."""
    return float(np.var(b - a, ddof=1)), float(np.var(a, ddof=1) + np.var(b, ddof=1))


def queues() -> tuple[list[Model], dict[str, float]]:
    """M/M/1 at 70 %, and with a service that is 5 % shorter; the true differences, B - A."""
    times_s = (1e-3, 0.95e-3)
    a, b = (mm1(700.0, each) for each in times_s)
    paths = [Use(Station("s"), Exponential(each)) for each in times_s]
    models = [Model([Open("o", arrivals=Poisson(700.0), path=path)]) for path in paths]
    return models, {"mean": b.response_s - a.response_s}


def networks() -> tuple[list[Model], dict[str, float]]:
    """Eight clients between two stations, of which one becomes 10 % faster; the true differences, B - A."""
    demands_s = ((1e-3, 0.8e-3), (1e-3, 0.72e-3))
    a, b = (mva(each, 8) for each in demands_s)
    paths = [
        [Use(Station(name), Exponential(each)) for name, each in zip("st", s, strict=True)] for s in demands_s
    ]
    models = [Model([Closed("o", clients=8, path=path)]) for path in paths]
    return models, {"throughput": b.throughput - a.throughput, "mean": b.response_s - a.response_s}


def held(case: str, comparisons: int) -> str:
    """A line: how often intervals from pairs of runs hold the true difference, and the gain."""
    models, truth = {"queues": queues, "networks": networks}[case]()
    inside: dict[str, list[bool]] = {name: [] for name in truth}
    variances: dict[str, list[tuple[float, float]]] = {name: [] for name in truth}
    for seed in range(1, comparisons + 1):
        a, b = (Pool([replicate(each, "o", LENGTH, seed, run) for run in range(pairs.PAIRS)]) for each in models)
        for name, exact in truth.items():
            paired = Paired(name, "", a.pseudovalues(name), b.pseudovalues(name))
            found = paired.difference().difference
            inside[name].append(found.low <= exact <= found.high)
            variances[name].append(_variances(paired.a, paired.b))
    cells = [f"{name} {np.mean(inside[name]):.1%}, gain {_of(variances[name]):.1f}" for name in truth]
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
