"""Places that clients take in different orders: found in the paths, however rare the other order is."""

from __future__ import annotations

import pytest

from sim import Choose, Closed, Delay, Fork, Hold, Lock, Model, Pool, simulate
from sim.engine.model.lock_order import circle
from sim.system import systems
from sim.system.case import Case

A, B, C, OUTER = (Lock(name) for name in ("A", "B", "C", "outer"))
WORK = Delay(1e-3)


def nested(*places):
    """Work inside the last of ``places``, each taken inside the one before."""
    path = (WORK,)
    for place in reversed(places):
        path = (Hold(place if isinstance(place, Pool) else place.exclusive, *path),)
    return path


def model(*paths, clients=3):
    rare = 1e-6 / len(paths)
    first, *others = paths
    options = [(1.0 - rare * len(others), first), *((rare, each) for each in others)]
    return Model([Closed("w", clients=clients, path=[Choose(*options), Delay(1e-4)])])


@pytest.mark.parametrize(
    ("paths", "names"),
    [
        ([nested(A, B), nested(B, A)], ("A", "B")),
        ([nested(A, B), nested(B, C), nested(C, A)], ("A", "B", "C")),
        ([nested(A, B), nested(A, C), nested(B, C)], ()),
        ([nested(OUTER, A, B), nested(OUTER, B, A)], ()),
        ([nested(OUTER, A, B), nested(B, A)], ("A", "B")),
        ([nested(A, B), (Hold(B.exclusive, Fork(nested(A), wait=False)),)], ()),
        ([nested(A, B), (Hold(B.exclusive, Fork(nested(A))),)], ("A", "B")),
    ],
)
def test_cyclic_lock_orders_are_found(paths, names):
    assert circle(model(*paths)) == names


@pytest.mark.parametrize(("clients", "names"), [(3, ("pool", "A")), (2, ())])
def test_cycle_through_a_pool_needs_enough_clients_to_fill_it(clients, names):
    pool = Pool("pool", 2)
    assert circle(model(nested(pool, A), nested(A, pool), clients=clients)) == names


def test_throughput_before_a_deadlock_is_not_called_known():
    result = simulate(model(nested(A, B), nested(B, A)), precision=0.02, answers=("throughput",))
    assert not result.throughput.known
    assert result.warnings[0].startswith(
        "not known well enough: clients wait for 'B' inside 'A', 'A' inside 'B', so that in the end some wait"
    )
    assert simulate(model(nested(A, B), nested(A, B)), precision=0.02, answers=("throughput",)).throughput.known


def test_no_system_has_a_cyclic_lock_order():
    for system in systems().values():
        assert circle(Case.of(system, {}).scenario.model) == (), system.name
