"""Decodes the rows that the event loop has recorded into a trace."""

from __future__ import annotations

from collections.abc import Iterable

from sim.engines.compiled import layout as at
from sim.engines.compiled import opcodes as op
from sim.engines.compiled.templates import Program
from sim.engines.trace import Activity, Trace
from sim.model.model import Model

_ACTIVITIES: dict[int, Activity] = {
    op.SERVE: "serve",
    op.DELAY: "delay",
    op.FORK: "join",
    **dict.fromkeys((op.REQUEST, op.ACQUIRE, op.LOCK, op.PUT, op.TAKE, op.AWAIT, op.GATHER), "wait"),
}
"""The activity that takes time at each instruction. At others, such as a think time, there is no request."""


def decode(rows: Iterable[list[int]], trace: Trace, model: Model, program: Program) -> None:
    """Add to ``trace`` what ``rows`` say; ``layout`` describes a row."""
    workloads = [workload.name for workload in model.workloads]
    places = {address: place.name for address, place in zip(program.places, model.places, strict=True)}
    for kind, process, first, second, since_ns, now_ns in rows:
        if kind == at.TIME_SPENT:
            if first in _ACTIVITIES:
                trace.spend(process, _ACTIVITIES[first], places.get(second, ""), since_ns, now_ns)
        elif kind == at.REQUEST_BEGUN:
            trace.begin(process, workloads[first], second, now_ns)
        elif kind == at.BRANCH_SENT:
            trace.fork(process, first, now_ns, background=bool(second))
        else:
            trace.end(process, now_ns)
