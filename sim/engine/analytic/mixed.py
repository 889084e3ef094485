"""Waits at a place where closed and open clients meet, first come first served.

Open clients see the time average. Closed ones find each other as in ``queues.py``, and open work as in
``stalls.py``. If closed clients would demand more than the capacity left to them, all wait longer by an equal
time, as individual waits are not determined there.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

from sim.engine.analytic.queues import ROOM, ArrivalWeights, Backlogs, Queue, all_busy
from sim.engine.analytic.stalls import is_open, stalled_s
from sim.engine.analytic.stations import Flow, Node, Visit


def mixed(node: Node) -> bool:
    """True if closed and open clients meet at ``node``, and all hold it exclusively."""
    visits = node.visits
    return any(map(is_open, visits)) and not all(each.free for each in visits) and all(e.exclusive for e in visits)


class MixedQueue(Queue):
    """The queue of a node where closed and open clients meet."""

    def __init__(self, node: Node) -> None:
        super().__init__(node)
        self._outside = [visit for visit in node.visits if visit.free]
        self._opens = [visit for visit in node.visits if is_open(visit)]

    def update_arrival_weights(self) -> bool:
        """Update the arrival weights of every visit; return True if any visit finds others."""
        others = super().update_arrival_weights()
        most: dict[Flow, float] = {}
        for visit in self._inside():
            most[visit.flow] = max(most.get(visit.flow, 0.0), visit.sources)
        self._sources = sum(most.values())
        return others

    def _inside(self) -> list[Visit]:
        return [visit for visit in self.node.visits if visit not in self._outside]

    def waits(self) -> Iterable[tuple[Visit, float]]:
        """The wait of every visit at the present throughputs."""
        node = self.node
        room = node.servers * max(1.0 - sum(each.busy for each in self._outside) / node.servers, ROOM)
        backlogs = self._backlogs()
        waits_s = {
            visit: self._outside_wait_s(visit, left, backlogs, room)
            if visit in self._outside
            else self._closed_wait_s(visit, left, backlogs)
            for visit, left in zip(node.visits, self._weights_of, strict=True)
        }
        return self._within_capacity(waits_s, room).items()

    def _outside_wait_s(self, _visit: Visit, left: ArrivalWeights, found: Backlogs, room: float) -> float:
        """Wait of open clients and of branches left behind by closed ones: equation 3."""
        return self._backlog_s(left, found) / room

    def _closed_wait_s(self, visit: Visit, left: ArrivalWeights, found: Backlogs) -> float:
        """Wait for closed clients and their branches left behind (equation 3), and for open work (equation 30)."""
        node = self.node
        if not visit.request_rate:
            return visit.wait_s
        serving = sum(busy_left * found[row][1] for row, _, busy_left in left)
        full = all_busy(node, self._other_clients, serving) / serving if node.servers > 1 and serving else 1.0
        seen = self._with_finite_residuals(found, visit) if self._few_sources() else found
        work_s = sum(
            queue_left * seen[row][0] + full * busy_left * seen[row][2]
            for row, queue_left, busy_left in left
            if node.visits[row] not in self._opens
        )
        behind = sum(each.busy for each in self._outside if each not in self._opens)
        stalled = stalled_s(node, visit, self._opens, full)
        return (work_s / node.servers + stalled) / max(1.0 - behind / node.servers, ROOM)

    def max_s(self, visit: Visit) -> float:
        """Longest mean wait of a closed client: for all others, and the open work since its last arrival."""
        if not visit.request_rate or len(self._opens) < len(self._outside):
            return math.inf
        served = [each for each in self._inside() if each.work_s]
        longest_s = max(
            (max(each.work_s / each.visits, each.square_s2 / each.work_s / 2.0) for each in served), default=0.0
        )
        cycle_s = visit.sources / (visit.request_rate * visit.visits)
        came_s = sum(each.busy for each in self._opens) * cycle_s
        return ((self._sources - 1.0) * longest_s + came_s) / self.node.servers
