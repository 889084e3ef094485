"""Where the search for the fixed point begins: as if only the busiest place of each chain made it wait."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress

from sim.analytic.buffers import Limits
from sim.analytic.queues import Queue
from sim.analytic.stations import ALWAYS, Chain
from sim.errors import NoSteadyStateError

PASSES = 3
"""Each slows those down who ask too much of a place, or move more through a buffer than its other side."""


def begin(closed: Sequence[Chain], queues: Sequence[Queue], limits: Limits) -> None:
    """Let the ``closed`` chains, whose walks without waiting are known, wait where they are slowed down most."""
    for chain in closed:
        chain.throughput = chain.clients / max(chain.think_s + chain.response_s, 1e-12)
    limited = [queue for queue in queues if queue.limited]
    for _ in range(PASSES):
        for queue in limited:
            _slow(queue)
        with suppress(NoSteadyStateError):  # all are slower here than they need be
            limits.apply()
    for chain in closed:
        _queue_up(chain, limited)


def _slow(queue: Queue) -> None:
    """Utilisation law: no more than all servers are in use."""
    node = queue.node
    asked = node.busy
    if asked > node.servers:
        for chain in {visit.chain for visit in node.visits if not visit.free}:
            chain.throughput *= node.servers / asked


def _queue_up(chain: Chain, queues: Sequence[Queue]) -> None:
    """Spend what a walk takes longer at the busiest place; who finds no room there waits before the hold."""
    mine = [
        (visit, queue)
        for queue in queues
        for visit in queue.node.visits
        if visit.chain is chain and not visit.free
    ]
    if not mine:
        return
    visit, queue = max(mine, key=lambda each: each[1].node.utilisation)
    longer_s = chain.clients / chain.throughput - chain.think_s - chain.response_s
    if longer_s <= 0.0 or queue.node.utilisation < ALWAYS:
        return
    visit.wait_s = min(longer_s / visit.turns, queue.most_s)
    outermost = next(iter(visit.around), None)
    if outermost is not None:
        outermost.wait_s = (longer_s - visit.turns * visit.wait_s) / outermost.turns
