"""Initial guess of the fixed point: each chain waits at its busiest place only."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress

from sim.engine.analytic.buffers import Limits
from sim.engine.analytic.queues import Queue
from sim.engine.analytic.stations import ALWAYS, Chain
from sim.engine.errors import NoSteadyStateError

PASSES = 3
"""Passes over all capacities and buffers, each of which lowers throughputs to their bounds."""


def guess_waits(closed: Sequence[Chain], queues: Sequence[Queue], limits: Limits) -> None:
    """Set throughputs and waits of the ``closed`` chains, whose response times without waiting are known."""
    for chain in closed:
        chain.throughput = chain.clients / max(chain.think_s + chain.response_s, 1e-12)
    limited = [queue for queue in queues if queue.limited]
    for _ in range(PASSES):
        for queue in limited:
            _limit_to_capacity(queue)
        with suppress(NoSteadyStateError):  # throughputs of the guess may be too low
            limits.apply()
    for chain in closed:
        _guess_chain(chain, limited)


def _limit_to_capacity(queue: Queue) -> None:
    """Lower throughputs until at most all servers are in use: the utilisation law."""
    node = queue.node
    demanded = node.busy
    if demanded > node.servers:
        for chain in {visit.chain for visit in node.visits if not visit.free}:
            chain.throughput *= node.servers / demanded


def _guess_chain(chain: Chain, queues: Sequence[Queue]) -> None:
    """Set the waits of ``chain`` at its busiest place, and the rest before the outermost hold around it."""
    chain_visits = [
        (visit, queue)
        for queue in queues
        for visit in queue.node.visits
        if visit.chain is chain and not visit.free
    ]
    if not chain_visits:
        return
    visit, queue = max(chain_visits, key=lambda pair: pair[1].node.utilisation)
    waiting_s = chain.clients / chain.throughput - chain.think_s - chain.response_s
    if waiting_s <= 0.0 or queue.node.utilisation < ALWAYS:
        return
    visit.wait_s = min(waiting_s / visit.sequential_visits, queue.max_s(visit))
    outermost = next(iter(visit.holds), None)
    if outermost is not None:
        outermost.wait_s = (waiting_s - visit.sequential_visits * visit.wait_s) / outermost.sequential_visits
