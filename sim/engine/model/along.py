"""Items along paths, and frequencies of steps. Steps shared by paths, as by a thousand nodes, are read once."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Generic, TypeVar

from sim.engine.model.demands import weighed
from sim.engine.model.steps import Path, Step

Item = TypeVar("Item")

Often = dict[int, tuple[Step, float]]
"""Steps by identity, each with its frequency; outer steps come before those inside them."""


class Along(Generic[Item]):
    """Items of all steps on paths; the paths must outlive this object.

    Args:
        own: returns the items of one step, without those of the steps inside it.
        inside: returns the paths inside a step that count.
    """

    def __init__(
        self,
        own: Callable[[Step], Iterable[Item]],
        inside: Callable[[Step], tuple[Path, ...]] = lambda step: step.inner,
    ) -> None:
        self._own, self._inside = own, inside
        self._known: dict[int, frozenset[Item]] = {}

    def of(self, path: Path) -> frozenset[Item]:
        """Items of all steps on ``path``."""
        union = frozenset[Item]()
        for step in path:
            if id(step) not in self._known:
                self._known[id(step)] = self._read(step)
            items = self._known[id(step)]
            if items and items is not union:
                union = union | items if union else items
        return union

    def _read(self, step: Step) -> frozenset[Item]:
        items = frozenset(self._own(step))
        for path in self._inside(step):
            if inside := self.of(path):
                items |= inside
        return items


class HowOften:
    """Mean frequencies of steps in one request on a path; the largest where only the run decides.

    Args:
        counted: returns True if a step is of interest.
    """

    def __init__(self, counted: Callable[[Step], bool]) -> None:
        self._counted = counted
        self._known: dict[int, Often] = {}

    def of(self, path: Path) -> Often:
        """Frequency of each step of interest on ``path``."""
        total: Often = {}
        for step in path:
            if taken := self._step(step):
                _add(total, taken, 1.0)
        return total

    def _step(self, step: Step) -> Often:
        if id(step) not in self._known:
            taken: Often = {id(step): (step, 1.0)} if self._counted(step) else {}
            if step.inner:
                for share, inner in weighed(step, 1.0):
                    _add(taken, self.of(inner), share)
            self._known[id(step)] = taken
        return self._known[id(step)]


def _add(total: Often, taken: Often, times: float) -> None:
    for key, (step, often) in taken.items():
        total[key] = step, times * often + (total[key][1] if key in total else 0.0)
