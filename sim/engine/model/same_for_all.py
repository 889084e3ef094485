"""Parts of paths that are equal for all workloads, so that shared ones are needed only once."""

from __future__ import annotations

from sim.engine.model.distributions import Constant, PerItem, Time
from sim.engine.model.steps import Await, Choose, Delay, Fork, Hold, IfAny, Path, Put, Step, Take, Use

_ALIKE = (Use, Hold, Put, Take, Fork, Await, IfAny)
"""Steps that are in themselves equal for all workloads."""


class SameForAll:
    """Finds paths of one model that are equal for all workloads; each step is read once.

    A random delay, a choice and a look-up draw from a stream of their workload; loops and batches are counted
    per request; a custom step's behaviour is not known.
    """

    def __init__(self) -> None:
        self._known: dict[int, bool] = {}

    def path(self, path: Path) -> bool:
        """True if all steps of ``path`` are equal for all workloads."""
        return all(map(self._step, path))

    def options(self, choice: Choose) -> bool:
        """True if all options of ``choice`` are equal for all workloads; the draw itself is per workload."""
        return all(map(self.path, choice.inner))

    def _step(self, step: Step) -> bool:
        if id(step) not in self._known:
            alike = isinstance(step, _ALIKE) or (isinstance(step, Delay) and not _random(step.time))
            self._known[id(step)] = alike and all(map(self.path, step.inner))
        return self._known[id(step)]


def _random(time: Time) -> bool:
    return not isinstance(time.fixed if isinstance(time, PerItem) else time, Constant)
