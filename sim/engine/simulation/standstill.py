"""Loads that will come to a standstill, known in advance: cause, time, and throughput until then.

Paths determine that it will come, and how much a request moves; a run determines the requests per second.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from sim.engine.errors import NoSteadyStateError
from sim.engine.model.distributions import NANOSECONDS_PER_SECOND
from sim.engine.model.model import Model
from sim.engine.model.standstill import End, ends
from sim.engine.model.steps import Put, Take, distinct_steps
from sim.engine.model.workloads import Closed
from sim.engine.simulation.snapshots import Snapshots


class Standstill:
    """Workloads of ``model`` that come to a standstill, among those ``connected`` with the watched ones.

    Args:
        rows: the watched workloads.
        connected: these, and all that share places with them.
    """

    def __init__(self, model: Model, rows: Sequence[int], connected: Iterable[int]) -> None:
        self._model, self._rows = model, rows
        self._found = ends(model)
        self._ends = {row: self._found[row] for row in connected if row in self._found}

    @property
    def of_all_watched(self) -> bool:
        """True if all watched workloads come to a standstill, so that there is no long run."""
        return all(row in self._ends for row in self._rows)

    def refuse_before_it_runs(self) -> None:
        """Raise if the watched workloads have no long run, and arrival rates determine when it ends.

        Raises:
            NoSteadyStateError: says why.
        """
        if self.of_all_watched and all(self._ends[row].rises for row in self._rows):
            from sim.engine.model.standstill_causes import told  # lazily: few loads come to a standstill

            raise NoSteadyStateError(f"no steady state: {told(self._model, self._found, self._rows[0])}")

    def changing(self, snapshots: Snapshots, edges: list[int]) -> str | None:
        """In words, a workload active between ``edges`` that will come to a standstill; None if there is none."""
        completed = snapshots.growth("completed", edges)
        return next((self.why(snapshots, row) for row in self._ends if completed[row]), None)

    def refuse(self, snapshots: Snapshots, edges: list[int]) -> None:
        """Raise, as the watched workloads have no long run, with their throughput before, between ``edges``.

        Raises:
            NoSteadyStateError: always.
        """
        completed = snapshots.growth("completed", edges)[self._rows].sum()
        speed = completed / snapshots.seconds(edges[-1], since=edges[0])
        raise NoSteadyStateError(
            f"no steady state: {self.why(snapshots, self._rows[0])}; "
            f"until then {_shown(speed, 4)} requests a second"
        )

    def why(self, snapshots: Snapshots, row: int) -> str:
        """Cause and time of the standstill of the workload in ``row``, as text."""
        from sim.engine.model.standstill_causes import cause, stops, told  # lazily: few loads come to a standstill

        end = self._ends[row]
        if end.rises:
            return told(self._model, self._found, row)
        when = self._when(end, snapshots)
        return f"{cause(self._model, end)}{when}, and then {stops(self._model, self._found, row)}"

    def _when(self, end: End, snapshots: Snapshots) -> str:
        """The time of standstill at the present speed, as text; empty if only a run determines what is moved."""
        from sim.engine.model.standstill_causes import room  # lazily: few loads come to a standstill

        first = snapshots.intervals // 2
        completed = snapshots.growth("completed", [first, -1]).astype(np.int64)
        seconds = snapshots.window(first).now_ns / NANOSECONDS_PER_SECOND
        columns = [self._model.row_of[buffer.name] for buffer in end.weights]
        weights = np.array(list(end.weights.values()))
        blocked = self._blocked(end)
        rises, falls = (side + blocked for side in room(end))
        if end.by_chance:  # the mean time until a random walk leaves an interval
            steps, left = float(weights**2 @ self._model.net_variances.of(completed)[columns]), rises * falls
        else:
            steps, left = float(weights @ self._model.nets.of(completed)[columns]), rises
        return f" after about {_shown(left / steps * seconds, 2)} s" if steps > 0.0 else ""

    def _blocked(self, end: End) -> float:
        """Amount wanted by closed clients that wait in vain, each for its largest put or take."""
        total = 0.0
        for workload in self._model.workloads:
            if isinstance(workload, Closed):
                moves = (step for step in distinct_steps([workload.path]) if isinstance(step, Put | Take))
                amounts = (
                    abs(end.weights[each.buffer]) * each.amount for each in moves if each.buffer in end.weights
                )
                total += workload.clients * max(amounts, default=0.0)
        return total


def _shown(value: float, digits: int) -> str:
    """``value`` in ``digits`` digits, without a power of ten if that is readable."""
    rounded = float(f"{value:.{digits}g}")
    return f"{rounded:,.15g}" if 1e-4 < rounded < 1e12 else f"{rounded:g}"  # noqa: PLR2004
