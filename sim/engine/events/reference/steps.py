"""Steps bound to the state of one run, as a process takes them on SimPy.

Ties go as in SimPy: the event scheduled first happens first. A grant and a release are events of their
own, so a client that releases a server has gone on before the next one in the queue is granted it.
"""

from __future__ import annotations

from collections.abc import Callable

from simpy.events import Condition

from sim.engine.events.random_streams import sampler
from sim.engine.events.reference.places import (
    BufferState,
    CacheState,
    GateState,
    LockState,
    PoolState,
    StationState,
)
from sim.engine.events.reference.token import NOTHING, Bound, Events, Process, Run
from sim.engine.events.trace import Held
from sim.engine.model import steps


def bind_path(run: Run, workload: str, path: steps.Path) -> Bound:
    """Bind every step of ``path`` for the clients of ``workload``, which names their streams."""
    bound = tuple(_BINDERS[type(step)](run, workload, step) for step in path)

    def take(process: Process) -> Events:
        for step in bound:
            run.step_begun(process)
            yield from step(process)

    return take


def _use(run: Run, workload: str, step: steps.Use) -> Bound:  # noqa: ARG001
    state: StationState = run.state(step.station)
    time_ns = sampler(run.streams, str(step.station), step.time)
    environment = run.environment

    def take(process: Process) -> Events:
        with state.resource.request() as grant:
            yield from state.serve(process, grant)
            yield environment.timeout(time_ns(process.items))
            state.busy.change(-1)

    return take


def _delay(run: Run, workload: str, step: steps.Delay) -> Bound:
    time_ns = sampler(run.streams, workload, step.time)
    environment = run.environment

    def take(process: Process) -> Events:
        process.activity = NOTHING
        yield environment.timeout(time_ns(process.items))

    return take


def _hold(run: Run, workload: str, step: steps.Hold) -> Bound:
    state: LockState | PoolState = run.state(step.held)
    held = Held(step.held.name, step.tokens, step.exclusive)
    inside = bind_path(run, workload, step.steps)

    def take(process: Process) -> Events:
        yield from state.acquire(process, step.tokens, exclusive=step.exclusive)
        process.held.append(held)
        yield from inside(process)
        process.held.pop()
        state.release(step.tokens, exclusive=step.exclusive)

    return take


def _put(run: Run, workload: str, step: steps.Put) -> Bound:  # noqa: ARG001
    state: BufferState = run.state(step.buffer)

    def take(process: Process) -> Events:
        yield from state.queued(process, state.container.put(step.amount))
        state.busy.change(+step.amount)

    return take


def _take(run: Run, workload: str, step: steps.Take) -> Bound:  # noqa: ARG001
    state: BufferState = run.state(step.buffer)

    def take(process: Process) -> Events:
        yield from state.queued(process, state.container.get(step.amount))
        state.busy.change(-step.amount)

    return take


def _fork(run: Run, workload: str, step: steps.Fork) -> Bound:
    branches = [bind_path(run, workload, branch) for branch in step.branches]

    def take(process: Process) -> Events:
        started = [run.branch(process, branch, background=not step.wait) for branch in branches]
        if step.wait:
            process.activity = "join", ""
            if step.leaves:
                run.leave_behind(process, started, step.needed)
            yield Condition(run.environment, lambda _, ended: ended == step.needed, started)

    return take


def _await(run: Run, workload: str, step: steps.Await) -> Bound:  # noqa: ARG001
    state: GateState = run.state(step.gate)
    return state.wait


def _gather(run: Run, workload: str, step: steps.Gather) -> Bound:  # noqa: ARG001
    state: GateState = run.state(step.gate)
    return state.gather


def _wake(run: Run, workload: str, step: steps.Wake) -> Bound:  # noqa: ARG001
    state: GateState = run.state(step.gate)

    def take(process: Process) -> Events:
        state.wake(process)
        yield from ()

    return take


def _if_any(run: Run, workload: str, step: steps.IfAny) -> Bound:
    state: GateState | BufferState | LockState = run.state(step.at)
    some, none = bind_path(run, workload, step.some), bind_path(run, workload, step.none)

    def take(process: Process) -> Events:
        yield from (some if state.has(step.least) else none)(process)

    return take


def _choose(run: Run, workload: str, step: steps.Choose) -> Bound:
    following = run.streams.uniforms(workload).__next__
    paths = [bind_path(run, workload, option) for _, option in step.options]
    limits = steps.cumulated(step)

    def take(process: Process) -> Events:
        drawn = following()
        chosen = sum(drawn >= limit for limit in limits)
        yield from paths[chosen](process)

    return take


def _lookup(run: Run, workload: str, step: steps.Lookup) -> Bound:
    state: CacheState = run.state(step.cache)
    following = run.streams.addresses(workload, step.addresses).__next__
    hit, miss = bind_path(run, workload, step.hit), bind_path(run, workload, step.miss)

    def take(process: Process) -> Events:
        is_hit = state.look_up(following(), step.access)
        run.looked_up(process, hit=is_hit)
        yield from (hit if is_hit else miss)(process)

    return take


def _repeat(run: Run, workload: str, step: steps.Repeat) -> Bound:
    inside = bind_path(run, workload, step.steps)
    times = step.times if step.steps else 0  # repeating nothing takes no time

    def take(process: Process) -> Events:
        for _ in range(times):
            yield from inside(process)

    return take


def _custom(run: Run, workload: str, step: steps.Custom) -> Bound:  # noqa: ARG001
    def take(process: Process) -> Events:
        process.activity = NOTHING
        yield from step.process(run.environment)

    return take


_BINDERS: dict[type[steps.Step], Callable[..., Bound]] = {
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
