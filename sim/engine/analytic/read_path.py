"""Conversion of a path to a term: every step becomes a few numbers, and its demand is added to a visit."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from sim.engine.analytic import terms
from sim.engine.analytic.buffers import BufferRole
from sim.engine.analytic.caches import Hits
from sim.engine.analytic.gates import Batches
from sim.engine.analytic.moments import Term
from sim.engine.analytic.stations import Chain, Flow, Node, Visit
from sim.engine.errors import ModelError
from sim.engine.model.demands import min_time_s
from sim.engine.model.distributions import PerItem, Time, variance
from sim.engine.model.places import Buffer, Gate, Place, Pool
from sim.engine.model.steps import (
    Await,
    Choose,
    Delay,
    Fork,
    Gather,
    Hold,
    Lookup,
    Path,
    Put,
    Repeat,
    Step,
    Take,
    Use,
    Wake,
    places_of,
)


@dataclass(frozen=True)
class StepContext:
    """Context of a step on its path.

    Attributes:
        weight: number of times it is taken per request.
        most: processes of the flow that the holds around it admit here at a time.
        parallelism: identical branches of one request that take it together.
        private: for each fork around it, the places that only one of the identical branches uses, and the
            number of these branches.
        gate: the gate whose gathered batch is being served.
        holds: the visits of the holds around it, outermost first.
    """

    flow: Flow
    weight: float
    most: float
    parallelism: int = 1
    private: tuple[tuple[frozenset[Place], int], ...] = ()
    gate: Batches | None = None
    holds: tuple[Visit, ...] = ()


@dataclass(eq=False)
class Nodes:
    """Access to the model for reading a path.

    Attributes:
        node_of: the node of each place.
        fan_out: number of a node's identical places that one workload of a chain uses.
        shape: a value that is equal for identical paths.
        caches: hit ratios of every cache.
        gates: batches of every gate.
        buffer_roles: role of every buffer.
    """

    node_of: Callable[[Place], Node]
    fan_out: Callable[[Chain, Node], int]
    shape: Callable[[Path], object]
    caches: dict[Place, Hits]
    gates: dict[Place, Batches]
    buffer_roles: dict[Place, BufferRole]


@dataclass(eq=False)
class Reader:
    """Reader of the path of one chain, which adds its visits to the nodes."""

    chain: Chain
    nodes: Nodes

    def path(self) -> Term:
        """The term of the whole path; the steps before the request are a term of their own."""
        flow, path = Flow(self.chain, free=math.isinf(self.chain.clients)), self.chain.workload.path
        context, begins = StepContext(flow, 1.0, self.chain.clients), getattr(self.chain.workload, "begins", 0)
        if not begins:
            return self.series(path, context)
        self.chain.before = self.series(path[:begins], context)
        return terms.Series([self.chain.before, self.series(path[begins:], context)])

    def series(self, steps: Sequence[Step], context: StepContext) -> Term:
        """The term of steps in sequence."""
        parts: list[Term] = []
        at = 0
        while at < len(steps):
            step = steps[at]
            end = self._partner(steps, at)
            if end is None:
                parts.append(self._step(step, context))
                at += 1
            else:
                parts.append(self._span(step, steps[at + 1 : end], context))
                if isinstance(step, Gather):
                    context = replace(context, gate=self.nodes.gates[self._place(step.gate)])
                at = end + 1
        return parts[0] if len(parts) == 1 else terms.Series(parts)

    def _partner(self, steps: Sequence[Step], at: int) -> int | None:
        """Index of the partner of the step: a gather's wake, or the take that undoes a put; None if none."""
        step = steps[at]
        if isinstance(step, Gather):
            for end in range(at + 1, len(steps)):
                if steps[end] == Wake(step.gate):
                    return end
            raise self._refused(f"gathers {step.gate} and wakes it inside a hold")
        if isinstance(step, Put | Take) and not self._role(step.buffer).two_sided:
            other = Take if isinstance(step, Put) else Put
            for end in range(at + 1, len(steps)):
                if steps[end] == other(step.buffer, step.amount):
                    return end
        return None

    def _span(self, first: Step, inside: Sequence[Step], context: StepContext) -> Term:
        """The term from ``first`` to its partner: a gathered batch, or an amount held of a buffer."""
        if isinstance(first, Gather):
            gate = self._gate(first.gate)
            visit = self._visit(first.gate, context, separate=True)
            visit.depends_on_waits = True
            gate.gathering.append(visit)
            return terms.Held(visit, context.weight, self.series(inside, replace(context, gate=gate)))
        if not isinstance(first, Put | Take):
            raise TypeError(first)
        role = self._role(first.buffer)
        tokens = role.tokens
        if first.amount > tokens:
            raise self._refused(f"changes {first.buffer} in a way the analytic engine cannot follow")
        return self._held(first.buffer, first.amount, tokens, tuple(inside), context)

    def _held(
        self, place: Place, tokens: int, most: int, inside: Path, context: StepContext, *, exclusive: bool = True
    ) -> Term:
        """The term of steps ``inside`` a hold of ``tokens`` out of ``most``."""
        visit = self._visit(place, context, exclusive=exclusive)
        visit.depends_on_waits = True
        within = replace(
            context,
            most=min(context.most, most // tokens) if exclusive else context.most,
            holds=(*context.holds, visit),
        )
        # Servers are holders: as many as fit if each takes as many tokens as the largest holder.
        visit.node.servers = min(visit.node.servers, most // tokens)
        return terms.Held(visit, context.weight, self.series(inside, within))

    def _step(self, step: Step, context: StepContext) -> Term:
        match step:
            case Use():
                return self._served(step, context)
            case Delay():
                return terms.Fixed(*self._moments(step.time, context))
            case Hold():
                most = step.held.tokens if isinstance(step.held, Pool) else 1
                exclusive = step.exclusive or isinstance(step.held, Pool)
                return self._held(step.held, step.tokens, most, step.steps, context, exclusive=exclusive)
            case Repeat():
                inside = replace(context, weight=context.weight * step.times)
                return terms.Repeated(step.times, self.series(step.steps, inside))
            case Choose():
                return self._mixture(step, context)
            case Lookup():
                return self._cached(step, context)
            case Fork():
                return self._fork(step, context)
        return self._meeting(step, context)

    def _meeting(self, step: Step, context: StepContext) -> Term:
        """The term of a step that waits for other clients."""
        match step:
            case Put() | Take():
                return self._level(step, context)
            case Await():
                visit = self._visit(step.gate, context, separate=True)
                self._gate(step.gate).awaiting.append(visit)
                return terms.Met(visit)
            case Wake():
                raise self._refused(f"wakes {step.gate} elsewhere than it gathers it")
        raise self._refused(f"has a {type(step).__name__} step '{getattr(step, 'name', '')}'")

    def _served(self, step: Use, context: StepContext) -> Term:
        """The term of a service; its demand is added to the visit."""
        visit = self._visit(step.station, context)
        time = step.time
        if isinstance(time, PerItem) and context.gate and time.each:
            visit.depends_on_waits, fixed = True, time.fixed
            return terms.PerBatch(visit, context.weight, fixed.mean, variance(fixed), time.each, context.gate)
        mean_s, variance_s2 = self._moments(time, context)
        visit.add(context.weight, mean_s, mean_s * mean_s + variance_s2)
        return terms.Served(visit, mean_s, variance_s2)

    def _moments(self, time: Time, context: StepContext) -> tuple[float, float]:
        """Mean and variance of a time that does not depend on the gathered batch."""
        if isinstance(time, PerItem):
            if context.gate and time.each:
                raise self._refused(f"has a delay that depends on the batch of {context.gate.place}")
            return time.fixed.mean, variance(time.fixed)
        return time.mean, variance(time)

    def _mixture(self, step: Choose, context: StepContext) -> Term:
        """The term of a choice; identical options count as one."""
        shares: dict[object, float] = {}
        paths: dict[object, Path] = {}
        for share, path in step.options:
            key = self.nodes.shape(path)
            shares[key] = shares.get(key, 0.0) + share
            paths.setdefault(key, path)
        return terms.Mixture(
            [
                (share, self.series(paths[key], replace(context, weight=context.weight * share)))
                for key, share in shares.items()
                if share
            ]
        )

    def _cached(self, step: Lookup, context: StepContext) -> Term:
        """The term of a look-up: hit and miss by the hit ratio of its addresses."""
        hits = self.nodes.caches.setdefault(self._place(step.cache), Hits(step.cache))
        hits.lookups.setdefault(step.addresses, []).append((self.chain, context.weight))
        share = hits.ratio(step.addresses)
        options = [(chance, path) for chance, path in ((share, step.hit), (1.0 - share, step.miss)) if chance]
        return terms.Mixture(
            [
                (chance, self.series(path, replace(context, weight=context.weight * chance)))
                for chance, path in options
            ]
        )

    def _fork(self, step: Fork, context: StepContext) -> Term:
        """The term of a fork; identical branches count as one, with their number."""
        free = context.flow.free or not step.wait
        keys = list(map(self.nodes.shape, step.branches))
        counts, paths = Counter(keys), dict(zip(keys, step.branches, strict=True))
        branches = [
            (counts[key], self.series(paths[key], self._branch(context, free=free, private=private)))
            for key, private in _private_places(keys, step.branches).items()
        ]
        if step.wait:
            return terms.Joined(branches)
        for path in step.branches:
            self._leave(path)
        return terms.LeftBehind([term for _, term in branches])

    def _leave(self, path: Path) -> None:
        """Record the least time until a branch left behind takes back what was put."""
        for at, step in enumerate(path):
            if isinstance(step, Take) and not self._role(step.buffer).two_sided:
                role = self._role(step.buffer)
                role.release_s = max(role.release_s, min_time_s(path[:at]))

    def _branch(self, context: StepContext, *, free: bool, private: tuple[frozenset[Place], int]) -> StepContext:
        """The context of the steps of identical branches, with the places private to each of them."""
        count = private[1]
        return replace(
            context,
            flow=Flow(self.chain, free=free),
            private=(*context.private, private),
            weight=context.weight * count,
            most=context.most * count,
            parallelism=context.parallelism * count,
        )

    def _level(self, step: Put | Take, context: StepContext) -> Term:
        """The term of a put or take at a decoupled buffer."""
        left_behind = context.flow.free and not math.isinf(self.chain.clients)
        if not self._role(step.buffer).two_sided and left_behind != isinstance(step, Take):
            raise self._refused(f"changes {step.buffer} in an order that does not undo itself")
        visit = self._visit(step.buffer, context, separate=True)
        visit.work_s = context.weight * step.amount
        self._role(step.buffer).add(visit, put=isinstance(step, Put))
        return terms.Met(visit)

    def _visit(
        self, place: Place, context: StepContext, *, separate: bool = False, exclusive: bool = True
    ) -> Visit:
        """The visit through which a step in ``context`` waits for ``place``.

        All steps of a flow in the same mode share one, unless ``separate``.
        """
        node = self.nodes.node_of(place)
        most = context.most / math.prod(count for places, count in context.private if place in places)
        for known in () if separate else node.visits:
            same_mode = known.flow is context.flow and known.most == most and known.exclusive == exclusive
            if same_mode and not isinstance(place, Gate | Buffer):
                known.visits += context.weight
                return known
        visit = Visit(
            node, context.flow, most, self.nodes.fan_out(self.chain, node), context.weight, context.parallelism
        )
        visit.holds, visit.exclusive = context.holds, exclusive
        node.visits.append(visit)
        return visit

    def _place(self, place: Place) -> Place:
        return self.nodes.node_of(place).place

    def _gate(self, gate: Gate) -> Batches:
        return self.nodes.gates.setdefault(self._place(gate), Batches(gate))

    def _role(self, buffer: Buffer) -> BufferRole:
        return self.nodes.buffer_roles[self._place(buffer)]

    def _refused(self, what: str) -> ModelError:
        return ModelError(f"{self.chain.workload} {what}, which the analytic engine cannot solve; simulate it")


def _private_places(
    keys: Sequence[object], branches: Sequence[Path]
) -> dict[object, tuple[frozenset[Place], int]]:
    """For each kind of identical branches: the places that only one of them uses, and their number."""
    users: dict[object, Counter[Place]] = {}
    for key, branch in zip(keys, branches, strict=True):
        users.setdefault(key, Counter()).update(places_of(branch))
    last, counts = dict(zip(keys, branches, strict=True)), Counter(keys)
    return {
        key: (frozenset(place for place in places_of(last[key]) if used[place] == 1), counts[key])
        for key, used in users.items()
    }
