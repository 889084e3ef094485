"""Decoupled buffers: in the long run the clients that put and those that take move the same amount.

The faster side waits at the buffer for the slower one, so that both have the throughput of the slower (flow
balance, equation 20 of docs/dev/analytic.md; Denning and Buzen, "The operational analysis of queueing network
models", ACM Computing Surveys 10 (1978)). A small buffer lets through less (``blocking.py``). If branches
left behind take back amounts that were put, clients that put wait for them: the branches are not served faster
than the stations that they use.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field

from sim.engine.analytic.blocking import MAX_ROOM, Side, blocked_rate
from sim.engine.analytic.stations import Chain, Node, Visit
from sim.engine.errors import NoSteadyStateError
from sim.engine.model.places import Buffer, Station

_ROUNDING = 1e-9

_PASSES = 100
"""Largest number of passes per buffer; buffers in series need as many as there are."""


@dataclass(eq=False)
class BufferRole:
    """Use of one buffer by clients.

    Attributes:
        tokens: amount that clients can hold at a time, if each takes back what it put, or the reverse.
        two_sided: True if some clients only put and others only take.
        puts: visits that put, if puts and takes are decoupled.
        takes: visits that take, if puts and takes are decoupled.
        release_s: least seconds until a branch left behind takes back what was put.
    """

    place: Buffer
    tokens: int
    two_sided: bool
    puts: list[Visit] = field(default_factory=list)
    takes: list[Visit] = field(default_factory=list)
    release_s: float = 0.0

    @property
    def decoupled(self) -> bool:
        """True if puts and takes are decoupled: two sides, or a take on a branch left behind."""
        return bool(self.puts or self.takes)

    @property
    def amount(self) -> float:
        """The largest amount that a visit puts or takes at a time."""
        return max(visit.work_s / visit.visits for visit in (*self.puts, *self.takes))

    @property
    def small(self) -> bool:
        """True if it may make both sides wait, one after the other."""
        return bool(self.puts and self.takes) and self.place.capacity / self.amount <= MAX_ROOM

    def add(self, visit: Visit, *, put: bool) -> None:
        """Add a visit that waits here; its ``work_s`` is the amount it moves per request."""
        (self.puts if put else self.takes).append(visit)


class Limits:
    """Limits of the throughputs of chains by buffers, and by the stations behind them."""

    def __init__(self, chains: Iterable[Chain], buffer_roles: Iterable[BufferRole], nodes: Iterable[Node]) -> None:
        # First buffers with one chain on each side: they determine how several chains share other buffers.
        roles = sorted(buffer_roles, key=lambda role: len(role.puts) + len(role.takes))
        nodes = list(nodes)
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
        self._small = [role for role in roles if role.small and not self._shared(role)]
        self._two_sided = [role for role in roles if role.two_sided]
        self._guards = {visit.chain: visit for role in roles if not role.two_sided for visit in role.puts}
        self._behind = [
            node
            for node in nodes
            if isinstance(node.place, Station)
            and any(visit.free and visit.chain in self._guards for visit in node.visits)
        ]
        self._buffered = [visit for role in roles for visit in (*role.puts, *role.takes)]

    def waits_at_buffer(self, visit: Visit) -> bool:
        """True if ``visit`` waits at a decoupled buffer."""
        return visit in self._buffered

    def apply(self) -> Iterable[tuple[Visit, float]]:
        """Lower the throughputs of closed chains to what buffers allow; return the corresponding waits.

        Raises:
            NoSteadyStateError: open arrivals move more than the other side of a buffer can.
        """
        unblocked = {chain: chain.throughput for chain in self._closed}
        blocked: dict[Chain, Visit] = {}  # chains that buffers slow down, with the visit at the buffer
        for role in sorted(self._small, key=lambda role: -len(role.puts) - len(role.takes)):
            self._limit_by_size(role, blocked)
        for _ in range(_PASSES * (1 + len(self._two_sided))):
            # Only the first that changes anything; later ones follow when no earlier one changes anything.
            if not (
                any(_balance_flows(role, blocked) for role in self._two_sided)
                or any(_relieve(node, self._guards, blocked) for node in self._behind)
            ):
                break
        waits = dict.fromkeys(self._buffered, 0.0)
        for chain, visit in blocked.items():
            # Equation 21 of docs/dev/analytic.md.
            slower_s = chain.clients * (1.0 / chain.throughput - 1.0 / unblocked[chain]) / visit.sequential_visits
            waits |= _blocking_waits(visit, slower_s)
        return waits.items()

    def _limit_by_size(self, role: BufferRole, blocked: dict[Chain, Visit]) -> None:
        """Slow down both sides of a small buffer by the variation that it cannot even out."""
        amount, room = role.amount, role.place.capacity / role.amount
        put = self._side(role.puts, amount)
        if role.two_sided:
            take = self._side(role.takes, amount)
            places = room + put.clients + take.clients
        elif role.release_s > 0.0:
            take, places = self._behind_side(role, room, _flow(role.puts) / amount), room + put.clients
        else:
            return
        moved = blocked_rate(put, take, places)
        if moved < (min(put.rate, take.rate) if role.two_sided else put.rate):
            for side in (role.puts, role.takes) if role.two_sided else (role.puts,):
                if not self._divided(side):
                    _slow(side, moved * amount / _flow(side), blocked)

    def _divided(self, side: list[Visit]) -> bool:
        """True if other buffers determine each of several chains, so that flow balance slows them down."""
        alone = [each for each in self._two_sided if len(each.puts) == len(each.takes) == 1]
        elsewhere = {visit.chain for role in alone for visit in (*role.puts, *role.takes)}
        return len(side) > 1 and all(visit.chain in elsewhere for visit in side)

    def _shared(self, role: BufferRole) -> bool:
        """True if clients of identical buffers share stations, and so use the capacity that one buffer loses."""
        return any(
            other.ratio > visit.ratio for visit in (*role.puts, *role.takes) for other in self._visits[visit.chain]
        )

    def _side(self, visits: list[Visit], amount: float) -> Side:
        """The clients that put, or take, without blocking; each moves ``amount`` at a time."""
        rate = _flow(visits)
        demanded = max(
            (self._demanded(other) for visit in visits for other in self._visits[visit.chain]), default=1.0
        )
        variation = (
            sum(each.request_rate * each.work_s * each.sequential_visits * each.chain.variation for each in visits)
            / rate
        )
        clients = sum(math.inf if visit.free else visit.sources for visit in visits)
        active = sum(visit.sources * visit.chain.active for visit in visits if not visit.free)
        return Side(clients, max(active, 1.0), rate / amount / max(demanded, 1.0), variation)

    def _demanded(self, visit: Visit) -> float:
        """Utilisation of a place by the chain of ``visit`` alone."""
        busy = sum(other.busy for other in visit.node.visits if other.chain is visit.chain)
        return busy / visit.node.servers

    def _behind_side(self, role: BufferRole, room: float, rate: float) -> Side:
        """Branches left behind as the side that takes: limited by their room and by their stations."""
        most, variation = room / role.release_s, 0.0
        for node in self._behind:
            branches = [visit for visit in node.visits if visit.free and visit.chain is role.puts[0].chain]
            demanded = sum(visit.busy for visit in branches)
            if demanded:
                can = max(node.servers - node.busy + demanded, 1e-3) / demanded * rate
                if can < most or not variation:
                    work, visits = sum(visit.work_s for visit in branches), sum(visit.visits for visit in branches)
                    square = sum(visit.square_s2 for visit in branches)
                    variation = max(square * visits / work**2 - 1.0, 0.0)
                most = min(most, can)
        branches_at_once = most * role.release_s
        return Side(branches_at_once, branches_at_once, most, variation)


def _blocking_waits(visit: Visit, slower_s: float) -> dict[Visit, float]:
    """The waits at a buffer, and before a pool around it, that make a request ``slower_s`` longer.

    No more clients are blocked inside a pool than it has tokens; the others wait before it.
    """
    inflation = visit.inflation
    most = [(_longest_s(visit, hold), hold) for hold in visit.holds if hold.work_s > 0.0]
    longest_s, hold = min(most, key=lambda pair: pair[0], default=(math.inf, visit))
    if slower_s / inflation <= longest_s:
        return {visit: slower_s / inflation}
    left_s = slower_s - (inflation - 1.0) * visit.wait_s - longest_s
    return {visit: longest_s, hold: max(hold.wait_s + left_s * visit.visits / hold.visits, 0.0)}


def _longest_s(visit: Visit, hold: Visit) -> float:
    """Wait at the buffer for which all tokens of ``hold`` are in use."""
    held_s = hold.work_s / hold.visits
    return max(visit.wait_s + held_s * (hold.node.servers / hold.node.busy - 1.0), 0.0)


def _balance_flows(role: BufferRole, blocked: dict[Chain, Visit]) -> bool:
    """Slow the faster side down to flow balance, equation 20 of docs/dev/analytic.md; return True on a change."""
    put, taken = _flow(role.puts), _flow(role.takes)
    if not put or not taken or abs(put / taken - 1.0) < _ROUNDING:
        return False
    faster, most = (role.puts, taken) if put > taken else (role.takes, put)
    slowed = [visit for visit in faster if visit.chain.clients < math.inf]
    fixed = _flow([visit for visit in faster if visit.chain.clients == math.inf])
    if not slowed or most <= fixed:
        raise NoSteadyStateError(
            f"no steady state: the arrivals at {role.place} move {fixed:.4g} a second, and the other side "
            f"{most:.4g}; lower the arrival rate"
        )
    _slow(slowed, (most - fixed) / _flow(slowed), blocked)
    return True


def _flow(side: list[Visit]) -> float:
    """Amount per second that ``side`` moves through one of the identical buffers."""
    total = 0.0
    for visit in side:
        total += visit.chain.throughput * visit.ratio * visit.work_s
    return total


def _relieve(node: Node, guards: dict[Chain, Visit], blocked: dict[Chain, Visit]) -> bool:
    """Slow down clients whose branches left behind overload ``node``; return True if there are any."""
    if not node.busy > node.servers * (1.0 + _ROUNDING):
        return False
    slowed = [visit for visit in node.visits if visit.free and visit.chain in guards]
    demanded = sum(visit.busy for visit in slowed)
    room = node.servers - (node.busy - demanded)
    if not slowed or room <= 0.0:
        return False
    _slow([guards[visit.chain] for visit in slowed], room / demanded, blocked)
    return True


def _slow(visits: list[Visit], factor: float, blocked: dict[Chain, Visit]) -> None:
    """Multiply the throughputs of the chains of ``visits`` by ``factor``, and record the visits in ``blocked``."""
    for chain, visit in {visit.chain: visit for visit in visits}.items():
        chain.throughput *= factor
        blocked[chain] = visit
