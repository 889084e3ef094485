"""Buffers between those who put and those who take: over time both sides move the same amount.

The side that would be faster waits at the buffer for the slower one, so that the throughput is that of the
slower side (the flow balance of operational analysis: Denning and Buzen, "The operational analysis of queueing
network models", ACM Computing Surveys 10 (1978)); what the buffer cannot even out of their variation is left
out. A put that branches left behind undo later waits for them: they cannot be served faster than the places
that they use.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field

from sim.analytic.blocking import MOST_ROOM, Side, through
from sim.analytic.stations import Chain, Node, Visit
from sim.errors import NoSteadyStateError
from sim.model.places import Buffer, Station

_ROUNDING = 1e-9

_PASSES = 100
"""Each pass lets the faster side of every buffer wait; a chain of buffers takes as many as it is long."""


@dataclass(eq=False)
class Stock:
    """One buffer.

    Attributes:
        tokens: where each client takes back what it put (or the other way round): what it can hold at a time.
        streams: whether some only put and others only take.
        behind_s: what a branch left behind needs until it takes back what was put.
    """

    place: Buffer
    tokens: int
    streams: bool
    puts: list[Visit] = field(default_factory=list)
    takes: list[Visit] = field(default_factory=list)
    behind_s: float = 0.0

    @property
    def parted(self) -> bool:
        """Whether puts and takes are apart: on two sides, or the take on a branch left behind."""
        return bool(self.puts or self.takes)

    def add(self, visit: Visit, *, put: bool) -> None:
        """Let ``visit`` wait here; its work is the amount it moves in a walk."""
        (self.puts if put else self.takes).append(visit)


class Limits:
    """What buffers and capacities allow the chains of a network."""

    def __init__(self, chains: Iterable[Chain], stocks: Iterable[Stock], nodes: Iterable[Node]) -> None:
        kept, nodes = list(stocks), list(nodes)
        self._visits: dict[Chain, list[Visit]] = {
            chain: [
                visit
                for node in nodes
                if isinstance(node.place, Station)
                for visit in node.visits
                if visit.chain is chain and not visit.free
            ]
            for chain in chains
        }
        self._closed = [chain for chain in chains if not math.isinf(chain.clients)]
        self._stocks = kept
        self._streams = [stock for stock in kept if stock.streams]
        self._guards = {visit.chain: visit for stock in kept if not stock.streams for visit in stock.puts}
        self._behind = [
            node
            for node in nodes
            if isinstance(node.place, Station)
            and any(each.free and each.chain in self._guards for each in node.visits)
        ]
        self._buffered = [visit for stock in kept for visit in (*stock.puts, *stock.takes)]

    def kept(self, visit: Visit) -> bool:
        """Whether ``visit`` waits for the other side of a buffer."""
        return visit in self._buffered

    def apply(self) -> Iterable[tuple[Visit, float]]:
        """Lower the throughputs to what is allowed; returns the waits at buffers that this takes.

        Raises:
            NoSteadyStateError: what arrives from outside is more than the other side of a buffer can move.
        """
        wished = {chain: chain.throughput for chain in self._closed}
        blamed: dict[Chain, Visit] = {}
        for stock in self._stocks:
            self._hold_up(stock, blamed)
        for _ in range(_PASSES):
            changed = [_balance(stock, blamed) for stock in self._streams]
            changed += [_relieve(node, self._guards, blamed) for node in self._behind]
            if not any(changed):
                break
        waits = dict.fromkeys(self._buffered, 0.0)
        for chain, visit in blamed.items():
            slower_s = chain.clients * (1.0 / chain.throughput - 1.0 / wished[chain]) / visit.turns
            waits |= _held_up(visit, slower_s)
        return waits.items()

    def _hold_up(self, stock: Stock, blamed: dict[Chain, Visit]) -> None:
        """Slow down both sides of ``stock`` by what it cannot even out."""
        if not stock.puts or not stock.takes or self._shared(stock):
            return
        amount = max(each.work_s / each.visits for each in (*stock.puts, *stock.takes))
        room = stock.place.capacity / amount
        if room > MOST_ROOM:
            return
        put = self._side(stock.puts, amount)
        if stock.streams:
            take = self._side(stock.takes, amount)
            places = room + put.clients + take.clients
        elif stock.behind_s > 0.0:
            take, places = self._behind_side(stock, room, put.rate), room + put.clients
        else:
            return
        moved = through(put, take, places)
        if moved < (min(put.rate, take.rate) if stock.streams else put.rate):
            for side in (stock.puts, stock.takes) if stock.streams else (stock.puts,):
                _slow(side, moved * amount / _moved(side), blamed)

    def _shared(self, stock: Stock) -> bool:
        """Whether clients of other buffers like this use the same stations: they use what one buffer loses."""
        return any(
            each.ratio > visit.ratio for visit in (*stock.puts, *stock.takes) for each in self._visits[visit.chain]
        )

    def _side(self, visits: list[Visit], amount: float) -> Side:
        """Those who put, or those who take, as they would if nobody were held up; they move so much at a time."""
        rate = _moved(visits)
        asked = max((self._asked(each) for visit in visits for each in self._visits[visit.chain]), default=1.0)
        variation = sum(each.per_place * each.work_s * each.turns * each.chain.variation for each in visits) / rate
        clients = sum(math.inf if each.free else each.sources for each in visits)
        active = sum(each.sources * each.chain.active for each in visits if not each.free)
        return Side(clients, max(active, 1.0), rate / amount / max(asked, 1.0), variation)

    def _asked(self, visit: Visit) -> float:
        """The share of a place that the chain of ``visit`` asks for alone."""
        mine = sum(each.per_place * each.work_s for each in visit.node.visits if each.chain is visit.chain)
        return mine / visit.node.servers

    def _behind_side(self, stock: Stock, room: float, rate: float) -> Side:
        """The branches left behind as the side that takes: as many at a time as fit, and as stations can do."""
        most, variation = room / stock.behind_s, 0.0
        for node in self._behind:
            mine = [each for each in node.visits if each.free and each.chain is stock.puts[0].chain]
            asked = sum(each.per_place * each.work_s for each in mine)
            if asked:
                can = max(node.servers - node.busy + asked, 1e-3) / asked * rate
                if can < most or not variation:
                    work, visits = sum(each.work_s for each in mine), sum(each.visits for each in mine)
                    variation = max(sum(each.square_s2 for each in mine) * visits / work**2 - 1.0, 0.0)
                most = min(most, can)
        at_once = most * stock.behind_s
        return Side(at_once, at_once, most, variation)


def _held_up(visit: Visit, slower_s: float) -> dict[Visit, float]:
    """The waits at a buffer and before a pool around it that make a walk ``slower_s`` longer than without them.

    No more clients are held up inside a pool than it has tokens: the others wait before it.
    """
    inflation = visit.inflation
    most = [(_longest_s(visit, hold), hold) for hold in visit.around if hold.work_s > 0.0]
    longest_s, hold = min(most, key=lambda each: each[0], default=(math.inf, visit))
    if slower_s / inflation <= longest_s:
        return {visit: slower_s / inflation}
    left_s = slower_s - (inflation - 1.0) * visit.wait_s - longest_s
    return {visit: longest_s, hold: max(hold.wait_s + left_s * visit.visits / hold.visits, 0.0)}


def _longest_s(visit: Visit, hold: Visit) -> float:
    held_s = hold.work_s / hold.visits
    return max(visit.wait_s + held_s * (hold.node.servers / hold.node.busy - 1.0), 0.0)


def _balance(stock: Stock, blamed: dict[Chain, Visit]) -> bool:
    """Slow the faster side down; whether that changed anything."""
    put, taken = _moved(stock.puts), _moved(stock.takes)
    if not put or not taken or abs(put / taken - 1.0) < _ROUNDING:
        return False
    faster, most = (stock.puts, taken) if put > taken else (stock.takes, put)
    slowed = [visit for visit in faster if visit.chain.clients < math.inf]
    fixed = _moved([visit for visit in faster if visit.chain.clients == math.inf])
    if not slowed or most <= fixed:
        raise NoSteadyStateError(
            f"no steady state: the arrivals at {stock.place} move {fixed:.4g} a second, and the other side "
            f"{most:.4g}; lower the arrival rate"
        )
    _slow(slowed, (most - fixed) / _moved(slowed), blamed)
    return True


def _moved(side: list[Visit]) -> float:
    """Units a second through one of the alike buffers."""
    total = 0.0
    for each in side:
        total += each.chain.throughput * each.ratio * each.work_s
    return total


def _relieve(node: Node, guards: dict[Chain, Visit], blamed: dict[Chain, Visit]) -> bool:
    """Slow down those who wait for room for branches left behind, if these ask more of ``node`` than it can do."""
    if not node.busy > node.servers * (1.0 + _ROUNDING):
        return False
    slowed = [each for each in node.visits if each.free and each.chain in guards]
    asked = sum(each.per_place * each.work_s for each in slowed)
    room = node.servers - (node.busy - asked)
    if not slowed or room <= 0.0:
        return False
    _slow([guards[each.chain] for each in slowed], room / asked, blamed)
    return True


def _slow(visits: list[Visit], factor: float, blamed: dict[Chain, Visit]) -> None:
    for chain, visit in {visit.chain: visit for visit in visits}.items():
        chain.throughput *= factor
        blamed[chain] = visit
