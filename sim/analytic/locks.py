"""Waits before a lock that some hold shared and others exclusively, first come first served.

Exclusive holders queue as before one server. Shared ones that stand next to each other in the queue go together:
one group between two exclusive holders, which takes as long as the longest of them (Johnson, "Approximate
analysis of reader/writer queues", IEEE Trans. Software Engineering 21 (1995), simplified: a group holds as many
as come between two exclusive holders, and holds of one kind are alike).
"""

from __future__ import annotations

import math
from collections.abc import Iterator

from sim.analytic.network import Node, Visit
from sim.analytic.queues import ROOM, Queue, own_share


class LockQueue(Queue):
    """What queues at one lock."""

    def waits(self) -> Iterator[tuple[Visit, float]]:
        """The wait of every visit, at the present throughputs."""
        node = self.node
        if self.limited:
            yield from super().waits()
        elif any(each.exclusive for each in node.visits):
            rates = [each.per_place * each.visits for each in node.visits]
            alone = [rate if each.exclusive else 0.0 for rate, each in zip(rates, node.visits, strict=True)]
            shared = [rate - mine for rate, mine in zip(rates, alone, strict=True)]
            group_s = _group_s(node, shared, sum(alone))
            share = sum(shared) / max(sum(rates), 1e-300)
            for visit in node.visits:
                yield visit, _wait(node, visit, alone, shared, share * group_s)


def _wait(node: Node, visit: Visit, alone: list[float], shared: list[float], group_s: float) -> float:
    """``group_s``: mean seconds for which a shared group goes before each exclusive holder in the queue."""
    own = dict(own_share(node, visit))
    left = [1.0 - own.get(row, 0.0) for row in range(len(node.visits))]
    queue = sum(part * rate * each.wait_s for part, rate, each in zip(left, alone, node.visits, strict=True))
    ahead = sum(
        part * each.per_place * (each.work_s * each.wait_s + each.square_s2 / 2.0)
        for part, rate, each in zip(left, alone, node.visits, strict=True)
        if rate
    )
    holding = sum(
        part * each.per_place * each.work_s
        for part, rate, each in zip(left, shared, node.visits, strict=True)
        if rate
    )
    holding_rest = sum(
        part * each.per_place * each.square_s2 / 2.0
        for part, rate, each in zip(left, shared, node.visits, strict=True)
        if rate
    )
    rest_s = holding_rest / holding * -math.expm1(-holding) if holding > 0.0 else 0.0
    if not visit.exclusive:
        rest_s *= min(queue, 1.0)
    free = sum(
        rate * each.work_s / each.visits for rate, each in zip(alone, node.visits, strict=True) if each.free
    )
    return (ahead + queue * group_s + rest_s) / max(1.0 - free, ROOM)


def _group_s(node: Node, shared: list[float], alone: float) -> float:
    """The longest of as many shared holds as come between two exclusive ones, as of exponential times."""
    coming = sum(shared)
    work = sum(each.per_place * each.work_s for each, rate in zip(node.visits, shared, strict=True) if rate)
    if coming <= 0.0 or alone <= 0.0:
        return 0.0
    square = sum(each.per_place * each.square_s2 for each, rate in zip(node.visits, shared, strict=True) if rate)
    hold_s = work / coming
    variation = max(square / coming / hold_s**2 - 1.0, 0.0) if hold_s > 0.0 else 0.0
    together = math.log1p(coming / alone)
    return hold_s * (1.0 + math.sqrt(variation) * together)
