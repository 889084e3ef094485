"""Parts of paths that are the same whoever takes them: where many paths share one, it need be there once only."""

from __future__ import annotations

from sim.model.distributions import Constant, PerItem, Time
from sim.model.steps import Await, Choose, Delay, Fork, Hold, IfAny, Path, Put, Step, Take, Use

_ALIKE = (Use, Hold, Put, Take, Fork, Await, IfAny)
"""Steps that themselves are the same for all workloads."""


class SameForAll:
    """Which paths of one model are; a step is read once.

    A random delay, a choice and a look-up draw from a stream of their workload; loops and batches are counted by
    each request for itself; what a generator of somebody's own does is not known.
    """

    def __init__(self) -> None:
        self._known: dict[int, bool] = {}

    def path(self, path: Path) -> bool:
        """Whether all steps of ``path`` are the same whoever takes them."""
        return all(map(self._step, path))

    def options(self, choice: Choose) -> bool:
        """Whether all options of ``choice`` are; which one is taken is drawn for each workload by itself."""
        return all(map(self.path, choice.inner))

    def _step(self, step: Step) -> bool:
        if id(step) not in self._known:
            alike = isinstance(step, _ALIKE) or (isinstance(step, Delay) and not _random(step.time))
            self._known[id(step)] = alike and all(map(self.path, step.inner))
        return self._known[id(step)]


def _random(time: Time) -> bool:
    return not isinstance(time.fixed if isinstance(time, PerItem) else time, Constant)
