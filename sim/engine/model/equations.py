"""Equations of flows as a matrix; reduced first, as loads mostly have many identical clients.

``folded`` leaves one of several identical flows. ``undetermined`` leaves out the rows that have no weight in any
weighted sum of levels that no flow changes. A file system with 32 threads has 2,784 flows in 1,377 rows, of which
57 in 37 and 96 in 33 are left.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from sim.engine.model.flows import FlowName, Row
from sim.engine.model.places import Buffer

Matrix = NDArray[np.float64]
Moved = Mapping[FlowName, Mapping[Row, float]]
"""Amounts moved by each flow, by row: the matrix, column by column."""

EXACT = 1e-10
"""Tolerance for zero, with amounts of about 1."""

ALIKE = 1e-3
"""Share of a rise by which rounding may make another flow seem to lower it."""

HELD = 1e-12
"""Regularisation weight of rates beside the residual. A larger one would suppress rates that have to be large."""

REFINED = 2
"""Rounds of iterative refinement (Wilkinson 1963), each of which adds some digits."""

SCALINGS = 8
"""Rounds of scaling after which rows and columns, such as of requests and of bytes, have similar sizes."""

PROJECTIONS = 200
"""Projections in the quick search for rates, before a method that always decides."""


def movers_of(flows: Moved) -> dict[Row, dict[FlowName, float]]:
    """The matrix by row: flows that move it, and their amounts."""
    movers: dict[Row, dict[FlowName, float]] = {}
    for name, moved in flows.items():
        for row, amount in moved.items():
            movers.setdefault(row, {})[name] = amount
    return movers


def undetermined(flows: Moved) -> tuple[dict[FlowName, dict[Row, float]], frozenset[Row]]:
    """``flows`` without the rows that have no weight in any weighted level that no flow changes; and those rows.

    A flow that moves one row alone changes every weighted level in which that row has a weight. Without that row,
    other flows may move one row alone.
    """
    left, movers = {name: dict(moved) for name, moved in flows.items()}, movers_of(flows)
    weightless: set[Row] = set()
    alone = [name for name, moved in left.items() if len(moved) == 1]
    while alone:
        for row in list(left[alone.pop()]):  # none, if another flow had the same
            weightless.add(row)
            for name in movers[row]:
                del left[name][row]
                if len(left[name]) == 1:
                    alone.append(name)
    return left, frozenset(weightless)


def folded(flows: Moved) -> tuple[dict[FlowName, dict[Row, float]], dict[FlowName, list[FlowName]]]:
    """One flow for all identical ones, with their summed amounts: it has a rate above zero if all have one.

    Returns those flows, and the identical ones of each, by its name.

    Flows are identical if they move equal amounts of identical rows, and rows are if equal amounts of them
    are moved by identical flows. If rates solve the equations, so do their means over identical flows
    (Grohe, Kersting, Mladenov and Selman, "Dimension reduction via colour refinement", ESA 2014).
    """
    movers = movers_of(flows)
    classes: dict[FlowName, int] = dict.fromkeys(flows, 0)
    kinds: dict[Row, int] = dict.fromkeys(movers, 0)
    before, told_apart = 0, 2
    while told_apart > before:
        before = told_apart
        classes = _numbered(
            {
                name: (classes[name], *sorted((kinds[row], amount) for row, amount in moved.items()))
                for name, moved in flows.items()
            }
        )
        kinds = _numbered(
            {
                row: (kinds[row], *sorted((classes[name], amount) for name, amount in each.items()))
                for row, each in movers.items()
            }
        )
        told_apart = len(set(classes.values())) + len(set(kinds.values()))
    first_flow = {number: name for name, number in reversed(classes.items())}
    first_row = {number: row for row, number in reversed(kinds.items())}
    alike: dict[FlowName, dict[Row, float]] = {name: {} for name in reversed(first_flow.values())}
    for row in first_row.values():
        for name, amount in movers[row].items():
            moved_by_all = alike[first_flow[classes[name]]]
            moved_by_all[row] = moved_by_all.get(row, 0.0) + amount
    members: dict[FlowName, list[FlowName]] = {name: [] for name in alike}
    for name, number in classes.items():
        members[first_flow[number]].append(name)
    return alike, members


Thing = TypeVar("Thing", bound=Hashable)


def _numbered(signatures: Mapping[Thing, Hashable]) -> dict[Thing, int]:
    """Numbers of all keys: equal for equal signatures."""
    numbers: dict[Hashable, int] = {}
    return {thing: numbers.setdefault(signature, len(numbers)) for thing, signature in signatures.items()}


class Equations:
    """Balance equations of some flows.

    Attributes:
        scaled: matrix of the equations, shape (rows, flows), scaled so that the largest amounts are about 1.
    """

    def __init__(self, part: Moved, also: Iterable[Row] = ()) -> None:
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

    def against(self, name: FlowName) -> dict[Buffer, float]:
        """Weights of buffers that prove that the other flows cannot balance ``name``; empty if they can."""
        from scipy.optimize import nnls  # lazily: it takes long to import, and few models need it

        column = self.flows.index(name)
        others, wanted = np.delete(self.scaled, column, axis=1), self.scaled[:, column]
        left: Matrix = wanted
        if others.shape[1]:
            # Regularised: two flows whose sum is only a rounding error could otherwise balance anything.
            held = np.vstack([others, HELD * np.eye(others.shape[1])])
            target = np.concatenate([-wanted, np.zeros(others.shape[1])])
            try:
                rates, _ = nnls(held, target, maxiter=100 * others.shape[1])
            except RuntimeError:  # not converged
                return {}
            left = _left_over(held, others, wanted, rates)
        rise = float(left @ left)
        if rise <= (EXACT * np.linalg.norm(wanted)) ** 2 or (left @ others).min(initial=0.0) < -ALIKE * rise:
            return {}
        return self._weights(left)

    def kept(self, differences: Sequence[Mapping[Row, float]]) -> dict[Buffer, float]:
        """Weights of buffers whose level no flow changes, but one of ``differences`` does; empty if none."""
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
        """Weights of unscaled levels, the largest 1, without negligible ones."""
        weights = scaled * self._of_row
        largest = np.abs(weights).max()
        return {
            row: float(weight / largest)
            for row, weight in zip(self.rows, weights, strict=True)
            if isinstance(row, Buffer) and abs(weight) > 1e-6 * largest
        }


def _left_over(held: Matrix, others: Matrix, wanted: Matrix, rates: Matrix) -> Matrix:
    """Residual of ``rates``, to more digits than they have, as the square of a small leak matters."""
    used = rates > 0.0
    whole = np.concatenate([wanted, np.zeros(len(held) - len(wanted))]).astype(np.longdouble)
    precise, columns = held[:, used].astype(np.longdouble), held[:, used]
    exact = rates[used].astype(np.longdouble)
    for _ in range(REFINED):
        more, *_ = np.linalg.lstsq(columns, -(precise @ exact + whole).astype(np.float64), rcond=None)
        exact = exact + more
    return np.asarray(others[:, used].astype(np.longdouble) @ exact + wanted)


def _typical(matrix: Matrix, axis: int) -> Matrix:
    """Geometric mean of the nonzero amounts in each row or column; 1 if there are none."""
    some = matrix != 0.0
    logarithms = np.log(np.abs(matrix), where=some, out=np.zeros_like(matrix))
    return np.asarray(np.exp(logarithms.sum(axis=axis) / np.maximum(1, some.sum(axis=axis))))


def all_positive(matrix: Matrix) -> bool:
    """True if rates above zero for all flows are found by alternating projections (von Neumann 1950).

    These are quick, but miss rates of very different sizes, which nonnegative least squares find.
    """
    _, sizes, right = np.linalg.svd(matrix, full_matrices=True)
    free = right[int((sizes > EXACT).sum()) :].T
    rates = np.ones(matrix.shape[1])
    for _ in range(PROJECTIONS if free.size else 0):
        rates = free @ (free.T @ rates)
        if rates.min() > EXACT * rates.max(initial=EXACT):
            return True
        rates = np.maximum(rates, 0.1)
    if not free.size:
        return False
    from scipy.optimize import nnls  # lazily: it takes long to import, and few models need it

    ones = matrix.sum(axis=1)
    try:
        more, _ = nnls(matrix, -ones, maxiter=100 * matrix.shape[1])
    except RuntimeError:  # not converged
        return False
    return bool(np.linalg.norm(_left_over(matrix, matrix, ones, more)) < EXACT * np.linalg.norm(ones))
