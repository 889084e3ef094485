"""What control variates save: ``python -m benchmarks.control_variates``.

Run lengths are those of one seed until all answers are known, to the usual 1 % and to 0.1 %. How often the
intervals hold is measured by ``benchmarks.coverage``: most of its cases have controls.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial

from benchmarks import coverage, models
from sim import simulate
from sim.engine.model.model import Model
from sim.engine.simulation import controls

Case = Callable[[], tuple[Model, str]]

PRECISIONS = (0.01, 0.001)
"""At which run lengths are compared."""

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


@contextmanager
def controlled_from(steps: int) -> Iterator[None]:
    """Runs have controls from so many steps on."""
    usual = controls.FROM_STEPS
    controls.FROM_STEPS = steps
    try:
        yield
    finally:
        controls.FROM_STEPS = usual


def length(case: Case, precision: float, steps: int) -> tuple[int, float, bool]:
    """Of a run with controls from ``steps`` on: its steps, seconds of processor, and whether all is known."""
    model, watch = case()
    with controlled_from(steps):
        begin = time.process_time()
        result = simulate(model, watch=watch, precision=precision)
        seconds = time.process_time() - begin
    return result.steps, seconds, all(answer.known for answer in result.groups[watch].answers.values())


def saved(name: str) -> str:
    """A line: steps and seconds of processor without controls and with them, at each precision."""
    return f"| {name} | {' | '.join(cell for precision in PRECISIONS for cell in _cells(name, precision))} |"


def _cells(name: str, precision: float) -> tuple[str, str, str]:
    """Without controls, with them, and how many times as many steps that is."""
    runs = [length(LONG[name], precision, steps) for steps in (NEVER, controls.FROM_STEPS)]
    without, with_them = (
        f"{steps:.3g}, {seconds:.2f} s{'' if known else ', not known'}" for steps, seconds, known in runs
    )
    return without, with_them, f"{runs[0][0] / runs[1][0]:.1f}"


def main() -> None:
    """Print the table."""
    length(LONG["redo"], PRECISIONS[0], NEVER)  # what has to be compiled is, before anything is timed
    for line in (saved(name) for name in LONG):
        sys.stdout.write(f"{line}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
