"""Workloads that come to a standstill whatever their times are, found from the amounts their requests move.

A flow goes on for ever only if nonnegative rates solve the equations (1) and (2) of ``sim.engine.model.flows``
with a rate above zero for it. If none do, there are weights of buffers whose weighted level no flow lowers and
this one raises (Farkas 1902), so that in the end it can rise no more: some buffers are full and others empty.

If rates do, one more condition is needed. A weighted level that no flow changes on average, but some by chance, is
a martingale; levels have limits, so it comes to rest (Doob 1953), and with it the flows that draw.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace

from sim.engine.model.equations import Equations, all_positive, folded, movers_of, undetermined
from sim.engine.model.flows import Amounts, FlowName, Flows, Row
from sim.engine.model.model import Model
from sim.engine.model.places import Buffer
from sim.engine.model.workloads import Open, Periodic

EVEN = 1e-6
"""Share of a flow's amounts below which it leaves a weighted level unchanged, as weights are rounded."""


@dataclass(frozen=True)
class End:
    """Cause of the standstill of a workload.

    Attributes:
        weights: of buffers; their weighted level rises as far as it can.
        by_chance: the level rises and falls by chance only, and comes to rest at either end.
        rises: rise of the weighted level per second by each open workload, by its number; empty if only a run
            determines it.
        quicker: True if requests of closed workloads add to that.
    """

    weights: Mapping[Buffer, float]
    by_chance: bool = False
    rises: Mapping[int, float] = field(default_factory=dict)
    quicker: bool = False


def ends(model: Model) -> dict[int, End]:
    """Causes by number of the workload that comes to a standstill; clients of open ones pile up."""
    flows = Flows(model)
    moved = flows.moved()
    if not any(moved.values()) and not flows.choices:
        return {}
    found = _Ends(flows, moved).found
    arrivals = {row: each.arrivals for row, each in enumerate(model.workloads) if isinstance(each, Open)}
    rates = {row: each.rate for row, each in arrivals.items() if each.rate}
    by_chance = {row for row in rates if not isinstance(arrivals[row], Periodic)}
    found |= _piling(moved, {row: rate for row, rate in rates.items() if row not in found}, by_chance, found)
    timed = {id(end): _timed(end, moved, rates, found) for end in found.values()}
    return {name: timed[id(end)] for name, end in found.items() if isinstance(name, int)}


class _Ends:
    """Flows that end, found in rounds, as others may need one that ends."""

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
        """Mark the flows ``names`` as ended, for the reason of one of ``because``, or else ``else_``."""
        reason = next((self.found[name] for name in because if name in self.found), else_)
        if reason is not None:
            self.found |= {name: reason for name in names if name not in self.found}

    def _one_way(self) -> None:
        """Find flows that all change a buffer in one direction."""
        movers = movers_of(self._moved)
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
        """Find flows that no rates allow."""
        solvable: set[bytes] = set()
        for part in _parts(self._active):
            if len(set().union(*part.values())) == 1:
                continue
            alike, members = folded(part)
            few = Equations(alike)
            if (key := few.scaled.tobytes()) in solvable or all_positive(few.scaled):
                solvable.add(key)
                continue
            stuck = [name for each in alike if few.against(each) for name in members[each]]
            equations = Equations(part) if stuck else few
            for name in stuck:
                if weights := equations.against(name):
                    self._end([name], (), End(weights))

    def _by_chance(self) -> None:
        """Find flows with a choice that changes by chance a level that nothing changes on average."""
        active = self._active
        choices = list(self._flows.uneven(active))
        if not choices:
            return
        free, weightless = undetermined(active)
        parts = [(set().union(*part.values()), part) for part in _parts(free)]
        for choice, moved in choices:
            differences = [_without(weightless, each) for each in moved]
            rows = set().union(*differences)
            together = {name: free[name] for each, part in parts if rows & each for name in part}
            if rows and (kept := Equations(together, rows).kept(differences)):
                drawing = [name for name in active if choice in self._flows.passages[name].uneven]
                self._end(drawing, (), End(kept, by_chance=True))

    def _at_gates(self) -> None:
        """Find flows that wait at a gate where no flow gathers any more, or gather where none waits any more."""
        passages = self._flows.passages
        gates = frozenset().union(*(each.awaits for each in passages.values()))
        for gate in gates:
            waiting = [name for name, each in passages.items() if gate in each.awaits]
            gathering = [name for name, each in passages.items() if gate in each.gathers]
            for ones, others in ((waiting, gathering), (gathering, waiting)):
                if all(name in self.found for name in others):
                    self._end(ones, others)


def _without(rows: AbstractSet[Row], moved: Mapping[Row, float]) -> dict[Row, float]:
    return {row: amount for row, amount in moved.items() if row not in rows}


def _parts(flows: Mapping[FlowName, Mapping[Row, float]]) -> Iterator[dict[FlowName, Mapping[Row, float]]]:
    """Groups of flows that share rows, directly or through others."""
    by_row: dict[Row, Iterable[FlowName]] = dict(movers_of(flows))
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


def _piling(
    moved: Mapping[FlowName, Mapping[Row, float]],
    rates: Mapping[int, float],
    by_chance: AbstractSet[int],
    ended: Mapping[FlowName, End],
) -> dict[FlowName, End]:
    """Open workloads whose arrivals, at ``rates`` per second by number of the workload, nothing balances.

    Random arrivals, ``by_chance``, are not balanced either if their amounts are even only on average.
    """
    piling: dict[FlowName, End] = {}
    for part in _parts({name: each for name, each in moved.items() if name not in ended}):
        arriving = {name: rates[name] for name in part if isinstance(name, int) and name in rates}
        if len(arriving) > 1:  # a lone workload is balanced at any rate or at none
            total = Amounts()
            for name, rate in arriving.items():
                total.add(Amounts({row: (amount, abs(amount)) for row, amount in part[name].items()}), rate)
            closed = {name: each for name, each in part.items() if name not in arriving}
            rows = set[Row]().union(*part.values())
            equations = Equations({-1: total.net, **closed}, rows)
            if total.net and (weights := equations.against(-1)):
                piling |= dict.fromkeys(arriving, End(weights))
            elif kept := equations.kept([part[name] for name in arriving if name in by_chance]):
                piling |= dict.fromkeys(arriving, End(kept, by_chance=True))
    return piling


def _timed(
    end: End,
    moved: Mapping[FlowName, Mapping[Row, float]],
    rates: Mapping[int, float],
    ended: Mapping[FlowName, End],
) -> End:
    """``end`` with the rises of its level, if they follow from the ``rates`` of open workloads."""
    rises: dict[int, float] = {}
    quicker = False
    for name, each in moved.items():
        parts = [end.weights.get(row, 0.0) * amount for row, amount in each.items() if isinstance(row, Buffer)]
        rise = sum(parts)
        if abs(rise) <= EVEN * sum(map(abs, parts)):
            continue
        if any(isinstance(row, int) for row in each) or (rise < 0.0 and ended.get(name) is not end):
            return end
        if isinstance(name, int) and name in rates:
            rises[name] = rates[name] * rise
        elif end.by_chance or rise < 0.0:
            return end
        else:
            quicker = True
    if not rises or (sum(rises.values()) <= 0.0 and not end.by_chance):
        return end
    return replace(end, rises=rises, quicker=quicker)
