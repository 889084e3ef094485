"""Which jobs to measure next: beside those that a fit has missed, where its mechanism says least."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain
from typing import Any

from sim.calibration.design import ADVISED
from sim.calibration.measure.jobs import Job, candidates, other_kinds
from sim.system.system import System


@dataclass(frozen=True)
class Beside:
    """A job that was not measured, and the one beside it that was ``missed``: predicted / measured - 1."""

    job: Job
    measured: Job
    missed: float

    def record(self) -> dict[str, Any]:
        """As JSON has it."""
        return {**self.job.record(), "beside": self.measured.record(), "missed": self.missed}


def next_jobs(system: System, missed: Mapping[Job, float], measured: Collection[Job]) -> Iterator[Beside]:
    """The job nearest to each of those ``missed`` most that is none of ``measured``, each once.

    Args:
        missed: predicted / measured - 1 of jobs that no prediction should be trusted beside.
    """
    possible = (*candidates(system), *chain.from_iterable(other_kinds(system)))
    left = [job for job in possible if job not in measured]
    for job in sorted(missed, key=lambda each: abs(math.log1p(missed[each])), reverse=True)[:ADVISED]:
        near = [each for each in left if each.kind == job.kind]
        if near:
            nearest = min(near, key=lambda each: _distance(each, job))
            left.remove(nearest)
            yield Beside(nearest, job, missed[job])


def _distance(one: Job, other: Job) -> float:
    """In doublings of bytes, processes and requests in flight."""
    pairs = ((one.block, other.block), (one.users, other.users), (one.depth, other.depth))
    return sum(abs(math.log2(ours / theirs)) for ours, theirs in pairs)
