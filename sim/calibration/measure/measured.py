"""A measurement that is done: what was there, what ran, the fit to it, and what that says of a few loads."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from typing import Any

from sim.calibration.measure.answer import Fit
from sim.calibration.measure.loads import Load
from sim.calibration.measure.rounds import Rounds
from sim.calibration.measure.session import Session
from sim.data.fitted import record


@dataclass(frozen=True)
class Measured:
    """A measurement that is done.

    Attributes:
        day: when it was done, by the calendar of UTC.
    """

    session: Session
    rounds: Rounds
    fit: Fit
    loads: tuple[Load, ...]
    day: date

    @property
    def notes(self) -> tuple[str, ...]:
        """What whoever reads the figures has to know of the machine, a line each."""
        return (*self.session.notes, *self.rounds.notes(self.session.plan.jobs))

    @property
    def warnings(self) -> tuple[str, ...]:
        """All of these, and where the fit must not be trusted."""
        return (*self.notes, *self.fit.fitted.warnings)

    def record(self) -> dict[str, Any]:
        """Part of the stable interface of ``measure --json``."""
        return {
            **self.session.record(),
            "stack": self.fit.text,
            "rejected": [{"title": title, "scatter": scatter} for title, scatter in self.fit.rejected],
            "notes": [*self.notes],
            "fit": record(self.fit.fitted),
            "curve": {"name": self.fit.curve.name, "median": self.fit.by_curve} if self.fit.curve else None,
            "tested": {name: [each.record() for each in tested] for name, tested in self.fit.tested.items()},
            "warnings": [*self.fit.fitted.warnings],
            "loads": [each.record() for each in self.loads],
        }
