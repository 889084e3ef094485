"""Jobs, solved as an endless load that stops after all requests, without effects of start and end."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import replace

from sim.engine.analytic.buffers import BufferRole
from sim.engine.analytic.stations import Chain
from sim.engine.errors import ModelError
from sim.engine.model.symmetry import Symmetry
from sim.engine.model.workloads import Closed, Workload

NEAR = 0.05
"""Share of the elapsed time for which start and end of a job are neglected; jobs with more are refused."""


def endless(folded: Symmetry) -> Symmetry:
    """A copy of the model with endless workloads, and no more clients than requests.

    Raises:
        ModelError: open arrivals have a count.
    """
    return replace(folded, workloads=tuple((_endless(each), copies) for each, copies in folded.workloads))


def _endless(workload: Workload) -> Workload:
    if workload.count is None:
        return workload
    if not isinstance(workload, Closed):
        raise ModelError(
            f"{workload} ends after {workload.count} arrivals; the analytic engine knows the long run only: "
            "let it arrive without end, or simulate"
        )
    return replace(workload, clients=min(workload.clients, workload.count), count=None)


def elapsed_s(folded: Symmetry, chains: list[Chain], buffer_roles: Iterable[BufferRole]) -> float | None:
    """Seconds until all jobs of ``folded`` are done; None if there are none.

    Raises:
        ModelError: the jobs do not end together, or a buffer holds a large part of what they move.
    """
    counts = {
        chain: workload.count
        for chain, (workload, _) in zip(chains, folded.workloads, strict=True)
        if workload.count is not None
    }
    if not counts:
        return None
    ends = {chain: count / chain.throughput for chain, count in counts.items()}
    first, last = min(ends, key=lambda chain: ends[chain]), max(ends, key=lambda chain: ends[chain])
    if ends[last] > ends[first] * (1.0 + NEAR):
        raise ModelError(
            f"{first.workload} would end after {ends[first]:.4g} s and {last.workload} after {ends[last]:.4g} s; "
            "the analytic engine knows the long run only, in which all go on: simulate"
        )
    for role in buffer_roles:
        _check_room(role, counts)
    return ends[last]


def _check_room(role: BufferRole, counts: dict[Chain, int]) -> None:
    """Refuse jobs that begin to wait at a buffer late, because it holds a large part of what they move."""
    for side, room in (
        (role.puts, role.place.capacity - role.place.initial),
        (role.takes, role.place.initial),
    ):
        waiting = [visit for visit in side if visit.chain in counts and visit.wait_s]
        moved = math.fsum(counts[visit.chain] * visit.ratio * visit.work_s for visit in waiting)
        if waiting and room > NEAR * moved:
            raise ModelError(
                f"{role.place} has room for {room}, and {waiting[0].chain.workload} and its like move "
                f"{moved:.4g} by the time they end; the analytic engine knows the long run only: simulate"
            )
