"""Choice of jobs: the most informative ones about the parameters, and a third that the fit does not see.

The information is the mean over several points of log det(I + J'J / s^2), in deviations of the priors: Bayesian
D-optimality (Chaloner and Verdinelli, "Bayesian experimental design: a review", Statistical Science 10 (1995),
section 2.2). Jobs are added one at a time, each the one that adds most.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np

from sim.engine.errors import InputError
from sim.engine.statistics.estimates import Series
from sim.system.system import System
from stacksim.measuring.jobs import Job, at_twice_the_load, candidates, other_kinds
from stacksim.measuring.slopes import slopes

SCATTER = 0.1
"""Assumed deviation of a run: that of a disturbed machine."""

FEWEST = 6
"""Smallest number of a user's own jobs."""

LEAST, A_PARAMETER = 10, 2
"""Number of fitted jobs: at least, and for each parameter."""


@dataclass(frozen=True)
class Plan:
    """Jobs to fit, held-out jobs, and jobs at twice the load, all chosen before the first one runs.

    Attributes:
        again: those of the fitted jobs, the last ones, that a second round added.
    """

    fitted: tuple[Job, ...]
    held_out: tuple[Job, ...]
    twice: tuple[Job, ...]
    again: tuple[Job, ...] = ()

    @property
    def jobs(self) -> tuple[Job, ...]:
        """All jobs in the order of their runs: shuffled, so that no drift falls on one kind."""
        every = (*self.fitted, *self.held_out, *self.twice)
        order = np.random.Generator(np.random.PCG64(0)).permutation(len(every))
        return tuple(every[index] for index in order.tolist())

    def without(self, lost: Collection[Job]) -> Plan:
        """Copy without jobs that were ``lost``."""
        parts = (self.fitted, self.held_out, self.twice, self.again)
        return Plan(*(tuple(job for job in part if job not in lost) for part in parts))

    def beside(self, more: Sequence[Job]) -> Plan:
        """Copy that fits ``more`` jobs, of a second round."""
        return Plan((*self.fitted, *more), self.held_out, self.twice, tuple(more))

    def role(self, job: Job) -> str:
        """Role of ``job``: ``fitted``, ``held out`` or ``twice the load``."""
        return "fitted" if job in self.fitted else "held out" if job in self.held_out else "twice the load"


def plan(system: System, *, depth: bool = True) -> Plan:
    """Plan for ``system``; half as many jobs are held out as are fitted, spread over the rest.

    Args:
        depth: True if a process may have several requests in flight.

    Raises:
        InputError: ``system`` lacks a setting, or has nothing to fit.
    """
    possible = candidates(system, depth=depth)
    sensitivities = slopes(system, possible)
    number = min(max(LEAST, A_PARAMETER * sensitivities.shape[2]), 2 * len(possible) // 3)
    fitted = [possible[index] for index in most_telling(sensitivities, number)]
    left = [job for job in possible if job not in fitted]
    seen, apart = other_kinds(system) if depth else ([], [])
    twice = at_twice_the_load(system, depth=depth)
    return Plan((*fitted, *seen), (*_spread(left, number // 2), *apart), tuple(twice))


def plan_of(jobs: Sequence[Job]) -> Plan:
    """Plan of these ``jobs``; every third is held out, unless it is the only one of its kind.

    Raises:
        InputError: there are too few jobs.
    """
    if len(jobs) < FEWEST:
        raise InputError(
            f"jobs that differ in the job files: {len(jobs)}; at least {FEWEST} are needed, or leave the files out"
        )
    kinds = Counter(job.kind for job in jobs)
    held_out: list[Job] = []
    for job in jobs[2::3]:
        if kinds[job.kind] > 1:
            kinds[job.kind] -= 1
            held_out.append(job)
    return Plan(tuple(job for job in jobs if job not in held_out), tuple(held_out), ())


def most_telling(told: Series, number: int) -> list[int]:
    """Indices of the ``number`` most informative jobs of ``told``, shape (points, jobs, free)."""
    points, jobs, free = told.shape
    information = np.stack([np.eye(free)] * points)
    chosen: list[int] = []
    for _ in range(number):
        gains = [_gain(information, told[:, job]) if job not in chosen else -np.inf for job in range(jobs)]
        best = int(np.argmax(gains))
        chosen.append(best)
        information += np.einsum("pi,pj->pij", told[:, best], told[:, best]) / SCATTER**2
    return chosen


def _gain(information: Series, slope: Series) -> float:
    """Mean gain of log det by one job: log(1 + s'M^-1 s), ``slope`` of shape (points, free)."""
    solved = np.linalg.solve(information, slope[:, :, None])[:, :, 0]
    return float(np.log1p(np.einsum("pi,pi->p", slope, solved) / SCATTER**2).mean())


def _spread(jobs: Sequence[Job], number: int) -> list[Job]:
    """``number`` of ``jobs``, evenly spaced in their order."""
    places = (np.arange(number) + 0.5) * len(jobs) / number
    return [jobs[int(place)] for place in places.tolist()]
