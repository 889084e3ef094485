"""The fixed point: waits give the times of walks, these give throughputs, and throughputs the waits again."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from sim.analytic.arrivals import follow
from sim.analytic.buffer_roles import stocks
from sim.analytic.buffers import Limits
from sim.analytic.caches import Hits
from sim.analytic.fixed_point import Vector, fixed_point
from sim.analytic.gates import Batches
from sim.analytic.initial_guess import begin
from sim.analytic.locks import LockQueue
from sim.analytic.mixed import MixedQueue, mixed
from sim.analytic.open_writers import OpenWriters, open_writers
from sim.analytic.queues import Queue
from sim.analytic.read_path import Nodes, Reader
from sim.analytic.stations import ALWAYS, Chain, Node
from sim.errors import ModelError, NoSteadyStateError
from sim.model.demands import capacity
from sim.model.distributions import variance
from sim.model.places import Buffer, Gate, Lock, Place, Pool, Station
from sim.model.symmetry import Symmetry
from sim.model.workloads import Closed, Open

PRECISE = 3e-5
"""Change of a wait, as a share of its walk, at which the fixed point is found."""

FEWER = 0.01
"""Share of a chain's clients taken away to learn what one fewer would change."""

TIED = 1e-3
"""Share of a walk that is next to nothing."""

MOST_CHAINS = 8
"""Closed chains up to which it is learnt; with more, queues are taken to fall in proportion (Schweitzer)."""


class Network:
    """Chains, and the nodes that they ask."""

    def __init__(self, folded: Symmetry, caches: dict[Place, Hits]) -> None:
        self.folded = folded
        self.chains = [Chain(workload, copies) for workload, copies in folded.workloads]
        self.caches = caches
        for hits in caches.values():
            hits.lookups.clear()
        self.gates: dict[Place, Batches] = {}
        self.stocks = stocks((each.workload for each in self.chains), folded.representative.__getitem__)
        self._nodes: dict[Place, Node] = {}
        nodes = Nodes(self._node, self._spread, folded.shape, caches, self.gates, self.stocks)
        for chain in self.chains:
            chain.term = Reader(chain, nodes).path()
            if isinstance(chain.workload, Open):
                chain.throughput = chain.workload.arrivals.rate or 0.0
        self.visits = [visit for node in self.nodes for visit in node.visits]
        for row, visit in enumerate(self.visits):
            visit.row = row
            visit.settle()
        follow(self.chains, self._node)
        self._a_walk = np.array([0.0 if visit.free else visit.turns for visit in self.visits])
        self._chain_of = np.array([self.chains.index(visit.chain) for visit in self.visits], dtype=np.intp)
        self._varying = [visit for visit in self.visits if visit.varies]
        self._queues = list(self._queued())
        self._waiting: list[Batches | Queue] = []
        self._limits = Limits(self.chains, self.stocks.values(), self.nodes)

    @property
    def nodes(self) -> list[Node]:
        """Every node, in the order in which places are first used."""
        return list(self._nodes.values())

    def _node(self, place: Place) -> Node:
        first = self.folded.representative[place]
        if first not in self._nodes:
            stock = self.stocks.get(first)
            servers = stock.tokens if stock else capacity(first)
            self._nodes[first] = Node(first, self.folded.copies[first], servers)
        return self._nodes[first]

    def _spread(self, chain: Chain, node: Node) -> int:
        return self.folded.fan_out[chain.workload.name, node.place]

    def settle(self) -> None:
        """Seek the fixed point, and again with what it says about one client fewer.

        Raises:
            ModelError: it is not found.
        """
        closed = [chain for chain in self.chains if not math.isinf(chain.clients)]
        self._look()
        self._walk_alone()
        begin(closed, self._queues, self._limits)
        self._find()
        if len(closed) > MOST_CHAINS:
            return
        base = self._kept()
        learnt = {chain: self._fewer(chain, base) for chain in closed if not self._tied(chain)}
        for chain, elasticities in learnt.items():
            for visit, each in zip(self.visits, elasticities, strict=True):
                visit.elasticity[chain] = each
        if learnt:
            self._look()
            self._find()

    def _tied(self, chain: Chain) -> bool:
        """Whether a client fewer would not make the others faster.

        So it is if a buffer holds the chain back, if it needs a station that is always in use, or if next to
        nobody waits.
        """
        mine = [visit for visit in self.visits if visit.chain is chain and not visit.free]
        waited_s = sum(visit.turns * visit.wait_s for visit in mine)
        held_s = sum(visit.turns * visit.wait_s for visit in mine if self._limits.kept(visit))
        always = any(_always_in_use(visit.node) for visit in mine)
        return always or held_s > TIED * chain.response_s or waited_s < TIED * chain.response_s

    def _look(self) -> None:
        """Bring up to date who finds whom."""
        self._waiting = [*self.gates.values(), *(queue for queue in self._queues if queue.look())]

    def _find(self) -> None:
        """Seek the fixed point from the present waits."""
        start = np.array([visit.wait_s for visit in self.visits])
        if fixed_point(self._follow, start, self._weights, PRECISE) is None:
            raise ModelError(f"the analytic engine finds no balance of {self._busiest().place}; simulate instead")

    def _kept(self) -> list[tuple[float, float]]:
        """What is queued and in service through every visit."""
        return [
            (visit.per_place * visit.work_s * visit.wait_s, visit.per_place * visit.work_s)
            for visit in self.visits
        ]

    def _fewer(self, chain: Chain, base: list[tuple[float, float]]) -> list[tuple[float, float]]:
        """Learn what changes when ``chain`` has a few clients fewer."""
        waits = [visit.wait_s for visit in self.visits]
        chain.thin(1.0 - FEWER)
        self._look()
        self._find()
        chain.thin(1.0)
        learnt = [
            (_elasticity(before[0], after[0]), _elasticity(before[1], after[1]))
            for before, after in zip(base, self._kept(), strict=True)
        ]
        for visit, wait_s in zip(self.visits, waits, strict=True):
            visit.wait_s = wait_s
        return learnt

    def _follow(self, waits: Vector) -> Vector:
        """The waits to which ``waits`` lead."""
        for visit, wait_s in zip(self.visits, waits.tolist(), strict=True):
            visit.wait_s = wait_s
        self._walk()
        self._free_walk()
        following = [0.0] * len(self.visits)
        for visit, wait_s in self._limits.apply():
            following[visit.row] = wait_s
        for each in self._waiting:
            for visit, wait_s in each.waits():
                following[visit.row] = max(following[visit.row], wait_s)
        return np.array(following)

    def _walk(self) -> None:
        """Time the walks, and what is held on them, with the present waits."""
        for visit in self._varying:
            visit.restart()
        for chain in self.chains:
            chain.response_s, _ = chain.term.moments()

    def _walk_alone(self) -> None:
        """Time the walks as if nobody ever waited."""
        for visit in self._varying:
            visit.restart()
        for chain in self.chains:
            chain.response_s, variance_s2 = chain.term.moments()
            think = chain.workload.think if isinstance(chain.workload, Closed) else None
            chain.alone = (chain.think_s + chain.response_s, variance_s2 + (variance(think) if think else 0.0))

    def _free_walk(self) -> None:
        """Let every closed chain walk as if no buffer kept it waiting."""
        kept = dict.fromkeys(self.chains, 0.0)
        for stock in self.stocks.values():
            for visit in (*stock.puts, *stock.takes):
                if visit.wait_s:
                    kept[visit.chain] += visit.inflation * visit.turns * visit.wait_s
        for chain in self.chains:
            if not math.isinf(chain.clients):
                walk_s = chain.think_s + chain.response_s - kept[chain]
                chain.throughput = chain.clients / max(walk_s, 1e-12)

    def _weights(self) -> Vector:
        """What a second's longer wait counts, as a share of its walk; nothing where nobody waits for the walk."""
        walks_s = np.array([max(chain.response_s + chain.think_s, 1e-12) for chain in self.chains])
        return np.asarray(self._a_walk / walks_s[self._chain_of])

    def _queued(self) -> Iterator[Queue]:
        """The queues of all nodes but gates, and buffers whose two sides are apart."""
        for node in self._nodes.values():
            match node.place:
                case Lock() if open_writers(node):
                    yield OpenWriters(node)
                case Station() | Lock() | Pool() if mixed(node):
                    yield MixedQueue(node)
                case Lock():
                    yield LockQueue(node)
                case Gate():
                    pass
                case Buffer() if self.stocks[node.place].parted:
                    pass
                case _:
                    yield Queue(node)

    def _busiest(self) -> Node:
        return max(self._nodes.values(), key=lambda node: node.utilisation)

    def refuse_overload(self) -> None:
        """Refuse flows that nobody waits for, and that ask more of a node than it can do."""
        for node in self._nodes.values():
            if isinstance(node.place, Gate) or not any(each.free for each in node.visits):
                continue
            if isinstance(node.place, Buffer) and self.stocks[node.place].parted:
                continue
            asked = sum(each.busy for each in node.visits if each.free and each.exclusive)
            if asked >= node.servers * (1.0 - 1e-9) and not self._guarded(node):
                raise NoSteadyStateError(
                    f"no steady state: {asked:.4g} servers' or tokens' time a second is asked of "
                    f"{node.place}, which has {node.servers}; lower the load, or add capacity"
                )

    def _guarded(self, node: Node) -> bool:
        waiting = {visit.chain for stock in self.stocks.values() for visit in stock.puts}
        return all(each.chain in waiting for each in node.visits if each.free)


def _always_in_use(node: Node) -> bool:
    return isinstance(node.place, Station) and node.utilisation > ALWAYS


def _elasticity(before: float, after: float) -> float:
    """Share by which ``before`` fell, over the share of clients taken away."""
    return math.log(after / before) / math.log1p(-FEWER) if before > 0.0 and after > 0.0 else 1.0
