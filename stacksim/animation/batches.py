"""Batches at gates: their members, their gatherers and their times.

A trace shows members only as waiting until they are woken, and the gatherer as holding a batch. Requests that wait
when the batch begins are its members, and leave with it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace

from sim.engine.model.model import Model
from sim.engine.model.places import Gate
from sim.engine.model.steps import Await, Gather, Path, iter_steps
from stacksim.animation.dots import Dot, Stay


@dataclass(frozen=True)
class Batch:
    """A gathered batch, from ``begin_ns`` until ``end_ns``, when all its members leave together.

    Attributes:
        dot: the dot that gathered it.
    """

    gate: str
    dot: int
    begin_ns: int
    end_ns: int


def batches(dots: Sequence[Dot], gates: Collection[str]) -> list[Batch]:
    """All batches, in the order of gathering."""
    gathered = [
        Batch(each.held.place, number, each.begin_ns, each.end_ns)
        for number, dot in enumerate(dots)
        for each in dot.holdings
        if each.held.place in gates
    ]
    return sorted(gathered, key=lambda batch: batch.begin_ns)


def gathered(dots: Sequence[Dot], model: Model, made: Sequence[Batch]) -> list[Dot]:
    """Return ``dots`` with their waits at gates split: for gathering, for the end of the batch, for work."""
    gates = {place.name for place in model.places if isinstance(place, Gate)}
    keepers = {workload.name: _only_gathered(workload.path) for workload in model.workloads}
    index = _Told(made)
    return [
        replace(dot, stays=tuple(index.stays(number, dot, gates, keepers[dot.workload])))
        for number, dot in enumerate(dots)
    ]


def _only_gathered(path: Path) -> set[str]:
    """Gates at which requests on ``path`` gather, and never wait to be gathered."""
    steps = list(iter_steps(path))
    awaited = {step.gate for step in steps if isinstance(step, Await)}
    return {step.gate.name for step in steps if isinstance(step, Gather) and step.gate not in awaited}


class _Told:
    """Index of batches by the time at which they leave, and by gatherer."""

    def __init__(self, made: Sequence[Batch]) -> None:
        self._made = made
        self._by_end: dict[tuple[str, int], list[int]] = {}
        for number, batch in enumerate(made):
            self._by_end.setdefault((batch.gate, batch.end_ns), []).append(number)
        self._begun = {(batch.gate, batch.dot, batch.begin_ns) for batch in made}

    def stays(self, number: int, dot: Dot, gates: Collection[str], kept: Collection[str]) -> Iterator[Stay]:
        """Yield the stays of ``dot``; at the gates ``kept`` it only gathers."""
        for stay in dot.stays:
            if stay.state != "wait" or stay.place not in gates:
                yield stay
            elif stay.place in kept or (stay.place, number, stay.end_ns) in self._begun:
                yield replace(stay, state="idle")
            else:
                yield from self._split(stay)

    def _split(self, stay: Stay) -> Iterator[Stay]:
        """Split a wait into the time until gathered and the time until the batch leaves."""
        left = self._by_end.get((stay.place, stay.end_ns), ())
        batch = next((each for each in left if self._made[each].begin_ns >= stay.begin_ns), None)
        if batch is None:
            yield stay
            return
        begin_ns = self._made[batch].begin_ns
        if begin_ns > stay.begin_ns:
            yield replace(stay, end_ns=begin_ns)
        yield Stay(begin_ns, stay.end_ns, "gathered", stay.place, batch)
