"""How often intervals hold the true value, over many seeds: ``python -m benchmarks.coverage [CASE …]``.

The truth of a queue is a closed form; of other models, the mean of runs with other seeds, so much longer that what
they leave open is a small part of an interval. Answers marked as not known well enough are counted apart.
"""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from multiprocessing import get_context
from pathlib import Path

import numpy as np

from sim import (
    Await,
    Closed,
    Delay,
    Exponential,
    Gate,
    Gather,
    Hold,
    Lock,
    Lognormal,
    Model,
    Open,
    Poisson,
    Station,
    Use,
    Wake,
    simulate,
)
from sim.engine.model.distributions import Distribution
from sim.engine.result import Result
from sim.engine.statistics.answers import ANSWERS, QUANTILES
from sim.engine.statistics.estimates import Estimate
from sim.system.installed import find

sys.path.append(str(Path(__file__).parents[1] / "tests"))
from textbook import mg1, mm1

SERVICE_S = 1e-3
LONG = 0.2
"""Tolerances of the runs that tell the truth, as shares of the usual ones."""

TRUTHS = 12
"""Such runs."""

MAX = 100_000_000
"""Steps of each, or completions."""

WITHOUT_PERCENTILES = ANSWERS[:2]
"""What runs go on for whose percentiles would be those of constants: they are short."""

COLUMNS = (*ANSWERS, "elapsed")

Answers = Mapping[str, float]
Map = Callable[..., Iterable[tuple[dict[str, Estimate], int]]]


@dataclass(frozen=True)
class Case:
    """A model, the group that is watched, and what is true of it, where a formula tells.

    Attributes:
        asked: the answers that its runs go on for.
    """

    model: Callable[[], tuple[Model, str]]
    exact: Answers = field(default_factory=dict)
    asked: tuple[str, ...] = ANSWERS


def queue(load: float, time: Distribution) -> tuple[Model, str]:
    """M/G/1."""
    return Model([Open("o", arrivals=Poisson(load / SERVICE_S), path=Use(Station("s"), time))]), "o"


def _mg1(load: float, cv: float) -> Case:
    """Of lognormal services; percentiles have no closed form."""
    exact = mg1(load / SERVICE_S, SERVICE_S, cv)
    truth = {"throughput": exact.throughput, "mean": exact.response_s}
    return Case(partial(queue, load, Lognormal(SERVICE_S, cv)), truth)


def _mm1(load: float) -> Case:
    exact = mm1(load / SERVICE_S, SERVICE_S)
    tails = {name: -exact.response_s * math.log(1.0 - share) for name, share in QUANTILES.items()}
    truth = {"throughput": exact.throughput, "mean": exact.response_s, **tails}
    return Case(partial(queue, load, Exponential(SERVICE_S)), truth)


def held() -> tuple[Model, str]:
    """A lock held by eight clients for lognormal times of cv 10."""
    path = Hold(Lock("L").exclusive, Delay(Lognormal(10e-6, 10.0)))
    return Model([Closed("o", clients=8, think=Exponential(50e-6), path=path)]), "o"


def network() -> tuple[Model, str]:
    """Sixteen clients, two stations and a delay."""
    path = [
        Use(Station("one"), Exponential(1e-3)),
        Use(Station("two"), Exponential(0.8e-3)),
        Delay(Exponential(5e-3)),
    ]
    return Model([Closed("o", clients=16, path=path)]), "o"


def commits() -> tuple[Model, str]:
    """Eight sessions, two log writers."""
    gate = Gate("g")
    writers = Closed("w", clients=2, path=[Gather(gate), Use(Station("log"), Exponential(300e-6)), Wake(gate)])
    return Model([Closed("o", clients=8, path=[Delay(Exponential(100e-6)), Await(gate)]), writers]), "o"


def job() -> tuple[Model, str]:
    """A thousand requests of four clients, and then it is over."""
    path = [Use(Station("s"), Exponential(SERVICE_S)), Delay(Exponential(SERVICE_S))]
    return Model([Closed("o", clients=4, path=path, count=1000)]), "o"


def published(name: str, **settings: str) -> tuple[Model, str]:
    """A published system."""
    from sim.system.settings import complete

    system = find(name)
    scenario = system.scenario(complete(system.settings, settings), system.parameters)
    return scenario.model, scenario.watch


CASES = {
    "M/M/1 at 50%": _mm1(0.5),
    "M/M/1 at 80%": _mm1(0.8),
    "M/M/1 at 90%": _mm1(0.9),
    "M/M/1 at 95%": _mm1(0.95),
    "M/G/1 at 50%, cv 2": _mg1(0.5, 2.0),
    "M/G/1 at 50%, cv 5": _mg1(0.5, 5.0),
    "lock, cv 10": Case(held),
    "closed network": Case(network),
    "group commit": Case(commits),
    "finite job": Case(job),
    "dbfs": Case(partial(published, "dbfs", users="8", block="8KiB")),
    "redo": Case(partial(published, "redo")),
    "nfs-server, 1 client": Case(partial(published, "nfs-server", clients="1"), asked=WITHOUT_PERCENTILES),
    "nfs-server, 2 clients": Case(partial(published, "nfs-server", clients="2"), asked=WITHOUT_PERCENTILES),
    "san": Case(partial(published, "san"), asked=WITHOUT_PERCENTILES),
    "redo, no percentiles": Case(partial(published, "redo"), asked=WITHOUT_PERCENTILES),
    "postgresql, no percentiles": Case(partial(published, "postgresql"), asked=WITHOUT_PERCENTILES),
}


def answers(found: Result) -> dict[str, Estimate]:
    """Of the watched group, and the elapsed time of a job."""
    return found.groups[found.watched].answers | ({"elapsed": found.elapsed} if found.elapsed else {})


def one(name: str, precision: float, seed: int) -> tuple[dict[str, Estimate], int]:
    """What one run says, and how many requests it took."""
    model, watch = CASES[name].model()
    found = simulate(model, watch=watch, seed=seed, precision=precision, answers=CASES[name].asked)
    return answers(found), found.groups[watch].completed


def truth(name: str, precision: float, map_: Map) -> Answers:
    """The exact values, and means of long runs of what no formula tells."""
    exact = CASES[name].exact
    if set(CASES[name].asked) <= set(exact):
        return exact
    runs = [found for found, _ in map_(partial(long, name, precision * LONG), range(900_001, 900_001 + TRUTHS))]
    told = [each for each in runs[0] if each in (*CASES[name].asked, "elapsed")]
    means = {each: float(np.mean([found[each].value for found in runs])) for each in told}
    return means | dict(exact)


def long(name: str, precision: float, seed: int) -> tuple[dict[str, Estimate], int]:
    """A run that takes as long as the answers ask for of which no formula tells the truth."""
    model, watch = CASES[name].model()
    case = CASES[name]
    asked = ("throughput",) if model.finite else [each for each in case.asked if each not in case.exact]
    found = simulate(
        model, watch=watch, seed=seed, precision=precision, answers=asked, max_steps=MAX, max_completed=MAX
    )
    return answers(found), 0


def row(
    name: str, precision: float, seeds: int, map_: Callable[..., Iterable[tuple[dict[str, Estimate], int]]]
) -> str:
    """A line of the table: coverage, bias in half-widths, median half-width, of each of ``COLUMNS``."""
    return line(name, truth(name, precision, map_), map_(partial(one, name, precision), range(1, seeds + 1)))


def line(name: str, exact: Answers, results: Iterable[tuple[dict[str, Estimate], int]]) -> str:
    """The same of ``results`` at hand."""
    runs = list(results)
    requests = [count for _, count in runs]
    cells = [f"| {name} | {np.mean(requests):.3g} ({min(requests):.2g} … {max(requests):.2g})"]
    for each in COLUMNS:
        if (value := exact.get(each)) is None:
            cells.append("")
            continue
        every = [found[each] for found, _ in runs]
        known = [estimate for estimate in every if estimate.known]
        told = known or every
        inside = np.mean([estimate.low <= value <= estimate.high for estimate in told])
        half = float(np.median([min(estimate.high, 2 * estimate.value) - estimate.low for estimate in told])) / 2
        bias = (float(np.mean([estimate.value for estimate in told])) - value) / half if half else 0.0
        mark = "" if len(known) == len(every) else f", known {len(known) / len(every):.1%}"
        cells.append(f"{inside:.1%} ({bias:+.2f}, ±{half / value:.1%}{mark})")
    return " | ".join(cells) + " |"


def main(words: Sequence[str]) -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.coverage", description=__doc__)
    parser.add_argument("cases", nargs="*", metavar="CASE", help=", ".join(CASES).replace("%", "%%"))
    parser.add_argument("--seeds", type=int, default=400)
    parser.add_argument("--precision", type=float, default=0.01)
    given = parser.parse_args(words)
    with ProcessPoolExecutor(mp_context=get_context("spawn")) as pool:
        for name in given.cases or CASES:
            sys.stdout.write(row(name, given.precision, given.seeds, partial(pool.map, chunksize=4)) + "\n")
            sys.stdout.flush()


if __name__ == "__main__":
    main(sys.argv[1:])
