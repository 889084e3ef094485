"""What control variates save, and how often their intervals hold: ``python -m benchmarks.control_variates``.

Run lengths are those of one seed until all answers are known to 0.1 %. Coverage is measured on runs that are some
twenty times as short, and have controls from so much sooner on, as it takes many seeds.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial

from benchmarks import coverage, models
from sim import simulate
from sim.model.model import Model
from sim.simulation import controls

Case = Callable[[], tuple[Model, str]]

FINE = 0.001
"""Precision at which run lengths are compared."""

HELD_AT, HELD_FROM = 0.003, 100_000
"""Precision of runs whose intervals are held against the truth, and steps from which they have controls."""

NEVER = sys.maxsize
"""Steps that no run has."""

LONG: dict[str, Case] = {
    "closed network": coverage.network,
    "group commit": coverage.commits,
    "two stations": lambda: (models.closed_tandem(), "customer"),
    "fourteen cells": lambda: (models.closed(16), "client"),
    "cached reads": lambda: (models.cached(), "reader"),
    "M/M/1 at 80%": coverage.CASES["M/M/1 at 80%"].model,
    "dbfs": partial(coverage.published, "dbfs"),
    "dbfs users=8 block=8KiB": partial(coverage.published, "dbfs", users="8", block="8KiB"),
    "cubefs": partial(coverage.published, "cubefs"),
    "redo": partial(coverage.published, "redo"),
    "dbfs-load": partial(coverage.published, "dbfs-load"),
    "nvme-xfs depth=32": partial(coverage.published, "nvme-xfs", depth="32"),
}

HELD = ("closed network", "M/M/1 at 50%")
"""Cases of the study of coverage that controls narrow. Of most others it takes very long runs to tell the truth as
well as such narrow intervals ask for."""


@contextmanager
def controlled_from(steps: int) -> Iterator[None]:
    """Runs have controls from so many steps on."""
    usual = controls.FROM_STEPS
    controls.FROM_STEPS = steps
    try:
        yield
    finally:
        controls.FROM_STEPS = usual


def length(case: Case, steps: int) -> tuple[int, float, bool]:
    """Of a run with controls from ``steps`` on: its steps, seconds of processor, and whether all is known."""
    model, watch = case()
    with controlled_from(steps):
        begin = time.process_time()
        result = simulate(model, watch=watch, precision=FINE)
        seconds = time.process_time() - begin
    return result.steps, seconds, all(answer.known for answer in result.groups[watch].answers.values())


def saved(name: str) -> str:
    """A line: steps and seconds of processor without controls and with them."""
    without, with_them = (length(LONG[name], steps) for steps in (NEVER, controls.FROM_STEPS))
    cells = [
        f"{steps:.3g}, {seconds:.2f} s{'' if known else ', not known'}"
        for steps, seconds, known in (without, with_them)
    ]
    return f"| {name} | {' | '.join(cells)} | {without[0] / with_them[0]:.1f} |"


def held(name: str, seeds: int) -> str:
    """A line of the study of coverage."""
    with controlled_from(NEVER):
        exact = coverage.truth(name, HELD_AT, map)
    with controlled_from(HELD_FROM):
        return coverage.line(name, exact, map(partial(coverage.one, name, HELD_AT), range(1, seeds + 1)))


def main(words: Sequence[str]) -> None:
    """Print both tables."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.control_variates", description=__doc__)
    parser.add_argument("--seeds", type=int, default=1000)
    seeds = parser.parse_args(words).seeds
    length(LONG["redo"], NEVER)  # what has to be compiled is, before anything is timed
    for line in (saved(name) for name in LONG):
        sys.stdout.write(f"{line}\n")
        sys.stdout.flush()
    for line in (held(name, seeds) for name in HELD):
        sys.stdout.write(f"{line}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main(sys.argv[1:])
