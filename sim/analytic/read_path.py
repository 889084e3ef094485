"""From a path to a term: every step becomes a few numbers, and what it asks is counted at its node."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from sim.analytic import terms
from sim.analytic.buffers import Stock
from sim.analytic.caches import Hits
from sim.analytic.gates import Batches
from sim.analytic.moments import Term
from sim.analytic.stations import Chain, Node, Strand, Visit
from sim.errors import ModelError
from sim.model.demands import least_time_s
from sim.model.distributions import PerItem, Time, variance
from sim.model.places import Buffer, Gate, Place, Pool
from sim.model.steps import (
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
class Here:
    """Where on a path a step stands.

    Attributes:
        weight: how often it is taken in a walk.
        most: clients that the holds around let come here at a time.
        abreast: how many alike branches of one walker stand here.
        gate: whose batch is in hand.
        apart: places that only one of so many alike branches abreast uses.
        around: the visits of the holds around it.
    """

    strand: Strand
    weight: float
    most: float
    abreast: int = 1
    apart: tuple[tuple[frozenset[Place], int], ...] = ()
    gate: Batches | None = None
    around: tuple[Visit, ...] = ()


@dataclass(eq=False)
class Nodes:
    """All nodes of a model by what each place is, and how many places a workload may turn to."""

    node_of: Callable[[Place], Node]
    spread: Callable[[Chain, Node], int]
    alike: Callable[[Path], object]
    caches: dict[Place, Hits]
    gates: dict[Place, Batches]
    stocks: dict[Place, Stock]


@dataclass(eq=False)
class Reader:
    """Reads the path of one chain."""

    chain: Chain
    nodes: Nodes

    def path(self) -> Term:
        """The term of the whole path."""
        strand = Strand(self.chain, free=math.isinf(self.chain.clients))
        return self.series(self.chain.workload.path, Here(strand, 1.0, self.chain.clients))

    def series(self, steps: Sequence[Step], here: Here) -> Term:
        """The term of steps that follow one another."""
        found: list[Term] = []
        at = 0
        while at < len(steps):
            step = steps[at]
            end = self._partner(steps, at)
            if end is None:
                found.append(self._step(step, here))
                at += 1
            else:
                found.append(self._span(step, steps[at + 1 : end], here))
                if isinstance(step, Gather):
                    here = replace(here, gate=self.nodes.gates[self._place(step.gate)])
                at = end + 1
        return found[0] if len(found) == 1 else terms.Series(found)

    def _partner(self, steps: Sequence[Step], at: int) -> int | None:
        """Where the span that begins here ends: a gather's wake, or what undoes a put or take at once."""
        step = steps[at]
        if isinstance(step, Gather):
            for end in range(at + 1, len(steps)):
                if steps[end] == Wake(step.gate):
                    return end
            raise self._refused(f"gathers {step.gate} and wakes it inside a hold")
        if isinstance(step, Put | Take) and not self._stock(step.buffer).streams:
            other = Take if isinstance(step, Put) else Put
            for end in range(at + 1, len(steps)):
                if steps[end] == other(step.buffer, step.amount):
                    return end
        return None

    def _span(self, first: Step, inside: Sequence[Step], here: Here) -> Term:
        if isinstance(first, Gather):
            gate = self._gate(first.gate)
            visit = self._visit(first.gate, here, apart=True)
            visit.varies = True
            gate.gathering.append(visit)
            return terms.Held(visit, here.weight, self.series(inside, replace(here, gate=gate)))
        if not isinstance(first, Put | Take):
            raise TypeError(first)
        stock = self._stock(first.buffer)
        tokens = stock.tokens
        if first.amount > tokens:
            raise self._refused(f"changes {first.buffer} in a way the analytic engine cannot follow")
        return self._held(first.buffer, first.amount, tokens, tuple(inside), here)

    def _held(self, place: Place, tokens: int, most: int, inside: Path, here: Here, *, alone: bool = True) -> Term:
        visit = self._visit(place, here, alone=alone)
        visit.varies = True
        within = replace(
            here, most=min(here.most, most // tokens) if alone else here.most, around=(*here.around, visit)
        )
        # Counted in holders: as many as fit beside each other if all take as many tokens as the greediest.
        visit.node.servers = min(visit.node.servers, most // tokens)
        return terms.Held(visit, here.weight, self.series(inside, within))

    def _step(self, step: Step, here: Here) -> Term:
        match step:
            case Use():
                return self._served(step, here)
            case Delay():
                return terms.Fixed(*self._moments(step.time, here))
            case Hold():
                most = step.held.tokens if isinstance(step.held, Pool) else 1
                alone = step.exclusive or isinstance(step.held, Pool)
                return self._held(step.held, step.tokens, most, step.steps, here, alone=alone)
            case Repeat():
                inside = replace(here, weight=here.weight * step.times)
                return terms.Repeated(step.times, self.series(step.steps, inside))
            case Choose():
                return self._mixture(step, here)
            case Lookup():
                return self._cached(step, here)
            case Fork():
                return self._fork(step, here)
        return self._meeting(step, here)

    def _meeting(self, step: Step, here: Here) -> Term:
        """A step that waits for a partner."""
        match step:
            case Put() | Take():
                return self._level(step, here)
            case Await():
                visit = self._visit(step.gate, here, apart=True)
                self._gate(step.gate).awaiting.append(visit)
                return terms.Met(visit)
            case Wake():
                raise self._refused(f"wakes {step.gate} elsewhere than it gathers it")
        raise self._refused(f"has a {type(step).__name__} step '{getattr(step, 'name', '')}'")

    def _served(self, step: Use, here: Here) -> Term:
        visit = self._visit(step.station, here)
        time = step.time
        if isinstance(time, PerItem) and here.gate and time.each:
            visit.varies, fixed = True, time.fixed
            return terms.PerBatch(visit, here.weight, fixed.mean, variance(fixed), time.each, here.gate)
        mean_s, spread = self._moments(time, here)
        visit.add(here.weight, mean_s, mean_s * mean_s + spread)
        return terms.Served(visit, mean_s, spread)

    def _moments(self, time: Time, here: Here) -> tuple[float, float]:
        """Mean and variance; a batch in hand outside a station counts as one of the mean size when reading."""
        if isinstance(time, PerItem):
            if here.gate and time.each:
                raise self._refused(f"has a delay that depends on the batch of {here.gate.place}")
            return time.fixed.mean, variance(time.fixed)
        return time.mean, variance(time)

    def _mixture(self, step: Choose, here: Here) -> Term:
        """Options that nothing but names of places tells apart are one."""
        shares: dict[object, float] = {}
        paths: dict[object, Path] = {}
        for share, path in step.options:
            key = self.nodes.alike(path)
            shares[key] = shares.get(key, 0.0) + share
            paths.setdefault(key, path)
        return terms.Mixture(
            [
                (share, self.series(paths[key], replace(here, weight=here.weight * share)))
                for key, share in shares.items()
                if share
            ]
        )

    def _cached(self, step: Lookup, here: Here) -> Term:
        hits = self.nodes.caches.setdefault(self._place(step.cache), Hits(step.cache))
        hits.lookups.setdefault(step.addresses, []).append((self.chain, here.weight))
        share = hits.ratio(step.addresses)
        options = [(chance, path) for chance, path in ((share, step.hit), (1.0 - share, step.miss)) if chance]
        return terms.Mixture(
            [(chance, self.series(path, replace(here, weight=here.weight * chance))) for chance, path in options]
        )

    def _fork(self, step: Fork, here: Here) -> Term:
        """Branches that nothing but names of places tells apart are one, so many times."""
        free = here.strand.free or not step.wait
        keys = list(map(self.nodes.alike, step.branches))
        counts, paths = Counter(keys), dict(zip(keys, step.branches, strict=True))
        branches = [
            (counts[key], self.series(paths[key], self._branch(here, free=free, apart=apart)))
            for key, apart in _apart(keys, step.branches).items()
        ]
        if step.wait:
            return terms.Joined(branches)
        for path in step.branches:
            self._leave(path)
        return terms.LeftBehind([term for _, term in branches])

    def _leave(self, path: Path) -> None:
        """Note how long a branch left behind needs until it takes back what was put."""
        for at, step in enumerate(path):
            if isinstance(step, Take) and not self._stock(step.buffer).streams:
                stock = self._stock(step.buffer)
                stock.behind_s = max(stock.behind_s, least_time_s(path[:at]))

    def _branch(self, here: Here, *, free: bool, apart: tuple[frozenset[Place], int]) -> Here:
        count = apart[1]
        return replace(
            here,
            strand=Strand(self.chain, free=free),
            apart=(*here.apart, apart),
            weight=here.weight * count,
            most=here.most * count,
            abreast=here.abreast * count,
        )

    def _level(self, step: Put | Take, here: Here) -> Term:
        behind = here.strand.free and not math.isinf(self.chain.clients)
        if not self._stock(step.buffer).streams and behind != isinstance(step, Take):
            raise self._refused(f"changes {step.buffer} in an order that does not undo itself")
        visit = self._visit(step.buffer, here, apart=True)
        visit.work_s = here.weight * step.amount
        self._stock(step.buffer).add(visit, put=isinstance(step, Put))
        return terms.Met(visit)

    def _visit(self, place: Place, here: Here, *, apart: bool = False, alone: bool = True) -> Visit:
        """The visit through which ``here`` waits for ``place``; one for all in the same mode, unless ``apart``."""
        node = self.nodes.node_of(place)
        most = here.most / math.prod(count for places, count in here.apart if place in places)
        for each in () if apart else node.visits:
            alike = each.strand is here.strand and each.most == most and each.exclusive == alone
            if alike and not isinstance(place, Gate | Buffer):
                each.visits += here.weight
                return each
        visit = Visit(node, here.strand, most, self.nodes.spread(self.chain, node), here.weight, here.abreast)
        visit.around, visit.exclusive = here.around, alone
        node.visits.append(visit)
        return visit

    def _place(self, place: Place) -> Place:
        return self.nodes.node_of(place).place

    def _gate(self, gate: Gate) -> Batches:
        return self.nodes.gates.setdefault(self._place(gate), Batches(gate))

    def _stock(self, buffer: Buffer) -> Stock:
        return self.nodes.stocks[self._place(buffer)]

    def _refused(self, what: str) -> ModelError:
        return ModelError(f"{self.chain.workload} {what}, which the analytic engine cannot solve; simulate it")


def _apart(keys: Sequence[object], branches: Sequence[Path]) -> dict[object, tuple[frozenset[Place], int]]:
    """Of branches with the same key: the places that only the last of them uses, and how many they are."""
    users: dict[object, Counter[Place]] = {}
    for key, branch in zip(keys, branches, strict=True):
        users.setdefault(key, Counter()).update(places_of(branch))
    last, counts = dict(zip(keys, branches, strict=True)), Counter(keys)
    return {
        key: (frozenset(place for place in places_of(last[key]) if used[place] == 1), counts[key])
        for key, used in users.items()
    }
