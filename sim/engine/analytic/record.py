"""Building the record of a solved network."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from sim.engine.analytic import closed_forms
from sim.engine.analytic.accuracy import Features, accuracy
from sim.engine.analytic.analysis import Analysis, GroupAnalysis, PlaceAnalysis
from sim.engine.analytic.bounds import Bounds
from sim.engine.analytic.mechanisms import mechanisms
from sim.engine.analytic.network import Network
from sim.engine.analytic.stations import Chain, Node
from sim.engine.analytic.studied import STUDIED
from sim.engine.model.places import Buffer, Gate, Lock, Place
from sim.engine.model.steps import Fork, Hold, iter_steps
from sim.engine.model.symmetry import Symmetry
from sim.engine.result import Bound

EXACT = "exact mean-value analysis (Reiser and Lavenberg, J. ACM 27, 1980)"
CLOSED = "approximate mean-value analysis (Schweitzer 1979; first come first served: Reiser 1979)"
OPEN = "Pollaczek and Khinchine's formula; Erlang's formula C (Lee and Longton 1959)"
SERVERS = "several servers: M/M/c//N and Erlang's formula C, scaled (Lee and Longton 1959)"
HELD = "holds as surrogate delays, by layers (Jacobson and Lazowska 1982; Rolia and Sevcik 1995)"
SHARED = "shared and exclusive holders (Johnson 1995, simplified)"
FORKS = "forks: the greatest of several times (Clark 1961), an upper bound where branches queue together"
STREAMS = "buffers: both sides move the same (Denning and Buzen 1978)"
GATES = "gates: bulk service (Bailey 1954; Chaudhry and Templeton 1983)"
JOBS = "jobs that end: an endless load, without its start and its end"
CACHES = "caches: characteristic time (Che, Tung and Wang 2002; Martina, Garetto and Leonardi 2014)"


def analysis(folded: Symmetry, network: Network, *, exact: bool, elapsed_s: float | None) -> Analysis:
    """The record of a solved network; ``elapsed_s`` is that of jobs, None for an endless load."""
    groups, bounds = dict.fromkeys(chain.workload.group for chain in network.chains), Bounds(folded)
    by_node = {node.place: _place(node, network) for node in network.nodes}
    by_node |= {place: _cache(place, network) for place in network.caches}
    names = () if exact and not elapsed_s else mechanisms(network.chains, network.nodes)
    methods = (EXACT,) if exact else tuple(dict.fromkeys(_methods(network)))
    return Analysis(
        groups={group: _group(bounds.upper(group), group, network, names, exact=exact) for group in groups},
        places={
            place.name: by_node.get(first) or _unused(first) for place, first in folded.representative.items()
        },
        limits={group: tuple(bounds.allowed(group)) for group in groups},
        methods=(*methods, JOBS) if elapsed_s else methods,
        exact=exact and not elapsed_s,
        elapsed_s=elapsed_s,
    )


def _group(bound: Bound, group: str, network: Network, names: Sequence[str], *, exact: bool) -> GroupAnalysis:
    """Figures of ``group``, with their accuracy in a model with the mechanisms ``names``."""
    chains, nodes = network.chains, network.nodes
    of_group = [chain for chain in chains if chain.workload.group == group]
    throughput = sum(chain.throughput * chain.copies for chain in of_group)
    spent = sum(chain.throughput * chain.copies * chain.latency_s for chain in of_group)
    latency_s = spent / throughput if throughput else math.nan
    lower = _lower(of_group[0], nodes) if exact and len(chains) == 1 else 0.0
    features = Features.of(of_group, nodes, bound.throughput)
    stated = accuracy(names, features, STUDIED) if names else None
    return GroupAnalysis(throughput, latency_s, bound, lower, _hit_ratio(of_group, network), stated)


def _hit_ratio(chains: list[Chain], network: Network) -> float | None:
    """Hits per look-up of ``chains`` in any cache; None without look-ups."""
    lookups = [
        (chain.throughput * chain.copies * per_request, hits.ratios[source])
        for hits in network.caches.values()
        for source, users in hits.lookups.items()
        for chain, per_request in users
        if chain in chains
    ]
    total = sum(rate for rate, _ in lookups)
    return sum(rate * ratio for rate, ratio in lookups) / total if total else None


def _lower(chain: Chain, nodes: list[Node]) -> float:
    """Lower bound of the throughput, by balanced jobs."""
    demands = [node.visits[0].work_s for node in nodes]
    queueing_s = sum(node.visits[0].visits * node.visits[0].wait_s for node in nodes)
    think_s = chain.think_s + chain.response_s - sum(demands) - queueing_s
    return closed_forms.balanced_job_bounds(demands, int(chain.clients), max(think_s, 0.0))[0]


def _place(node: Node, network: Network) -> PlaceAnalysis:
    """Figures of each of the identical places of ``node``."""
    visits = sum(each.request_rate * each.visits for each in node.visits)
    busy, queue = node.busy, node.queue
    utilisation = node.utilisation
    gate = network.gates.get(node.place)
    if isinstance(node.place, Buffer) and network.buffer_roles[node.place].decoupled:
        utilisation = math.nan
    elif isinstance(node.place, Gate):
        utilisation = math.nan
        visits = sum(each.request_rate * each.visits for each in gate.awaiting) if gate else 0.0
        queue = sum(each.request_rate * each.visits * each.wait_s for each in gate.awaiting) if gate else 0.0
    elif isinstance(node.place, Lock):
        busy = sum(each.request_rate * each.work_s for each in node.visits if each.exclusive)
    wait_s = queue / visits if visits else 0.0
    inside_s = 0.0 if math.isnan(utilisation) or not visits else busy / visits
    batch = gate.batch if gate else None
    kind = type(node.place).__name__.lower()
    return PlaceAnalysis(kind, visits, utilisation, queue, wait_s + inside_s, wait_s, batch=batch)


def _unused(place: Place) -> PlaceAnalysis:
    """A place on branches that are never taken."""
    return PlaceAnalysis(type(place).__name__.lower(), 0.0, 0.0, 0.0, 0.0, 0.0)


def _cache(place: Place, network: Network) -> PlaceAnalysis:
    hits = network.caches[place]
    rates = {
        source: sum(chain.throughput * chain.copies * per_request for chain, per_request in users)
        for source, users in hits.lookups.items()
    }
    total = sum(rates.values())
    ratio = sum(rate * hits.ratios[source] for source, rate in rates.items()) / total if total else math.nan
    return PlaceAnalysis("cache", total, math.nan, 0.0, 0.0, 0.0, hit_ratio=ratio)


def _methods(network: Network) -> Iterable[str]:
    """The methods by which an approximate answer is computed."""
    if any(not math.isinf(chain.clients) for chain in network.chains):
        yield CLOSED
    if any(each.free for each in network.visits):
        yield OPEN
    if any(node.servers > 1 for node in network.nodes):
        yield SERVERS
    steps = [step for chain in network.chains for step in iter_steps(chain.workload.path)]
    if any(isinstance(step, Hold) for step in steps):
        yield HELD
    if any(not each.exclusive for each in network.visits):
        yield SHARED
    if any(isinstance(step, Fork) and step.wait for step in steps):
        yield FORKS
    if network.buffer_roles:
        yield STREAMS
    if network.gates:
        yield GATES
    if network.caches:
        yield CACHES
