"""A completed measurement: facts, runs, the fit to them, and its predictions at a few loads."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from functools import cached_property

from typing_extensions import TypedDict

from sim.calibration.design import ADVISED
from sim.data.fitted import Fitted, record
from sim.prediction.report import case_of
from stacksim.measuring.answer import Fit, TestedRecord
from stacksim.measuring.candidate import TRUSTED
from stacksim.measuring.jobs import JobRecord
from stacksim.measuring.loads import Load, PredictedJobRecord
from stacksim.measuring.next_jobs import Beside, BesideRecord, next_jobs
from stacksim.measuring.rounds import Rounds
from stacksim.measuring.session import Session, SessionRecord


class RejectedStackRecord(TypedDict):
    """A stack that predicts jobs left out of its fit worse."""

    title: str
    scatter: float
    missed: float


class CurveRecord(TypedDict):
    """The best curve without mechanism, and its median errors by table."""

    name: str
    median: dict[str, float]


class MeasuredRecord(SessionRecord):
    """A completed measurement, the fit to it, and predictions."""

    missed: float
    rejected: list[RejectedStackRecord]
    fit: Fitted
    curve: CurveRecord | None
    again: list[JobRecord]
    tested: dict[str, list[TestedRecord]]
    warnings: list[str]
    next: list[BesideRecord]
    loads: list[PredictedJobRecord]


@dataclass(frozen=True)
class Measured:
    """A completed measurement.

    Attributes:
        day: date of its end, in UTC.
    """

    session: Session
    rounds: Rounds
    fit: Fit
    loads: tuple[Load, ...]
    day: date

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes on the machine for readers of the figures, a line each."""
        return (*self.session.notes, *self.rounds.notes(self.session.plan.jobs))

    @property
    def warnings(self) -> tuple[str, ...]:
        """Notes on the storage, and reasons not to trust the fit, among them notes on the runs."""
        return (*self.session.notes, *self.fit.fitted.warnings)

    @cached_property
    def next_jobs(self) -> tuple[Beside, ...]:
        """Jobs to measure next, near unseen figures that the fit missed."""
        system, plan = self.fit.system, self.session.plan
        jobs = [(job.settings(system), job) for job in plan.jobs]
        unseen = (each for table in self.fit.tested.values() for each in table)
        missed = {
            job: each.error
            for each in unseen
            for settings, job in jobs
            if abs(each.error) > TRUSTED and settings == case_of(system, each.figure).settings
        }
        return tuple(next_jobs(system, missed, (*plan.jobs, *self.rounds.lost), ADVISED))

    def record(self) -> MeasuredRecord:
        """Part of the stable interface of ``measure --json``."""
        return {
            **self.session.record(),
            "stack": self.fit.text,
            "rejected": [
                {"title": each.system.title, "scatter": each.scatter, "missed": each.missed}
                for each in self.fit.rejected
            ],
            "missed": self.fit.missed,
            "notes": [*self.notes],
            "fit": record(self.fit.fitted),
            "curve": {"name": self.fit.curve.name, "median": self.fit.by_curve} if self.fit.curve else None,
            "again": [each.record() for each in self.session.plan.again],
            "tested": {name: [each.record() for each in tested] for name, tested in self.fit.tested.items()},
            "warnings": [*self.fit.fitted.warnings],
            "next": [each.record() for each in self.next_jobs],
            "loads": [each.record() for each in self.loads],
        }
