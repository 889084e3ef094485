"""Crowds without limit: arriving clients, or branches that nobody waits for, may pile up for ever.

Two tests are kept apart. A run may be answered only if every crowd is *shown* to keep its size: its mean size is
known, and neighbouring batches are not correlated, as they are while it grows. A load is refused only if a crowd
is *shown* to grow: by much more than chance explains, and so already when the run was half as long. In between the
run goes on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from sim.engine.errors import NoSteadyStateError
from sim.engine.model.along import Along
from sim.engine.model.model import Model
from sim.engine.model.places import Buffer
from sim.engine.model.steps import Fork, Put, Step, Take
from sim.engine.model.workloads import Open, Workload
from sim.engine.simulation.snapshots import Snapshots
from sim.engine.statistics import intervals
from sim.engine.statistics.estimates import Series
from sim.engine.units.text import number_text

ROUGHLY = 0.5
"""Precision to which the mean size of a crowd has to be known."""

FEW = 1.0
"""Mean size of a crowd that is nearly always empty, which need not be known as precisely."""

MANY = 100
"""Clients or branches: growth by more is not by chance."""

SEEN = 2_000
"""Least completions while a crowd grows: fewer may all have queued behind one long service."""

DEVIATIONS = 5.0
"""Standard errors of the mean growth beyond which it is not by chance."""


@dataclass(frozen=True)
class Crowd:
    """Clients of one group in flight, or their branches that nobody waits for.

    Attributes:
        group: the clients' group.
        rows: the workloads of the group.
        behind: True for the branches, False for the clients.
    """

    group: str
    rows: list[int]
    behind: bool

    @property
    def name(self) -> str:
        """Name of the crowd, for messages."""
        return f"{'background branches' if self.behind else 'clients'} of '{self.group}'"

    def sizes(self, snapshots: Snapshots) -> Series:
        """The size of the crowd at every snapshot, shape (intervals + 1,)."""
        if self.behind:
            return snapshots.counter("background", self.rows)
        return snapshots.counter("started", self.rows) - self.completed(snapshots)

    def completed(self, snapshots: Snapshots) -> Series:
        """Requests of the group that have ended at every snapshot, shape (intervals + 1,)."""
        return snapshots.counter("completed", self.rows)

    def settled(self, snapshots: Snapshots, edges: list[int]) -> bool:
        """True if the batches between ``edges`` show that the crowd keeps its size."""
        times = snapshots.times_ns(edges)
        areas = self._means(snapshots, edges) * times if self.behind else self._areas(snapshots, edges)
        if not areas.any():
            return True
        size = intervals.ratio(areas, times, confidence=0.95)
        return (size.estimate.precision <= ROUGHLY or size.estimate.high <= FEW) and size.independent

    def _areas(self, snapshots: Snapshots, edges: list[int]) -> Series:
        """Size integrated over each batch, shape (batches,)."""
        return snapshots.batches("population_ns", self.rows, edges)

    def _means(self, snapshots: Snapshots, edges: list[int]) -> Series:
        """Mean size in each batch, shape (batches,), from the ends of intervals, as no counter integrates it."""
        ends = self.sizes(snapshots)[edges[0] + 1 : edges[-1] + 1]
        means: Series = ends.reshape(len(edges) - 1, -1).mean(axis=1)
        return means

    def grows(self, snapshots: Snapshots) -> bool:
        """True if the crowd grew in the latter half of the run by more than chance explains."""
        half = snapshots.intervals // 2
        growth = np.diff(self.sizes(snapshots)[half:])
        completed = self.completed(snapshots)
        if growth.sum() <= MANY or completed[-1] - completed[half] < SEEN:
            return False
        mean_growth = intervals.ratio(growth, np.ones(len(growth)), confidence=0.95)
        return mean_growth.estimate.value > DEVIATIONS * mean_growth.standard

    def served(self, snapshots: Snapshots) -> float:
        """Requests/s completed in the latter half of the run."""
        half = snapshots.intervals // 2
        completed = self.completed(snapshots)
        return float(completed[-1] - completed[half]) / snapshots.seconds(-1, since=half)

    def on_their_way(self, snapshots: Snapshots) -> str:
        """The crowd with its present size, for messages."""
        return f"{self.name} ({int(self.sizes(snapshots)[-1])} on their way)"


class Crowds:
    """All crowds of one model, followed through one run."""

    def __init__(self, model: Model) -> None:
        self.all = list(_crowds(model))
        self._growing_since: dict[str, int] = {}  # steps of the run at which each crowd was first seen to grow

    def changing(self, snapshots: Snapshots, edges: list[int]) -> str | None:
        """The first crowd that is not shown to keep its size, in words; None if all are."""
        for crowd in self.all:
            if not crowd.settled(snapshots, edges):
                return f"{crowd.on_their_way(snapshots)} may still pile up"
        return None

    def keep_their_size(self, snapshots: Snapshots) -> bool:
        """True if no crowd grows, nor did before, so that nothing is to be refused."""
        return not self._growing_since and not any(crowd.grows(snapshots) for crowd in self.all)

    def refuse(self, snapshots: Snapshots, slow: Callable[[str], str | None]) -> None:
        """Refuse a load under which a crowd is shown to grow without end.

        Args:
            slow: returns the place that limits a group, by the run so far.

        Raises:
            NoSteadyStateError: names the crowd, that place, and its throughput.
        """
        for crowd in self.all:
            if not crowd.grows(snapshots):
                self._growing_since.pop(crowd.name, None)
            elif snapshots.steps >= 2 * self._growing_since.setdefault(crowd.name, snapshots.steps):
                raise NoSteadyStateError(
                    f"no steady state: {crowd.name} pile up ({int(crowd.sizes(snapshots)[-1])} on their way after "
                    f"{snapshots.seconds(-1):g} simulated seconds){_why(crowd, snapshots, slow(crowd.group))}; "
                    "lower the load, or add capacity"
                )


def _why(crowd: Crowd, snapshots: Snapshots, place: str | None) -> str:
    """The limit of a ``crowd`` and its throughput, in words; branches are not counted."""
    if place is None:
        return ""
    served = "" if crowd.behind else f", and about {number_text(crowd.served(snapshots), 3)} a second get through"
    return f": {place} limits them{served}"


def _crowds(model: Model) -> Iterator[Crowd]:
    """All crowds of ``model`` whose size has no limit."""
    left = _Left(model)
    for group in model.groups:
        rows = model.rows(group)
        workloads = [model.workloads[row] for row in rows]
        if any(isinstance(workload, Open) for workload in workloads):
            yield Crowd(group, rows, behind=False)
        if any(map(left.without_limit, workloads)):
            yield Crowd(group, rows, behind=True)


class _Left:
    """Branches of a model that nobody waits for."""

    def __init__(self, model: Model) -> None:
        self._filled = Along(_buffers(Put), lambda step: () if _leaves(step) else step.inner)
        self._left = Along(lambda step: map(id, step.inner) if _leaves(step) else ())
        emptied = Along(_buffers(Take))
        forks = (step for step in model.steps() if _leaves(step))
        self._emptied = {id(path): emptied.of(path) for fork in forks for path in fork.inner}

    def without_limit(self, workload: Workload) -> bool:
        """True if branches of ``workload`` have no limit: the client waits for no buffer that they empty."""
        filled = self._filled.of(workload.path)
        return any(not (filled & self._emptied[path]) for path in self._left.of(workload.path))


def _leaves(step: Step) -> bool:
    """True if a request goes on while branches of ``step`` are still in flight."""
    return isinstance(step, Fork) and step.leaves


def _buffers(kind: type[Put | Take]) -> Callable[[Step], tuple[Buffer, ...]]:
    """A function that returns the buffer that a step of ``kind`` fills or empties; empty for other steps."""
    return lambda step: (step.buffer,) if isinstance(step, kind) else ()
