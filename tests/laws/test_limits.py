"""Stated limits hold: with the load and every other place raised, no bound is ever exceeded."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from random import Random

import pytest

from loaded import WATCHED, More, loaded
from sim import Choose, Closed, Delay, Exponential, Hold, Lock, Model, simulate
from sim.engine.errors import NoSteadyStateError, StacksimError
from sim.engine.model.uses import uses
from sim.engine.simulation.allowances import allowed
from sim.engine.simulation.limits import limit_of
from sim.system import find, systems
from sim.system.case import Case

FEW = range(10_000, 10_012)
MANY = range(10_000, 12_000)

EXCEEDED = 1.02
"""A bound holds within so much, of which the interval of a run may be a part."""

USELESS = 1.02
"""Twice the clients get less than so many times as much, where more load changes nothing."""

USEFUL = 1.15
"""Twice the clients get more than so many times as much: then no place was what limited."""


def run(model, precision):
    return simulate(model, precision=precision, watch=WATCHED, max_steps=3_000_000)


def bounds(model, group=WATCHED):
    """Throughput that places allow, independently of counts of a run."""
    return allowed(model, group, 0.0)


def exceeded(seed, model):
    """The bounds that are exceeded with eight times the clients, and of every other place."""
    for bound in bounds(model)[:3]:
        try:
            raised = run(loaded(seed, More(8, 8, bound.place)), 0.02)
        except StacksimError:  # such as no completion in the steps that are allowed
            continue
        if raised.throughput.low > EXCEEDED * bound.throughput:
            yield bound


def gain(seed, model, result):
    """Gain of twice the clients; None where places come with the clients."""
    known = uses(model)
    if any(known.holding[place].free for place in known.all[WATCHED] if place in known.holding):
        return None
    try:
        return run(loaded(seed, More(2)), 0.01).throughput.value / result.throughput.value
    except StacksimError:
        return None


def broken(seeds):
    """Number of models that break each law, and of all."""
    found = Counter()
    for seed in seeds:
        try:
            model = loaded(seed)
            result = run(model, 0.01)
        except StacksimError:
            continue
        if not result.throughput.known:
            continue
        found["bounds"] += len(bounds(model)[:3])
        found["exceeded"] += len(list(exceeded(seed, model)))
        kind, more = limit_of(model, result).kind, gain(seed, model, result)
        if more is not None:
            found[kind] += 1
            found["useless path"] += kind == "path" and more < USELESS
            found["useful place"] += kind == "place" and more > USEFUL and "others" not in result.groups
    return found


def test_bounds_and_judgements_of_a_few_random_models():
    found = broken(FEW)
    assert (found["exceeded"], found["useless path"], found["useful place"]) == (0, 0, 0)
    assert min(found["bounds"], found["path"], found["place"]) >= 2


@pytest.mark.slow
def test_bounds_and_judgements_of_two_thousand_random_models():
    found = broken(MANY)
    assert found["exceeded"] == 0, found
    assert found["useless path"] <= 0.01 * found["path"], found
    assert found["useful place"] <= 0.01 * found["place"], found


def at_a_lock(seed, times=1):
    """A lock that some share: so many ``times`` the clients read or write, or read while others write."""
    chance = Random(seed)  # noqa: S311
    lock, clients = Lock("lock"), chance.choice((1, 2, 4, 8, 16, 32, 64, 200))

    def held(mode):
        mean = chance.choice((10e-6, 20e-6, 50e-6, 100e-6, 300e-6))
        return Hold(mode, Delay(Exponential(mean) if chance.random() < 0.6 else mean))

    def load(name, count, path):
        think = Exponential(chance.choice((20e-6, 100e-6, 1e-3))) if chance.random() < 0.6 else None
        return Closed(name, count, (path, Delay(1e-6)), think=think)

    read, write, share = held(lock.shared), held(lock.exclusive), chance.choice((0.3, 0.5, 0.7, 0.9, 0.97))
    if chance.random() < 0.5:
        return Model([load(WATCHED, times * clients, Choose((share, read), (1.0 - share, write)))])
    return Model([load(WATCHED, times * clients, read), load("others", chance.choice((1, 2, 4, 8)), write)])


def broken_at_locks(seeds):
    found = Counter()
    for seed in seeds:
        once, twice = (run(at_a_lock(seed, times), 0.01) for times in (1, 2))
        kind, more = limit_of(at_a_lock(seed), once).kind, twice.throughput.value / once.throughput.value
        found[kind] += 1
        found["useless path"] += kind == "path" and more < USELESS
        found["useful place"] += kind == "place" and more > USEFUL
    return found


def test_judgements_of_a_few_random_locks_that_some_share():
    found = broken_at_locks(range(10_000, 10_020))
    assert (found["useless path"], found["useful place"]) == (0, 0), found
    assert min(found["path"], found["place"]) >= 4


@pytest.mark.slow
def test_judgements_of_a_thousand_random_locks_that_some_share():
    found = broken_at_locks(range(10_000, 11_000))
    assert found["useless path"] <= 0.03 * found["path"], found
    assert found["useful place"] <= 0.03 * found["place"], found


LONG = {"array", "zfs-ufs", "cubefs", "dbfs-files", "dbfs-load", "exadata-ctas"}
"""Seconds to minutes of simulation."""


def under_load(scenario, times):
    """The model of ``scenario`` with so many times the clients of the watched group."""
    return Model(
        [
            replace(each, clients=times * each.clients) if isinstance(each, Closed) and watched else each
            for each in scenario.model.workloads
            for watched in [each.group == scenario.watch]
        ]
    )


def holds(name):
    scenario = Case.of(find(name), {}).scenario
    model = under_load(scenario, 4)
    try:
        more = simulate(model, precision=0.02, watch=scenario.watch, max_steps=2_000_000)
    except NoSteadyStateError:
        if not model.finite:
            raise
        pytest.skip("a job of more steps than that")
    for bound in bounds(model, scenario.watch):
        assert more.throughput.low <= EXCEEDED * bound.throughput, bound


@pytest.mark.parametrize("name", sorted(systems().keys() - LONG))
def test_four_times_the_load_of_a_system_exceeds_no_bound(name):
    holds(name)


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(LONG))
def test_four_times_the_load_of_a_long_system_exceeds_no_bound(name):
    holds(name)
