"""From the rows that the event loop has recorded to journeys."""

from __future__ import annotations

from collections.abc import Iterable

from sim.engines.compiled import layout as at
from sim.engines.compiled import opcodes as op
from sim.engines.compiled.lowering import Program
from sim.engines.trace import Doing, Journeys
from sim.model.model import Model

_DOING: dict[int, Doing] = {
    op.SERVE: "serve",
    op.DELAY: "delay",
    op.FORK: "join",
    **dict.fromkeys((op.REQUEST, op.ACQUIRE, op.LOCK, op.PUT, op.TAKE, op.AWAIT, op.GATHER), "wait"),
}
"""What time is spent on at each instruction; at others a walker is on no walk."""


def retell(rows: Iterable[list[int]], journeys: Journeys, model: Model, program: Program) -> None:
    """Add what ``rows`` (see ``layout``) say to ``journeys``."""
    workloads = [workload.name for workload in model.workloads]
    places = {address: place.name for address, place in zip(program.places, model.places, strict=True)}
    for kind, walker, first, second, since_ns, now_ns in rows:
        if kind == at.STAYED:
            if first in _DOING:
                journeys.stay(walker, _DOING[first], places.get(second, ""), since_ns, now_ns)
        elif kind == at.WALK_BEGUN:
            journeys.begin(walker, workloads[first], second, now_ns)
        elif kind == at.BRANCH_SENT:
            journeys.send(walker, first, now_ns, background=bool(second))
        else:
            journeys.end(walker, now_ns)
