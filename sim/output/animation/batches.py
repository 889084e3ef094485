"""Batches at gates: who is gathered when, and by whom.

A trace says of those who come to a gate only that they wait until they are woken, and of the one who gathers that
it has a batch in hand. Whoever waits while that begins is gathered then, and leaves with the batch.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace

from sim.model.model import Model
from sim.model.places import Gate
from sim.model.steps import Await, Gather, Path, iter_steps
from sim.output.animation.dots import Dot, Stay


@dataclass(frozen=True)
class Batch:
    """A gathered batch: under way from ``begin_ns`` until ``end_ns``, when all in it leave together.

    Attributes:
        dot: the one who gathered it.
    """

    gate: str
    dot: int
    begin_ns: int
    end_ns: int


def batches(dots: Sequence[Dot], gates: Collection[str]) -> list[Batch]:
    """All batches, in the order in which they are gathered."""
    gathered = [
        Batch(each.held.place, number, each.begin_ns, each.end_ns)
        for number, dot in enumerate(dots)
        for each in dot.holdings
        if each.held.place in gates
    ]
    return sorted(gathered, key=lambda batch: batch.begin_ns)


def gathered(dots: Sequence[Dot], model: Model, made: Sequence[Batch]) -> list[Dot]:
    """``dots``, with the waits at gates told apart: to be gathered, until the batch leaves, for work to come."""
    gates = {place.name for place in model.places if isinstance(place, Gate)}
    keepers = {workload.name: _only_gathered(workload.path) for workload in model.workloads}
    told = _Told(made)
    return [
        replace(dot, stays=tuple(told.stays(number, dot, gates, keepers[dot.workload])))
        for number, dot in enumerate(dots)
    ]


def _only_gathered(path: Path) -> set[str]:
    """The gates at which those on ``path`` gather, and never wait to be gathered."""
    steps = list(iter_steps(path))
    awaited = {step.gate for step in steps if isinstance(step, Await)}
    return {step.gate.name for step in steps if isinstance(step, Gather) and step.gate not in awaited}


class _Told:
    """Knows the batches by the time at which they leave, and by who gathered them."""

    def __init__(self, made: Sequence[Batch]) -> None:
        self._made = made
        self._by_end: dict[tuple[str, int], list[int]] = {}
        for number, batch in enumerate(made):
            self._by_end.setdefault((batch.gate, batch.end_ns), []).append(number)
        self._begun = {(batch.gate, batch.dot, batch.begin_ns) for batch in made}

    def stays(self, number: int, dot: Dot, gates: Collection[str], kept: Collection[str]) -> Iterator[Stay]:
        """Those of ``dot``; it keeps the gates ``kept``, where it only gathers."""
        for stay in dot.stays:
            if stay.state != "wait" or stay.place not in gates:
                yield stay
            elif stay.place in kept or (stay.place, number, stay.end_ns) in self._begun:
                yield replace(stay, state="idle")
            else:
                yield from self._split(stay)

    def _split(self, stay: Stay) -> Iterator[Stay]:
        """Wait until gathered, then until the batch leaves."""
        left = self._by_end.get((stay.place, stay.end_ns), ())
        batch = next((each for each in left if self._made[each].begin_ns >= stay.begin_ns), None)
        if batch is None:
            yield stay
            return
        begin_ns = self._made[batch].begin_ns
        if begin_ns > stay.begin_ns:
            yield replace(stay, end_ns=begin_ns)
        yield Stay(begin_ns, stay.end_ns, "gathered", stay.place, batch)
