"""Crowds without limit: clients who arrive, or branches nobody waits for, may pile up for ever.

Two questions that have to be asked apart. Is it *shown* that a crowd keeps its size? Only then may a run be
answered: its mean size is known, and neighbouring batches do not resemble each other, as they do for as long as it
grows. Is it *shown* that it grows? Only then is the load refused: the growth is many times what chance makes of
it, and was so already at half the run. In between the run goes on.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from sim.errors import NoSteadyStateError
from sim.model.distributions import NANOSECONDS_PER_SECOND
from sim.model.model import Model
from sim.model.places import Place
from sim.model.steps import Fork, Path, Put, Step, Take, iter_steps
from sim.model.workloads import Open, Workload
from sim.simulation.snapshots import History
from sim.statistics import intervals
from sim.statistics.estimates import Series

ROUGHLY = 0.5
"""How well the mean size of a crowd has to be known, as a share of it."""

FEW = 1.0
"""Clients or branches on average: a crowd that is nearly always empty need not be known as well."""

MANY = 100
"""Clients or branches that are no longer a chance crowd."""

SEEN = 2_000
"""Completions while it grows: fewer may all stand behind one long service."""

DEVIATIONS = 5.0
"""Standard deviations of its growth by chance."""


@dataclass(frozen=True)
class Crowd:
    """Clients of one group on their way, or its branches that nobody waits for: ``name`` says which."""

    name: str
    rows: list[int]
    behind: bool

    def sizes(self, history: History) -> Series:
        """How many there were at every snapshot, shape (slices + 1,)."""
        if self.behind:
            return history.counted("background", self.rows)
        return history.counted("started", self.rows) - history.counted("completed", self.rows)

    def settled(self, history: History, edges: list[int]) -> bool:
        """Whether the batches between ``edges`` show that it keeps its size."""
        times = history.times_ns(edges)
        areas = self._means(history, edges) * times if self.behind else self._areas(history, edges)
        if not areas.any():
            return True
        found = intervals.ratio(areas, times, confidence=0.95)
        mean = found.estimate
        return (mean.precision <= ROUGHLY or mean.high <= FEW) and found.independent

    def _areas(self, history: History, edges: list[int]) -> Series:
        return history.batches("population_ns", self.rows, edges)

    def _means(self, history: History, edges: list[int]) -> Series:
        """Of each batch, from the ends of its slices: nothing else is counted of branches behind."""
        ends = self.sizes(history)[edges[0] + 1 : edges[-1] + 1]
        means: Series = ends.reshape(len(edges) - 1, -1).mean(axis=1)
        return means

    def grows(self, history: History) -> bool:
        """Whether chance hardly made it grow as it did in the latter half of the run."""
        half = len(history) // 2
        grown = np.diff(self.sizes(history)[half:])
        completed = history.counted("completed", self.rows)
        if grown.sum() <= MANY or completed[-1] - completed[half] < SEEN:
            return False
        found = intervals.ratio(grown, np.ones(len(grown)), confidence=0.95)
        return found.estimate.value > DEVIATIONS * found.standard

    def growing(self, history: History) -> str:
        """Say so."""
        return f"{self.name} ({int(self.sizes(history)[-1])} on their way)"


class Crowds:
    """All crowds of one model; follows one run."""

    def __init__(self, model: Model) -> None:
        self.all = list(_crowds(model))
        self._steps: dict[str, int] = {}

    def changing(self, history: History, edges: list[int]) -> str | None:
        """The first one that is not shown to keep its size."""
        crowd = next((each for each in self.all if not each.settled(history, edges)), None)
        return f"{crowd.growing(history)} may still pile up" if crowd else None

    def refuse(self, history: History) -> None:
        """Refuse a load of which a crowd is shown to grow without end.

        Raises:
            NoSteadyStateError: it names the crowd.
        """
        for each in self.all:
            if not each.grows(history):
                self._steps.pop(each.name, None)
            elif history.steps >= 2 * self._steps.setdefault(each.name, history.steps):
                seconds = history.snapshots[-1].now_ns / NANOSECONDS_PER_SECOND
                raise NoSteadyStateError(
                    f"no steady state: {each.name} pile up ({int(each.sizes(history)[-1])} on their way after "
                    f"{seconds:g} simulated seconds); lower the load, or add capacity"
                )


def _crowds(model: Model) -> Iterator[Crowd]:
    for group in model.groups:
        rows = model.rows(group)
        mine = [model.workloads[row] for row in rows]
        if any(isinstance(each, Open) for each in mine):
            yield Crowd(f"clients of '{group}'", rows, behind=False)
        if any(map(_leaves_without_limit, mine)):
            yield Crowd(f"background branches of '{group}'", rows, behind=True)


def _leaves_without_limit(workload: Workload) -> bool:
    """Whether branches nobody waits for may be ever more: no buffer that they empty keeps the client back."""
    left = [
        path
        for step in iter_steps(workload.path)
        if isinstance(step, Fork) and not step.wait
        for path in step.branches
    ]
    filled = _buffers(_waited(workload.path), Put)
    return any(not (filled & _buffers(iter_steps(path), Take)) for path in left)


def _waited(path: Path) -> Iterator[Step]:
    """Every step of ``path`` but those in branches that nobody waits for."""
    for step in path:
        yield step
        if not isinstance(step, Fork) or step.wait:
            for inner in step.inner:
                yield from _waited(inner)


def _buffers(steps: Iterable[Step], kind: type[Put | Take]) -> set[Place | None]:
    return {step.place for step in steps if isinstance(step, kind)}
