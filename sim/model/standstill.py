"""Which workloads come to a standstill whatever their times are, read off what their requests move.

A flow goes on for ever only if rates that are not negative solve the equations (1) and (2) of ``sim.model.flows``
with a rate above zero for it. Where none do, there are weights of buffers whose weighted level no flow lowers and
this one raises (Farkas 1902), so that in the end it can rise no more: some are full and others empty.

Where rates do, one thing more is needed. A weighted level that no flow changes on average, but some by chance, is
a martingale; levels have limits, so it comes to rest (Doob 1953), and with it those who draw.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sim.model.flows import Amounts, FlowName, Flows, Row
from sim.model.model import Model
from sim.model.places import Buffer
from sim.model.workloads import Open

Matrix = NDArray[np.float64]

EXACT = 1e-10
"""What counts as nothing beside amounts of about 1."""

ALIKE = 1e-3
"""The share of a rise by which rounding may make another flow seem to lower it."""

SCALINGS = 8
"""Rounds after which rows and columns of amounts as different as a request and its bytes are much alike."""

PROJECTIONS = 200
"""Attempts at rates by projection, before they are looked for by a method that always tells."""


@dataclass(frozen=True)
class End:
    """Why a workload comes to a standstill.

    Attributes:
        weights: of buffers; their weighted level rises until it cannot.
        by_chance: it rises and falls by chance only, and comes to rest at either end.
    """

    weights: Mapping[Buffer, float]
    by_chance: bool = False


def ends(model: Model) -> dict[int, End]:
    """The workloads that come to a standstill, by number; of open ones, the clients pile up."""
    flows = Flows(model)
    moved = flows.moved()
    if not any(moved.values()) and not flows.choices:
        return {}
    found = _Ends(flows, moved).found
    rates = {
        row: workload.arrivals.rate for row, workload in enumerate(model.workloads) if isinstance(workload, Open)
    }
    found |= _piling(moved, {row: rate for row, rate in rates.items() if rate and row not in found}, found)
    return {name: end for name, end in found.items() if isinstance(name, int)}


class _Ends:
    """Flows that end, found in rounds: one that ends may be what others need."""

    def __init__(self, flows: Flows, moved: Mapping[FlowName, Mapping[Row, float]]) -> None:
        self._flows, self._moved = flows, moved
        self.found: dict[FlowName, End] = {}
        before = -1
        while len(self.found) > before:
            before = len(self.found)
            self._one_way()
            self._without_rates()
            self._by_chance()
            self._at_gates()

    @property
    def _active(self) -> dict[FlowName, Mapping[Row, float]]:
        return {name: moved for name, moved in self._moved.items() if name not in self.found}

    def _end(self, names: Iterable[FlowName], because: Iterable[FlowName], else_: End | None = None) -> None:
        """Let the flows ``names`` end, for the reason for which one of those ``because`` did."""
        reason = next((self.found[name] for name in because if name in self.found), else_)
        if reason is not None:
            self.found |= {name: reason for name in names if name not in self.found}

    def _one_way(self) -> None:
        """Flows that all change a buffer one way."""
        movers: dict[Row, dict[FlowName, float]] = {}
        for name, moved in self._moved.items():
            for row, amount in moved.items():
                movers.setdefault(row, {})[name] = amount
        waiting = list(movers)
        while waiting:
            row = waiting.pop()
            active = {name: amount for name, amount in movers[row].items() if name not in self.found}
            if not active or min(active.values()) < 0.0 < max(active.values()):
                continue
            sign = 1.0 if min(active.values()) > 0.0 else -1.0
            others = (name for name, amount in movers[row].items() if amount * sign < 0.0)
            self._end(active, others, End({row: sign}) if isinstance(row, Buffer) else None)
            waiting += {each for name in active for each in self._moved[name]}

    def _without_rates(self) -> None:
        """Flows that no rates allow."""
        solvable: set[bytes] = set()
        for part in _parts(self._active):
            equations = _Equations(part)
            if len(equations.rows) == 1 or (key := equations.scaled.tobytes()) in solvable:
                continue
            if _all_positive(equations.scaled):
                solvable.add(key)
                continue
            for column, name in enumerate(equations.flows):
                others = np.delete(equations.scaled, column, axis=1)
                if weights := equations.against(others, equations.scaled[:, column]):
                    self._end([name], (), End(weights))

    def _by_chance(self) -> None:
        """Flows with a choice that changes by chance what nothing changes on average."""
        active = self._active
        choices = list(self._flows.uneven(active))
        if not choices:
            return
        parts = [(_Equations(part).rows, part) for part in _parts(active)]
        for choice, differences in choices:
            rows = set().union(*differences)
            together = {name: active[name] for each, part in parts if rows & set(each) for name in part}
            if kept := _Equations(together, rows).kept(differences):
                drawing = [name for name in active if choice in self._flows.passages[name].uneven]
                self._end(drawing, (), End(kept, by_chance=True))

    def _at_gates(self) -> None:
        """Flows that wait at a gate where nobody gathers any more, or gather where nobody waits any more."""
        passages = self._flows.passages
        gates = frozenset().union(*(each.awaits for each in passages.values()))
        for gate in gates:
            waiting = [name for name, each in passages.items() if gate in each.awaits]
            gathering = [name for name, each in passages.items() if gate in each.gathers]
            for ones, others in ((waiting, gathering), (gathering, waiting)):
                if all(name in self.found for name in others):
                    self._end(ones, others)


def _parts(flows: Mapping[FlowName, Mapping[Row, float]]) -> Iterator[dict[FlowName, Mapping[Row, float]]]:
    """The flows that have rows in common, directly or by way of others, together."""
    by_row: dict[Row, list[FlowName]] = {}
    for name, moved in flows.items():
        for row in moved:
            by_row.setdefault(row, []).append(name)
    seen: set[FlowName] = set()
    for first in flows:
        if first in seen or not flows[first]:
            continue
        seen.add(first)
        part, left = {first: flows[first]}, [first]
        while left:
            for row in flows[left.pop()]:
                for name in by_row.pop(row, ()):
                    if name not in seen:
                        seen.add(name)
                        part[name] = flows[name]
                        left.append(name)
        yield part


class _Equations:
    """The equations of some flows.

    Attributes:
        scaled: their matrix, shape (rows, flows), scaled so that the largest amounts are about 1.
    """

    def __init__(self, part: Mapping[FlowName, Mapping[Row, float]], also: Iterable[Row] = ()) -> None:
        self.flows = list(part)
        self.rows = list(dict.fromkeys([row for moved in part.values() for row in moved] + list(also)))
        number = {row: index for index, row in enumerate(self.rows)}
        matrix = np.zeros((len(self.rows), len(self.flows)))
        for column, moved in enumerate(part.values()):
            for row, amount in moved.items():
                matrix[number[row], column] = amount
        self._of_row = np.ones(len(self.rows))
        for _ in range(SCALINGS):
            matrix /= _typical(matrix, axis=0)[None, :]
            typical = _typical(matrix, axis=1)
            matrix /= typical[:, None]
            self._of_row /= typical
        self.scaled = matrix

    def against(self, others: Matrix, wanted: Matrix) -> dict[Buffer, float]:
        """Weights of buffers that say why ``wanted`` cannot be made up for by ``others``; none if it can."""
        from scipy.optimize import nnls  # lazily: it takes long to import, and few models need it

        left: Matrix = wanted
        if others.shape[1]:
            try:
                rates, _ = nnls(others, -wanted, maxiter=100 * others.shape[1])
            except RuntimeError:  # it has not come to an end
                return {}
            left = others @ rates + wanted
        rise = float(left @ left)
        if rise <= (EXACT * np.linalg.norm(wanted)) ** 2 or (left @ others).min(initial=0.0) < -ALIKE * rise:
            return {}
        return self._weights(left)

    def kept(self, differences: Sequence[Mapping[Row, float]]) -> dict[Buffer, float]:
        """Weights of buffers whose level no flow changes, but one of ``differences`` does; empty without any."""
        left, sizes, _ = np.linalg.svd(self.scaled)
        rank = int((sizes > EXACT).sum())
        free = left[:, rank:]
        for difference in differences:
            vector = np.array([difference.get(row, 0.0) for row in self.rows]) * self._of_row
            part = free @ (free.T @ vector)
            if np.linalg.norm(part) > 1e-6 * np.linalg.norm(vector):
                return self._weights(part)
        return {}

    def _weights(self, scaled: Matrix) -> dict[Buffer, float]:
        """As weights of levels, the largest 1, those that are nothing beside it left out."""
        weights = scaled * self._of_row
        largest = np.abs(weights).max()
        return {
            row: float(weight / largest)
            for row, weight in zip(self.rows, weights, strict=True)
            if isinstance(row, Buffer) and abs(weight) > 1e-6 * largest
        }


def _typical(matrix: Matrix, axis: int) -> Matrix:
    """The geometric mean of the amounts in each row or column that are not 0; 1 without any."""
    some = matrix != 0.0
    logarithms = np.log(np.abs(matrix), where=some, out=np.zeros_like(matrix))
    return np.asarray(np.exp(logarithms.sum(axis=axis) / np.maximum(1, some.sum(axis=axis))))


def _all_positive(matrix: Matrix) -> bool:
    """Whether rates above zero for all flows are found soon, by projecting to and fro (von Neumann 1950)."""
    _, sizes, right = np.linalg.svd(matrix, full_matrices=True)
    free = right[int((sizes > EXACT).sum()) :].T
    rates = np.ones(matrix.shape[1])
    for _ in range(PROJECTIONS if free.size else 0):
        rates = free @ (free.T @ rates)
        if rates.min() > EXACT * rates.max(initial=EXACT):
            return True
        rates = np.maximum(rates, 0.1)
    return False


def _piling(
    moved: Mapping[FlowName, Mapping[Row, float]], rates: Mapping[int, float], ended: Mapping[FlowName, End]
) -> dict[FlowName, End]:
    """Open workloads whose arrivals, so many a second by number of the workload, nothing makes up for."""
    found: dict[FlowName, End] = {}
    for part in _parts({name: each for name, each in moved.items() if name not in ended}):
        arriving = {name: rates[name] for name in part if isinstance(name, int) and name in rates}
        if len(arriving) > 1:  # one alone is made up for at any rate, as it is at some
            total = Amounts()
            for name, rate in arriving.items():
                total.add(Amounts({row: (amount, abs(amount)) for row, amount in part[name].items()}), rate)
            closed = {name: each for name, each in part.items() if name not in arriving}
            equations = _Equations({-1: total.net, **closed})
            if total.net and (weights := equations.against(equations.scaled[:, 1:], equations.scaled[:, 0])):
                found |= dict.fromkeys(arriving, End(weights))
    return found
