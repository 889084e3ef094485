"""Predictions of a fitted stack at a few loads: throughput with its band, the limit, and the next limit."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sim.engine.errors import InputError
from sim.engine.simulation.options import RunOptions
from sim.engine.units.text import number_text
from sim.prediction.prediction import Prediction, predict_case
from sim.prediction.prediction_record import PredictionRecord
from sim.system.case import Case
from sim.system.system import System
from stacksim.measuring.jobs import OPS, Job, JobRecord

PROCESSES = (1, 2, 4, 8, 16, 32, 64)
"""Numbers of processes of a throughput curve; each process has one request in flight."""

TOLD = (1, 8, 64)
"""Numbers of processes whose limit is shown."""

_OPTIONS = RunOptions(precision=0.01, answers=("throughput",))


class PredictedJobRecord(JobRecord, PredictionRecord):
    """A job, measured or not, with the fitted stack's prediction."""


@dataclass(frozen=True)
class Load:
    """A job, measured or not, with the fitted stack's prediction."""

    job: Job
    prediction: Prediction

    @property
    def limits(self) -> str:
        """The limiting place, and the throughput that it allows."""
        return self.prediction.limit.words(self.prediction.amount, self.prediction.unit)

    @property
    def next(self) -> str:
        """The place with the next lowest bound, and that bound; empty if there is none."""
        for bound in self.prediction.behind:
            return f"{bound.place}, {number_text(bound.throughput)} {self.prediction.unit}"
        return ""

    def record(self) -> PredictedJobRecord:
        """Record for JSON."""
        return {**self.job.record(), **self.prediction.record()}


def loads(system: System, jobs: Sequence[Job]) -> tuple[Load, ...]:
    """Predict each kind of I/O among ``jobs``, with its smallest and largest blocks, at each number of processes.

    Numbers of processes that ``system`` does not allow are left out.
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
