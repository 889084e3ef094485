"""Shared by tests of the analytic engine: a disk, answers of a whole model, chains and visits made by hand."""

from __future__ import annotations

import math

import numpy as np

from sim import Closed, Delay, Model, Open, Poisson, Station
from sim.engine.analytic.network import Network
from sim.engine.analytic.solve import solve
from sim.engine.analytic.stations import Chain, Flow, Node, Visit
from sim.engine.model.symmetry import symmetry

MS = 1e-3
DISK, LINK = Station("disk"), Station("link")


def only(*workloads):
    """The answer for the group of the first of them."""
    return solve(Model(workloads)).groups[workloads[0].group]


def network(*workloads):
    """The network that they make, before anything is sought."""
    return Network(symmetry(Model(workloads)), {})


def at(made, name):
    """The visits to a place of a network, by its name."""
    (found,) = [node.visits for node in made.nodes if node.place.name == name]
    return found


def closed(clients=1, *, copies=1, throughput=0.0, response_s=0.0, name="all", **more):
    """A chain of closed clients, of whose path nothing is known yet."""
    workload = Closed(name, clients=clients, path=Delay(MS), **more)
    return Chain(workload, copies, throughput, response_s)


def arriving(rate, *, copies=1, response_s=0.0):
    """A chain of open arrivals."""
    return Chain(Open("open", arrivals=Poisson(rate), path=Delay(MS)), copies, rate, response_s)


def node(place=DISK, *, copies=1, servers=1):
    return Node(place, copies, servers)


def visit(where, chain, *, most=None, fan_out=1, flow=None, **more):
    """A visit of ``chain`` at the node ``where``; by default one a walk."""
    flow = flow or Flow(chain, free=math.isinf(chain.clients))
    count = {"visits": 1.0, "sequential_visits": 1.0} | more
    made = Visit(where, flow, chain.clients if most is None else most, fan_out, **count)
    made.row = len(where.visits)
    where.visits.append(made)
    return made


def steady_rates(rates):
    """Probabilities of the states of a Markov chain, from the rate of each change (from, to)."""
    states = sorted({state for change in rates for state in change})
    flows = np.zeros((len(states), len(states)))
    for (one, other), rate in rates.items():
        flows[states.index(one), states.index(other)] += rate
    return dict(zip(states, steady(flows), strict=True))


def steady(rates):
    """Probabilities of the states of a Markov chain, from a matrix of its rates."""
    flows = rates - np.diag(rates.sum(axis=1))
    return np.linalg.lstsq(
        np.vstack([flows.T, np.ones(len(rates))]), np.append(np.zeros(len(rates)), 1.0), rcond=None
    )[0]
