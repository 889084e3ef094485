"""A stack file fitted to the measured jobs, as one of several candidates."""

from __future__ import annotations

from concurrent.futures import Executor
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from sim.calibration.calibrate import Calibration, calibrate
from sim.calibration.cross_validation import Stage
from sim.data.fitted import Fitted
from sim.data.importers import read
from sim.engine.simulation.options import RunOptions
from sim.system.system import System
from stacksim.measuring.choice import system_of
from stacksim.measuring.results import TABLES

TRUSTED = 0.12
"""Error of a job, or median error of several, above which predictions beside it are not to be trusted."""

OF_THROUGHPUT = RunOptions(precision=0.01, answers=("throughput",))
"""Options of predictions that are compared with measured jobs."""


def refitted(system: System, fitted: Fitted) -> System:
    """Copy of ``system`` with the parameters of ``fitted``."""
    return replace(system, parameters=fitted.parameters_from(system.parameters))


@dataclass(frozen=True)
class Means:
    """Processes to fit with, the command as typed, and a callback at each stage."""

    workers: Executor | None
    command: str
    on_stage: Stage


@dataclass(frozen=True)
class Candidate:
    """A stack file and its fit."""

    text: str
    system: System
    calibration: Calibration

    @classmethod
    def of(cls, text: str, folder: Path, means: Means, *, cross_validated: bool = True) -> Candidate:
        """Fit the stack file ``text`` to the fitted jobs in ``folder``.

        Args:
            cross_validated: False for a first look, in a fifth of the time.

        Raises:
            InputError: an unusable table; an absurd fit.
        """
        system = system_of(text)
        calibration = calibrate(
            [read(folder / f"{TABLES[0]}.csv", system, {})],
            first_guesses=1,
            cross_validated=cross_validated,
            workers=means.workers,
            command=means.command,
            on_stage=means.on_stage,
            system=system,
        )
        return cls(text, system, calibration)

    @property
    def scatter(self) -> float:
        """Scatter of the figures about the fit, as a share."""
        return self.calibration.certainty.scatter

    @property
    def missed(self) -> float:
        """Root mean square of cross-validated logarithmic errors."""
        published = self.calibration.problem.published
        errors = [np.log(value / published[each]) for each, value in self.calibration.held.predicted.items()]
        return float(np.sqrt(np.mean(np.square(errors))))
