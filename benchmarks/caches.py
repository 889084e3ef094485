"""Caches: look-ups a second by policy, both engines, and a cache of ten million blocks."""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks.models import array, look_ups
from benchmarks.pace import Run, in_turns
from benchmarks.table import Row, at_least, per_second
from sim import Model
from sim.engine.events.compiled import CompiledEngine
from sim.engine.events.reference import ReferenceEngine
from sim.engine.model.policies import POLICIES

BLOCKS, MANY = 10_000, 10_000_000
MIN = 5e6
"""Look-ups a second."""

FILLED_NS = 40_000_000
"""By then, at a look-up a nanosecond, even the larger cache is full."""


def caches() -> Iterator[Row]:
    """The array system with all that it has; look-ups without anything else between them."""
    yield _both("array policy=lru", array("lru"))
    for policy in POLICIES:
        yield _both(f"{policy}, {BLOCKS:,} blocks", look_ups(policy, BLOCKS))
    for policy in POLICIES:
        yield _many(policy)


def _both(what: str, model: Model) -> Row:
    compiled, reference = in_turns([Run(CompiledEngine(model, 1)), Run(ReferenceEngine(model, 1))])
    return at_least(what, f"{per_second(compiled)} : {per_second(reference)}", compiled / reference, 100)


def _many(policy: str) -> Row:
    engine = CompiledEngine(look_ups(policy, MANY), 1)
    engine.advance(FILLED_NS)
    (rate,) = in_turns([Run(engine)])
    return Row(f"{policy}, {MANY:,} blocks, full", per_second(rate), "", f"≥ {MIN / 1e6:g} M/s", rate >= MIN)
