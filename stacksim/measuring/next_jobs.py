"""Jobs to measure next: near those that a fit missed, where its mechanism is least reliable."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain

from sim.system.system import System
from stacksim.measuring.jobs import Job, JobRecord, candidates, other_kinds


class BesideRecord(JobRecord):
    """A job to measure next, and its measured neighbour with its error."""

    beside: JobRecord
    missed: float


@dataclass(frozen=True)
class Beside:
    """An unmeasured job, and its measured neighbour with the error ``missed``: predicted / measured - 1."""

    job: Job
    measured: Job
    missed: float

    def record(self) -> BesideRecord:
        """Record for JSON."""
        return {**self.job.record(), "beside": self.measured.record(), "missed": self.missed}


def next_jobs(
    system: System, missed: Mapping[Job, float], measured: Collection[Job], most: int
) -> Iterator[Beside]:
    """Yield the nearest unmeasured job of its kind to each missed one, worst first: ``most`` of them, each once.

    Args:
        missed: predicted / measured - 1 of jobs near which predictions are not to be trusted.
    """
    possible = (*candidates(system), *chain.from_iterable(other_kinds(system)))
    left = [job for job in possible if job not in measured]
    worst_first = sorted(missed, key=lambda each: abs(math.log1p(missed[each])), reverse=True)
    for job in worst_first:
        near = [each for each in left if each.kind == job.kind]
        if near and most:
            most -= 1
            nearest = min(near, key=lambda each: _distance(each, job))
            left.remove(nearest)
            yield Beside(nearest, job, missed[job])


def _distance(one: Job, other: Job) -> float:
    """Distance in doublings of bytes, processes and requests in flight."""
    pairs = ((one.block, other.block), (one.users, other.users), (one.depth, other.depth))
    return sum(abs(math.log2(ours / theirs)) for ours, theirs in pairs)
