"""Jobs that end: taken as an endless load that stops once it is through; its start and its end are left out."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import replace

from sim.analytic.buffers import Stock
from sim.analytic.stations import Chain
from sim.errors import ModelError
from sim.model.symmetry import Symmetry
from sim.model.workloads import Closed, Workload

NEAR = 0.05
"""Share of the elapsed time that start and end may be for certain, and still be left out."""


def endless(folded: Symmetry) -> Symmetry:
    """The same with no workload ever ending; no more clients than there are walks.

    Raises:
        ModelError: arrivals that end.
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


def elapsed_s(folded: Symmetry, chains: list[Chain], stocks: Iterable[Stock]) -> float | None:
    """Seconds until all jobs of ``folded`` are through; None if there are none.

    Raises:
        ModelError: the jobs do not end together, or a buffer holds much of what they move.
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
    for stock in stocks:
        _check_room(stock, counts)
    return ends[last]


def _check_room(stock: Stock, counts: dict[Chain, int]) -> None:
    """Refuse jobs that wait at a buffer for a small part of their time only, because it holds so much of them."""
    for side, room in (
        (stock.puts, stock.place.capacity - stock.place.initial),
        (stock.takes, stock.place.initial),
    ):
        waiting = [each for each in side if each.chain in counts and each.wait_s]
        moved = math.fsum(counts[each.chain] * each.ratio * each.work_s for each in waiting)
        if waiting and room > NEAR * moved:
            raise ModelError(
                f"{stock.place} has room for {room}, and {waiting[0].chain.workload} and its like move "
                f"{moved:.4g} by the time they end; the analytic engine knows the long run only: simulate"
            )
