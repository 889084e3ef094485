"""The network: chains, nodes and the fixed point of their waits.

Waits give response times (the terms), response times give throughputs (Little's law, equation 1 of
docs/dev/analytic.md), and throughputs give waits (one rule for each mechanism).
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from sim.engine.analytic.arrivals import set_arrival_variations
from sim.engine.analytic.buffer_roles import find_roles
from sim.engine.analytic.buffers import Limits
from sim.engine.analytic.caches import Hits
from sim.engine.analytic.fixed_point import Vector, fixed_point
from sim.engine.analytic.gates import Batches
from sim.engine.analytic.initial_guess import guess_waits
from sim.engine.analytic.locks import LockQueue
from sim.engine.analytic.mixed import MixedQueue, mixed
from sim.engine.analytic.open_writers import OpenWriters, open_writers
from sim.engine.analytic.paced import PacedQueue, find_paced, meets_paced
from sim.engine.analytic.queues import Queue
from sim.engine.analytic.read_path import Nodes, Reader
from sim.engine.analytic.stations import ALWAYS, Chain, Node
from sim.engine.errors import ModelError, NoSteadyStateError
from sim.engine.model.demands import capacity
from sim.engine.model.distributions import variance
from sim.engine.model.places import Buffer, Gate, Lock, Place, Pool, Station
from sim.engine.model.symmetry import Symmetry
from sim.engine.model.workloads import Closed, Open

PRECISE = 3e-5
"""Largest change of a wait, as a share of the response time, at which the fixed point counts as found."""

PERTURBATION = 0.01
"""Share of a chain's clients removed to determine its elasticities: 1 minus the population share."""

NEGLIGIBLE = 1e-3
"""Share of the response time below which waiting is neglected."""

MAX_CHAINS = 8
"""Largest number of closed chains with computed elasticities; with more, all are 1 (Schweitzer)."""


class Network:
    """The chains of a model, the nodes that they visit, and the solution of both.

    Attributes:
        folded: the model, lumped.
        chains: identical workloads.
        caches: hit ratios of every cache.
        gates: batches of every gate.
        buffer_roles: role of every buffer.
        visits: all visits, in the order of their ``row``.
    """

    def __init__(self, folded: Symmetry, caches: dict[Place, Hits]) -> None:
        self.folded = folded
        self.chains = [Chain(workload, copies) for workload, copies in folded.workloads]
        self.caches = caches
        for hits in caches.values():
            hits.lookups.clear()
        self.gates: dict[Place, Batches] = {}
        self.buffer_roles = find_roles((each.workload for each in self.chains), folded.representative.__getitem__)
        self._nodes: dict[Place, Node] = {}
        nodes = Nodes(self._node, self._fan_out, folded.shape, caches, self.gates, self.buffer_roles)
        for chain in self.chains:
            chain.term = Reader(chain, nodes).path()
            if isinstance(chain.workload, Open):
                chain.throughput = chain.workload.arrivals.rate or 0.0
        self.visits = [visit for node in self.nodes for visit in node.visits]
        for row, visit in enumerate(self.visits):
            visit.row = row
            visit.freeze_constants()
        set_arrival_variations(self.chains, self._node)
        self._visits_per_request = np.array(
            [0.0 if visit.free else visit.sequential_visits for visit in self.visits]
        )
        self._chain_of = np.array([self.chains.index(visit.chain) for visit in self.visits], dtype=np.intp)
        self._varying = [visit for visit in self.visits if visit.depends_on_waits]
        self._queues = list(self._queued())
        self._waiting: list[Batches | Queue] = []
        self._limits = Limits(self.chains, self.buffer_roles.values(), self.nodes)

    @property
    def nodes(self) -> list[Node]:
        """All nodes, in the order in which their places are first used."""
        return list(self._nodes.values())

    def _node(self, place: Place) -> Node:
        first = self.folded.representative[place]
        if first not in self._nodes:
            role = self.buffer_roles.get(first)
            servers = role.tokens if role else capacity(first)
            self._nodes[first] = Node(first, self.folded.copies[first], servers)
        return self._nodes[first]

    def _fan_out(self, chain: Chain, node: Node) -> int:
        return self.folded.fan_out[chain.workload.name, node.place]

    def solve(self) -> None:
        """Find the fixed point, compute the elasticities from perturbed populations, and find it again with them.

        Raises:
            ModelError: no fixed point is found.
        """
        closed = [chain for chain in self.chains if not math.isinf(chain.clients)]
        self._update_arrival_weights()
        self._evaluate_unqueued()
        guess_waits(closed, self._queues, self._limits)
        self._iterate()
        if len(closed) > MAX_CHAINS:
            return
        base = self._backlogs()
        learnt = {chain: self._learn_elasticities(chain, base) for chain in closed if not self._held_back(chain)}
        for chain, elasticities in learnt.items():
            for visit, elasticity in zip(self.visits, elasticities, strict=True):
                visit.elasticity[chain] = elasticity
        if learnt:
            self._update_arrival_weights()
            self._iterate()

    def _held_back(self, chain: Chain) -> bool:
        """True if one client fewer would not make the others faster.

        This is so if a buffer holds the chain back, if it visits a station that is always in use, or if it hardly
        waits at all.
        """
        chain_visits = [visit for visit in self.visits if visit.chain is chain and not visit.free]
        waited_s = sum(visit.sequential_visits * visit.wait_s for visit in chain_visits)
        at_buffers = [visit for visit in chain_visits if self._limits.waits_at_buffer(visit)]
        blocked_s = sum(visit.sequential_visits * visit.wait_s for visit in at_buffers)
        saturated = any(_always_in_use(visit.node) for visit in chain_visits)
        return saturated or blocked_s > NEGLIGIBLE * chain.response_s or waited_s < NEGLIGIBLE * chain.response_s

    def _update_arrival_weights(self) -> None:
        """Update the arrival weights of all queues to the present populations and elasticities."""
        self._waiting = [
            *self.gates.values(),
            *(queue for queue in self._queues if queue.update_arrival_weights()),
        ]

    def _iterate(self) -> None:
        """Find the fixed point, beginning with the present waits."""
        start = np.array([visit.wait_s for visit in self.visits])
        if fixed_point(self._evaluate, start, self._weights, PRECISE) is None:
            raise ModelError(f"the analytic engine finds no balance of {self._busiest().place}; simulate instead")

    def _backlogs(self) -> list[tuple[float, float]]:
        """Queued work and work in service of every visit, in server time."""
        return [
            (visit.request_rate * visit.work_s * visit.wait_s, visit.request_rate * visit.work_s)
            for visit in self.visits
        ]

    def _learn_elasticities(self, chain: Chain, base: list[tuple[float, float]]) -> list[tuple[float, float]]:
        """Elasticities of every visit's work with respect to the population of ``chain``; restores the waits."""
        waits = [visit.wait_s for visit in self.visits]
        chain.perturb(1.0 - PERTURBATION)
        self._update_arrival_weights()
        self._iterate()
        chain.perturb(1.0)
        learnt = [
            (_elasticity(queued, fewer_queued), _elasticity(serving, fewer_serving))
            for (queued, serving), (fewer_queued, fewer_serving) in zip(base, self._backlogs(), strict=True)
        ]
        for visit, wait_s in zip(self.visits, waits, strict=True):
            visit.wait_s = wait_s
        return learnt

    def _evaluate(self, waits: Vector) -> Vector:
        """One iteration: the waits that follow from ``waits``, both of shape (visits,)."""
        for visit, wait_s in zip(self.visits, waits.tolist(), strict=True):
            visit.wait_s = wait_s
        self._evaluate_terms()
        self._unblocked_throughputs()
        next_waits = [0.0] * len(self.visits)
        for visit, wait_s in self._limits.apply():
            next_waits[visit.row] = wait_s
        for queue in self._waiting:
            for visit, wait_s in queue.waits():
                next_waits[visit.row] = max(next_waits[visit.row], wait_s)
        return np.array(next_waits)

    def _evaluate_terms(self) -> None:
        """Compute response times and holding times at the present waits."""
        for visit in self._varying:
            visit.reset()
        for chain in self.chains:
            chain.response_s, _ = chain.term.moments()

    def _evaluate_unqueued(self) -> None:
        """Compute mean and variance of each chain's cycle while all waits are 0."""
        for visit in self._varying:
            visit.reset()
        for chain in self.chains:
            chain.response_s, variance_s2 = chain.term.moments()
            think = chain.workload.think if isinstance(chain.workload, Closed) else None
            chain.unqueued = (chain.think_s + chain.response_s, variance_s2 + (variance(think) if think else 0.0))

    def _unblocked_throughputs(self) -> None:
        """Set the throughputs of closed chains without waits at buffers."""
        blocked_s = dict.fromkeys(self.chains, 0.0)
        for role in self.buffer_roles.values():
            for visit in (*role.puts, *role.takes):
                if visit.wait_s:
                    blocked_s[visit.chain] += visit.inflation * visit.sequential_visits * visit.wait_s
        for chain in self.chains:
            if not math.isinf(chain.clients):
                # Equation 1 of docs/dev/analytic.md, Little's law; the waits at buffers follow from flow balance.
                cycle_s = chain.think_s + chain.response_s - blocked_s[chain]
                chain.throughput = chain.clients / max(cycle_s, 1e-12)

    def _weights(self) -> Vector:
        """Weight of a second at each visit, as a share of the chain's cycle; 0 in free flows. Shape (visits,)."""
        cycles_s = np.array([max(chain.response_s + chain.think_s, 1e-12) for chain in self.chains])
        return np.asarray(self._visits_per_request / cycles_s[self._chain_of])

    def _queued(self) -> Iterator[Queue]:
        """The queues of all nodes, without gates and decoupled buffers."""
        paced = find_paced(self.buffer_roles.values())
        for node in self._nodes.values():
            match node.place:
                case Station() if meets_paced(node, paced):
                    yield PacedQueue(node, paced)
                case Lock() if open_writers(node):
                    yield OpenWriters(node)
                case Station() | Lock() | Pool() if mixed(node):
                    yield MixedQueue(node)
                case Lock():
                    yield LockQueue(node)
                case Gate():
                    pass
                case Buffer() if self.buffer_roles[node.place].decoupled:
                    pass
                case _:
                    yield Queue(node)

    def _busiest(self) -> Node:
        return max(self._nodes.values(), key=lambda node: node.utilisation)

    def refuse_overload(self) -> None:
        """Refuse free flows that demand more of a node than its capacity.

        Raises:
            NoSteadyStateError: at the first such node.
        """
        for node in self._nodes.values():
            if isinstance(node.place, Gate) or not any(visit.free for visit in node.visits):
                continue
            if isinstance(node.place, Buffer) and self.buffer_roles[node.place].decoupled:
                continue
            demanded = sum(visit.busy for visit in node.visits if visit.free and visit.exclusive)
            if demanded >= node.servers * (1.0 - 1e-9) and not self._guarded(node):
                raise NoSteadyStateError(
                    f"no steady state: {demanded:.4g} servers' or tokens' time a second is asked of "
                    f"{node.place}, which has {node.servers}; lower the load, or add capacity"
                )

    def _guarded(self, node: Node) -> bool:
        """True if the clients of all free flows at ``node`` wait at a buffer before they fork again."""
        waiting = {visit.chain for role in self.buffer_roles.values() for visit in role.puts}
        return all(visit.chain in waiting for visit in node.visits if visit.free)


def _always_in_use(node: Node) -> bool:
    return isinstance(node.place, Station) and node.utilisation > ALWAYS


def _elasticity(before: float, after: float) -> float:
    """Elasticity of a quantity with respect to the population: equation 5 of docs/dev/analytic.md."""
    return math.log(after / before) / math.log1p(-PERTURBATION) if before > 0.0 and after > 0.0 else 1.0
