"""Sensitivity of each job's throughput to the parameters of a stack, over the range of their priors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from sim.calibration.evaluate import SEED
from sim.calibration.problem import PRIOR_DEVIATIONS
from sim.engine.errors import InputError, ModelError
from sim.engine.simulation.options import ANALYTIC, RunOptions
from sim.engine.statistics.estimates import Series
from sim.prediction.solvers import solution
from sim.system.case import Case
from sim.system.scenario import Scenario
from sim.system.system import System
from stacksim.measuring.jobs import Job

POINTS = 3
"""Points of slopes: the centre of the priors, and draws from them; a single point has a single bottleneck."""

STEP = 0.5
"""Step of differences, in prior deviations: large, as the first fit may move as far, and above the noise."""

_SIMULATED = RunOptions(precision=0.03, seed=SEED, answers=("throughput",))
_COMPUTED = RunOptions(engine=ANALYTIC, seed=SEED)


def slopes(system: System, jobs: Sequence[Job]) -> Series:
    """Derivatives of log throughput by the parameters in deviations of their priors, shape (points, jobs, free).

    Raises:
        InputError: ``system`` has no free parameter.
    """
    free = system.parameters.free()
    if not free:
        raise InputError(
            f"stack '{system.name}' has no parameter to fit: none has the basis 'fitted'; give that basis, and "
            "bounds, to those that a measurement is to find"
        )
    low, high = (np.log([getattr(each, end) for each in free]) for end in ("low", "high"))
    deviations = (high - low) / PRIOR_DEVIATIONS
    steps = np.diag(STEP * deviations)
    logs = []
    for centre in _points(np.log([each.centre for each in free]), deviations, low, high):
        moved = [centre, *(centre + step for step in steps)]
        values = [_values(system, each) for each in moved]
        logs.append([[_log_throughput(system, job, each) for each in values] for job in jobs])
    answers = np.array(logs)
    return np.asarray((answers[:, :, 1:] - answers[:, :, :1]) / STEP)


def _points(centre: Series, deviations: Series, low: Series, high: Series) -> list[Series]:
    generator = np.random.Generator(np.random.PCG64(0))
    drawn = generator.standard_normal((POINTS - 1, len(centre))) * deviations
    inside = STEP * deviations  # so that a step stays within the bounds
    return [np.clip(each, low, high - inside) for each in (centre, *(centre + drawn))]


def _values(system: System, point: Series) -> dict[str, float]:
    """The parameters at the logarithms ``point``, within their bounds."""
    pairs = zip(system.parameters.free(), np.exp(point).tolist(), strict=True)
    return {each.name: each.bounded(value) for each, value in pairs}


def _log_throughput(system: System, job: Job, values: Mapping[str, float]) -> float:
    return float(np.log(_throughput(Case(system, job.settings(system)).changed(values))))


def _throughput(scenario: Scenario) -> float:
    """Throughput, computed if possible, else simulated."""
    try:
        result = solution(scenario, _COMPUTED)
    except ModelError:
        result = solution(scenario, _SIMULATED)
    return scenario.answers(result)["throughput"].estimate.value
