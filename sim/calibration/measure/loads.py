"""What a fitted stack does at a few loads: throughput with its band, what limits it, and what would limit next."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from sim.calibration.measure.jobs import OPS, Job
from sim.errors import InputError
from sim.prediction.prediction import Prediction, predict_case
from sim.simulation.options import RunOptions
from sim.system.case import Case
from sim.system.system import System
from sim.units.text import number_text

PROCESSES = (1, 2, 4, 8, 16, 32, 64)
"""At which throughput is predicted for a curve; requests of one process follow one another."""

TOLD = (1, 8, 64)
"""Those of which it is told what limits."""

_OPTIONS = RunOptions(precision=0.01, answers=("throughput",))


@dataclass(frozen=True)
class Load:
    """A job, measured or not, and what the fitted stack makes of it."""

    job: Job
    prediction: Prediction

    @property
    def limits(self) -> str:
        """What limits, and how much it allows."""
        return self.prediction.limit.words(self.prediction.amount, self.prediction.unit)

    @property
    def next(self) -> str:
        """The place with the lowest bound besides what limits, and that; empty if there is none."""
        for bound in self.prediction.behind:
            return f"{bound.place}, {number_text(bound.throughput)} {self.prediction.unit}"
        return ""

    def record(self) -> dict[str, Any]:
        """As JSON has it."""
        return {**self.job.record(), **self.prediction.record()}


def loads(system: System, jobs: Sequence[Job]) -> tuple[Load, ...]:
    """Each kind of I/O among ``jobs``, of the smallest and the largest blocks there, at each number of processes.

    Numbers of processes that a setting of ``system`` does not allow are left out.
    """
    return tuple(_loads(system, jobs))


def _loads(system: System, jobs: Sequence[Job]) -> Iterator[Load]:
    plain = [job for job in jobs if job.plain and job.op in OPS]
    blocks = sorted({job.block for job in plain})
    for op in dict.fromkeys(job.op for job in plain):
        for block in dict.fromkeys((blocks[0], blocks[-1])):
            for users in PROCESSES:
                job = Job(op, block, users, 1)
                try:
                    case = Case(system, job.settings(system))
                except InputError:
                    continue
                yield Load(job, predict_case(case, _OPTIONS, intervals=True))
