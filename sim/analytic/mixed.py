"""Waits at a place to which closed clients and open ones come, first come first served.

Open clients find the time average. Closed ones find each other as in ``queues.py``, and of open work what
``stalls.py`` says. Where closed clients would ask more than is left to them, all wait longer by the same time: the
wait of each alone is not determined there.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

from sim.analytic.queues import ROOM, Found, Left, Queue, all_busy, least_s
from sim.analytic.stalls import opened, stalled_s
from sim.analytic.stations import Node, Strand, Visit


def mixed(node: Node) -> bool:
    """Whether closed clients and open ones come to ``node``, and nobody shares it."""
    visits = node.visits
    return any(map(opened, visits)) and not all(each.free for each in visits) and all(e.exclusive for e in visits)


class MixedQueue(Queue):
    """What queues at one such node."""

    def look(self) -> bool:
        """Bring up to date what every visit finds of the others; whether there are others."""
        there = super().look()
        most: dict[Strand, float] = {}
        for each in self.node.visits:
            if not each.free:
                most[each.strand] = max(most.get(each.strand, 0.0), each.sources)
        self._sources = sum(most.values())
        return there

    def waits(self) -> Iterator[tuple[Visit, float]]:
        """The wait of every visit, at the present throughputs."""
        node = self.node
        room = node.servers * max(1.0 - sum(e.busy for e in node.visits if e.free) / node.servers, ROOM)
        found = self._found()
        waits_s = [
            self._work_found(left, found) / room if visit.free else self._closed_wait_s(visit, left, found)
            for visit, left in zip(node.visits, self._left, strict=True)
        ]
        longer_s = self._longer_s(waits_s, room)
        for visit, wait_s in zip(node.visits, waits_s, strict=True):
            yield visit, wait_s if visit.free else min(wait_s + longer_s, self._most_s(visit))

    def _closed_wait_s(self, visit: Visit, left: Left, found: Found) -> float:
        """For the closed clients and for what they left behind, as at any station; for open work by its stalls."""
        node = self.node
        if not visit.per_place:
            return visit.wait_s
        serving = sum(busy_left * found[row][1] for row, _, busy_left in left)
        full = all_busy(node, self._others, serving) / serving if node.servers > 1 and serving else 1.0
        seen = self._fewer(found, visit) if self._few() else found
        work_s = sum(
            queue_left * seen[row][0] + full * busy_left * seen[row][2]
            for row, queue_left, busy_left in left
            if not opened(node.visits[row])
        )
        behind = sum(each.busy for each in node.visits if each.free and not opened(each))
        return (work_s / node.servers + stalled_s(node, visit, full)) / max(1.0 - behind / node.servers, ROOM)

    def _longer_s(self, waits_s: list[float], room: float) -> float:
        """How much longer all closed clients wait, so that they ask no more than can be done (utilisation law)."""
        closed = [each for each in zip(self.node.visits, waits_s, strict=True) if not each[0].free]
        busy = sum(visit.busy for visit, _ in closed)
        if not busy:
            return 0.0
        excess = busy / room - 1.0
        return max(sum(visit.busy * (least_s(visit, excess) - wait_s) for visit, wait_s in closed) / busy, 0.0)

    def _most_s(self, visit: Visit) -> float:
        """How long a closed client waits at most: for all other clients, and what came since it came last."""
        visits = self.node.visits
        if not visit.per_place or any(each.free and not opened(each) for each in visits):
            return math.inf
        served = [each for each in visits if not each.free and each.work_s]
        longest_s = max(
            (max(each.work_s / each.visits, each.square_s2 / each.work_s / 2.0) for each in served), default=0.0
        )
        turn_s = visit.sources / (visit.per_place * visit.visits)
        came_s = sum(each.busy for each in visits if opened(each)) * turn_s
        return ((self._sources - 1.0) * longest_s + came_s) / self.node.servers
