"""What the model has and a run has hardly met: rare workloads, rare branches, a trace not yet at its end.

No statistic of the run tells what has not happened in it. But the model says how often it will: so nothing counts
as known before everything that matters is likely to have come several times.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sim.model.addresses import Replayed
from sim.model.demands import least_time_s, weighed
from sim.model.model import Model
from sim.model.steps import Choose, Lookup, Path, Step, iter_steps, places_of
from sim.model.workloads import Workload
from sim.simulation.snapshots import History
from sim.statistics.estimates import Series

OFTEN = 10.0
"""Times that a rare event has to come: ten are 3 to 17 by chance."""

SMALL = 0.5
"""Of the precision: a branch that adds less to the square of a walk's time does not matter."""


@dataclass(frozen=True)
class Rare:
    """Something that comes ``often`` times a walk of the workload in ``row``, and has to come ``wanted`` times."""

    name: str
    row: int
    often: float
    wanted: float


class Seldom:
    """Everything rare in one model, as far as it concerns the workloads in ``rows``, which are watched."""

    def __init__(self, model: Model, rows: Sequence[int], precision: float) -> None:
        endless = not model.finite
        concerned = [(row, model.workloads[row]) for row in _connected(model, rows)]
        self._rare = [each for row, mine in concerned for each in _rare(mine, row, precision, passes=endless)]
        lasting = [(row, mine) for row, mine in concerned if endless and not mine.timed]
        self._steps = {row: OFTEN * sum(1 for _ in iter_steps(mine.path)) for row, mine in lasting}
        self._workloads = model.workloads

    def missing(self, completed: Series, steps: Series) -> str | None:
        """What has come too seldom, or None, by walks ``completed`` and ``steps`` taken, shape (workloads,)."""
        for row, wanted in self._steps.items():
            if completed[row] < OFTEN and steps[row] < wanted:  # a walk may be a loop without end
                return f"{self._workloads[row]} has come round {completed[row]:.0f} times only"
        for each in self._rare:
            if (expected := each.often * completed[each.row]) < each.wanted:
                return f"{each.name}: about {expected:.2g} expected so far"
        return None

    def changing(self, history: History, edges: list[int]) -> str | None:
        """The same, of an endless run between ``edges``."""
        return self.missing(history.grown("completed", edges), history.grown("steps", edges))


def _connected(model: Model, rows: Sequence[int]) -> list[int]:
    """The workloads that share places with those in ``rows``, or with others that do."""
    places = [places_of(each.path) for each in model.workloads]
    found, reached = set(rows), set().union(*(places[row] for row in rows))
    while more := {row for row, mine in enumerate(places) if row not in found and mine & reached}:
        found |= more
        reached |= set().union(*(places[row] for row in more))
    return sorted(found)


def _rare(workload: Workload, row: int, precision: float, *, passes: bool) -> Iterator[Rare]:
    """Branches that matter, and ``passes`` through traces of addresses."""
    whole_s = least_time_s(workload.path)
    for step, often in _taken(workload.path, 1.0):
        if isinstance(step, Choose):
            for share, branch in step.options:
                branch_s = least_time_s(branch)
                if share and often * share * branch_s**2 > SMALL * precision * whole_s**2:
                    name = f"branches of {workload} with a probability of {share:g} have to come {OFTEN:g} times"
                    yield Rare(name, row, often * share, OFTEN)
        elif passes and isinstance(step, Lookup) and isinstance(step.addresses, Replayed):
            length = len(step.addresses.addresses)
            yield Rare(f"{workload} looks {length} replayed addresses up in {step.cache}", row, often, length)


def _taken(path: Path, often: float) -> Iterator[tuple[Step, float]]:
    """Every step of ``path`` with how often it is taken, at most, where only simulation can tell."""
    for step in path:
        yield step, often
        for share, inner in weighed(step, 1.0):
            yield from _taken(inner, often * share)
