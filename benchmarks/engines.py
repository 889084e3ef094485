"""The compiled engine against the reference engine, and against itself with more events pending."""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks import models
from benchmarks.pace import Run, in_turns
from benchmarks.table import Row, at_least, per_second
from sim import Model
from sim.engine.events.compiled import CompiledEngine
from sim.engine.events.reference import ReferenceEngine


def against_reference() -> Iterator[Row]:
    """Visits a second of both engines, and their ratio."""
    for users in (1, 8, 256):
        yield _compared(f"dbfs block=8KiB users={users}", models.dbfs("8KiB", users), 120)
    yield _compared("group commit: gates and locks", models.group_commit(), 100)
    yield _compared("LRU cache of 10,000 blocks, Zipf", models.cached(), 100)


def _compared(what: str, model: Model, least: float) -> Row:
    compiled, reference = in_turns([Run(CompiledEngine(model, 1)), Run(ReferenceEngine(model, 1))])
    return at_least(what, f"{per_second(compiled)} : {per_second(reference)}", compiled / reference, least)


def against_pending() -> Iterator[Row]:
    """How the rate falls when more events are pending."""
    counts = (10, 1_000, 10_000)
    rates = in_turns([Run(CompiledEngine(models.pending(count), 1)) for count in counts])
    for count, rate in zip(counts[:-1], rates[:-1], strict=True):
        yield Row(f"{count:,} events pending", per_second(rate), f"{rate / rates[0]:.3g} ×")
    yield at_least(f"{counts[-1]:,} events pending", per_second(rates[-1]), rates[-1] / rates[0], 0.75)
