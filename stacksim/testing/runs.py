"""Checks of layers and systems alike: both engines agree, and all clients go on."""

from __future__ import annotations

from sim.engine.errors import DeadlockError
from sim.engine.events.compiled import CompiledEngine
from sim.engine.events.protocol import WORKLOAD_COLUMNS
from sim.engine.events.reference import ReferenceEngine
from sim.engine.events.registry import engine, needs_python
from sim.engine.model.distributions import NANOSECONDS_PER_SECOND
from sim.engine.model.model import Model
from sim.engine.model.workloads import Closed
from sim.engine.simulation.simulate import simulate

_ENOUGH = 200
"""Requests of each process within the time in which one that completes none is said to hang."""

_UNTIL_NS = (10**6, 10**7, 10**8)


def check_frozen(record: type) -> None:
    """Refuse a dataclass that is not frozen."""
    frozen = record.__dataclass_params__.frozen  # type: ignore[attr-defined]
    assert frozen, f"{record.__name__} can be changed while it is used; write @dataclass(frozen=True)"


def check_progress(what: str, model: Model, watch: str, precision: float) -> float:
    """Requests a second of the group ``watch``, of which each closed load goes on to complete requests."""
    try:
        rate = simulate(model, watch=watch, precision=precision, answers=("throughput",)).throughput.value
    except DeadlockError as error:
        raise AssertionError(f"{what}: {error}") from None
    assert rate > 0.0, f"{what}: nothing was completed"
    watched = [each for each in model.workloads if each.group == watch]
    half_ns = round(_ENOUGH * len(watched) / rate * NANOSECONDS_PER_SECOND)
    run = engine("auto")(model, 7)
    run.advance(half_ns)
    before = run.snapshot()
    run.advance(2 * half_ns)
    completed = run.snapshot().since(before).workloads[:, WORKLOAD_COLUMNS.index("completed")]
    for load, number in zip(model.workloads, completed.tolist(), strict=True):
        goes_on = number or load not in watched or not isinstance(load, Closed)
        assert goes_on, f"{what}: {load.name} hangs while others go on"
    return rate


def check_engines(what: str, model: Model) -> None:
    """Run ``model`` in both event engines, unless only one can run it."""
    if needs_python(model):
        return
    reference, compiled = (made(model, 7, record=True) for made in (ReferenceEngine, CompiledEngine))
    for until_ns in _UNTIL_NS:
        reference.advance(until_ns)
        compiled.advance(until_ns)
        assert compiled.completions == reference.completions, f"{what}: the engines differ"
    ours, theirs = reference.snapshot(), compiled.snapshot()
    assert ours.places.tolist() == theirs.places.tolist(), f"{what}: the engines count otherwise"
