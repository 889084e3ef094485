"""Steps bound to the state of one run: each knows how a walker takes it on SimPy.

Ties go as in SimPy: what was scheduled first happens first. A grant and a release are events of their
own, so a client that gives a server back has gone on before the next one in the queue is granted it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import simpy

from sim import steps
from sim.reference.places import BufferState, CacheState, Events, GateState, LockState, PoolState, StationState
from sim.reference.walker import NOTHING, Walker
from sim.streams import sampler

if TYPE_CHECKING:
    from sim.reference.engine import ReferenceEngine

Taken = Callable[[Walker], Events]
"""A bound step or path: called with a walker, it yields the events that the walker waits for."""


def bind_path(engine: ReferenceEngine, workload: str, path: steps.Path) -> Taken:
    """Bind every step of ``path`` for the clients of ``workload``, which names their streams."""
    bound = tuple(_BINDERS[type(step)](engine, workload, step) for step in path)

    def take(walker: Walker) -> Events:
        for step in bound:
            engine.step_begun(walker)
            yield from step(walker)

    return take


def _use(engine: ReferenceEngine, workload: str, step: steps.Use) -> Taken:  # noqa: ARG001
    state: StationState = engine.state(step.station)
    time_ns = sampler(engine.streams, str(step.station), step.time)
    environment = engine.environment

    def take(walker: Walker) -> Events:
        with state.resource.request() as request:
            yield from state.serve(walker, request)
            yield environment.timeout(time_ns(walker.items))
            state.busy.change(-1)

    return take


def _delay(engine: ReferenceEngine, workload: str, step: steps.Delay) -> Taken:
    time_ns = sampler(engine.streams, workload, step.time)
    environment = engine.environment

    def take(walker: Walker) -> Events:
        walker.doing = NOTHING
        yield environment.timeout(time_ns(walker.items))

    return take


def _hold(engine: ReferenceEngine, workload: str, step: steps.Hold) -> Taken:
    state: LockState | PoolState = engine.state(step.held)
    inside = bind_path(engine, workload, step.steps)

    def take(walker: Walker) -> Events:
        yield from state.acquire(walker, step.tokens, exclusive=step.exclusive)
        walker.held.append(step.held)
        yield from inside(walker)
        walker.held.pop()
        state.release(step.tokens, exclusive=step.exclusive)

    return take


def _put(engine: ReferenceEngine, workload: str, step: steps.Put) -> Taken:  # noqa: ARG001
    state: BufferState = engine.state(step.buffer)

    def take(walker: Walker) -> Events:
        yield from state.queued(walker, state.container.put(step.amount))
        state.busy.change(+step.amount)

    return take


def _take(engine: ReferenceEngine, workload: str, step: steps.Take) -> Taken:  # noqa: ARG001
    state: BufferState = engine.state(step.buffer)

    def take(walker: Walker) -> Events:
        yield from state.queued(walker, state.container.get(step.amount))
        state.busy.change(-step.amount)

    return take


def _fork(engine: ReferenceEngine, workload: str, step: steps.Fork) -> Taken:
    branches = [bind_path(engine, workload, branch) for branch in step.branches]

    def take(walker: Walker) -> Events:
        started = [engine.branch(walker, branch, background=not step.wait) for branch in branches]
        if step.wait:
            walker.doing = "join", ""
            yield simpy.AllOf(engine.environment, started)

    return take


def _await(engine: ReferenceEngine, workload: str, step: steps.Await) -> Taken:  # noqa: ARG001
    state: GateState = engine.state(step.gate)
    return state.wait


def _gather(engine: ReferenceEngine, workload: str, step: steps.Gather) -> Taken:  # noqa: ARG001
    state: GateState = engine.state(step.gate)
    return state.gather


def _wake(engine: ReferenceEngine, workload: str, step: steps.Wake) -> Taken:  # noqa: ARG001
    state: GateState = engine.state(step.gate)

    def take(walker: Walker) -> Events:
        state.wake(walker)
        yield from ()

    return take


def _if_any(engine: ReferenceEngine, workload: str, step: steps.IfAny) -> Taken:
    state: GateState | BufferState | LockState = engine.state(step.at)
    some, none = bind_path(engine, workload, step.some), bind_path(engine, workload, step.none)

    def take(walker: Walker) -> Events:
        yield from (some if state.anything else none)(walker)

    return take


def _choose(engine: ReferenceEngine, workload: str, step: steps.Choose) -> Taken:
    following = engine.streams.uniforms(workload).__next__
    paths = [bind_path(engine, workload, option) for _, option in step.options]
    limits = steps.cumulated(step)

    def take(walker: Walker) -> Events:
        drawn = following()
        chosen = sum(drawn >= limit for limit in limits)
        yield from paths[chosen](walker)

    return take


def _lookup(engine: ReferenceEngine, workload: str, step: steps.Lookup) -> Taken:
    state: CacheState = engine.state(step.cache)
    following = engine.streams.addresses(workload, step.addresses).__next__
    hit, miss = bind_path(engine, workload, step.hit), bind_path(engine, workload, step.miss)

    def take(walker: Walker) -> Events:
        found = state.look_up(following(), step.access)
        engine.looked_up(walker, hit=found)
        yield from (hit if found else miss)(walker)

    return take


def _repeat(engine: ReferenceEngine, workload: str, step: steps.Repeat) -> Taken:
    inside = bind_path(engine, workload, step.steps)
    times = step.times if step.steps else 0  # nothing is nothing, however often

    def take(walker: Walker) -> Events:
        for _ in range(times):
            yield from inside(walker)

    return take


def _custom(engine: ReferenceEngine, workload: str, step: steps.Custom) -> Taken:  # noqa: ARG001
    def take(walker: Walker) -> Events:
        walker.doing = NOTHING
        yield from step.process(engine.environment)

    return take


_BINDERS: dict[type[steps.Step], Callable[..., Taken]] = {
    steps.Use: _use,
    steps.Delay: _delay,
    steps.Hold: _hold,
    steps.Put: _put,
    steps.Take: _take,
    steps.Fork: _fork,
    steps.Await: _await,
    steps.Gather: _gather,
    steps.Wake: _wake,
    steps.IfAny: _if_any,
    steps.Choose: _choose,
    steps.Lookup: _lookup,
    steps.Repeat: _repeat,
    steps.Custom: _custom,
}
