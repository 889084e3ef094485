"""What is met along paths, and how often. A step that paths share, as a thousand nodes do, is read once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from sim.model.demands import weighed
from sim.model.steps import Path, Step

Item = TypeVar("Item")


class Along(Generic[Item]):
    """The items of all steps on paths, which outlive it.

    Args:
        own: the items of one step, without those of the steps inside it.
        inside: the paths inside a step that count.
    """

    def __init__(
        self,
        own: Callable[[Step], Iterable[Item]],
        inside: Callable[[Step], Iterable[Path]] = lambda step: step.inner,
    ) -> None:
        self._own, self._inside = own, inside
        self._known: dict[int, frozenset[Item]] = {}

    def of(self, path: Path) -> frozenset[Item]:
        """The items of all steps on ``path``."""
        return frozenset[Item]().union(*map(self._step, path))

    def _step(self, step: Step) -> frozenset[Item]:
        if id(step) not in self._known:
            self._known[id(step)] = frozenset(self._own(step)).union(*map(self.of, self._inside(step)))
        return self._known[id(step)]


class HowOften:
    """How often each step is taken, from how many requests walk each of ``paths``.

    At most, where only the state of the run decides.

    Attributes:
        steps: every step object of the paths once; whatever a step is inside of comes before it.
        owners: of each step the one path that it is on, by its number; None if it is on several.
    """

    def __init__(self, paths: Sequence[Path]) -> None:
        self.steps = _outer_first(paths)
        row = {id(step): number for number, step in enumerate(self.steps)}
        roots = [(number, row[id(step)]) for number, path in enumerate(paths) for step in path]
        self._roots = np.array(roots, dtype=np.int64).reshape(-1, 2)
        edges = [
            (number, row[id(each)], share)
            for number, step in enumerate(self.steps)
            for share, inner in weighed(step, 1.0)
            for each in inner
        ]
        self.owners = self._owners(roots, edges)
        self._rounds = _rounds(len(self.steps), edges)

    def of(self, requests: NDArray[np.float64]) -> NDArray[np.float64]:
        """How often each step is taken, shape (steps,), by so many ``requests``, shape (paths,)."""
        count = len(self.steps)
        taken = np.bincount(self._roots[:, 1], requests[self._roots[:, 0]], count).astype(np.float64)
        for outer, inner, shares in self._rounds:
            taken += np.bincount(inner, taken[outer] * shares, count)
        return taken

    def _owners(
        self, roots: Iterable[tuple[int, int]], edges: Iterable[tuple[int, int, float]]
    ) -> tuple[int | None, ...]:
        owners: dict[int, int | None] = {}
        for path, step in roots:
            owners[step] = path if owners.get(step, path) == path else None
        for outer, inner, _ in edges:
            owners[inner] = owners[outer] if owners.get(inner, owners[outer]) == owners[outer] else None
        return tuple(owners[step] for step in range(len(self.steps)))


_Round = tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]
"""Outer steps, steps inside them, and how often each outer one takes them; each of shape (edges,)."""


def _outer_first(paths: Iterable[Path]) -> tuple[Step, ...]:
    """Every step object of ``paths`` once, behind all that it is inside of."""
    seen: set[int] = set()
    inner_first: list[Step] = []

    def leave(path: Path) -> None:
        for step in reversed(path):
            if id(step) not in seen:
                seen.add(id(step))
                for inner in reversed(step.inner):
                    leave(inner)
                inner_first.append(step)

    for path in reversed(list(paths)):
        leave(path)
    return tuple(reversed(inner_first))


def _rounds(steps: int, edges: Sequence[tuple[int, int, float]]) -> list[_Round]:
    """The edges in rounds, in each of which the counts of outer steps are complete; outer steps come first."""
    depths = [0] * steps
    for outer, inner, _ in edges:
        depths[inner] = max(depths[inner], depths[outer] + 1)
    rounds: list[list[tuple[int, int, float]]] = [[] for _ in range(max(depths, default=0))]
    for edge in edges:
        rounds[depths[edge[0]]].append(edge)
    return [
        (
            np.array([outer for outer, _, _ in each], dtype=np.int64),
            np.array([inner for _, inner, _ in each], dtype=np.int64),
            np.array([share for _, _, share in each]),
        )
        for each in rounds
    ]
