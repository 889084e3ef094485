"""Code that many paths have in common is there once, and means the same as code of their own."""

from __future__ import annotations

import numpy as np
import pytest

from sim import (
    Await,
    Buffer,
    Choose,
    Closed,
    Constant,
    Delay,
    Exponential,
    Fork,
    Gate,
    Gather,
    Hold,
    Lock,
    Model,
    PerItem,
    Pool,
    Put,
    Repeat,
    Station,
    Take,
    Use,
    Wake,
)
from sim.engine.events.compiled import CompiledEngine, lowering
from sim.engine.events.compiled.shared_code import SharedCode
from sim.engine.events.compiled.templates import Templates
from sim.engine.events.reference import ReferenceEngine
from sim.engine.events.trace import Trace

US = 1e-6


@pytest.fixture(autouse=True)
def nothing_kept(monkeypatch):
    monkeypatch.setattr(lowering, "KEPT", Templates())


def cell(number):
    """A cell's part of a write: into its cache, and later onto its disks."""
    cache = Buffer(f"cache {number}", 3)
    disks = (Use(Station(f"disks {number}"), Constant(4 * US)), Take(cache, 1))
    return (Delay(1 * US), Put(cache, 1), Fork(disks, wait=False))


def any_two_of(cells):
    """Each option sends a branch to two neighbours; all cells are a branch of two options."""
    share = 1.0 / len(cells)
    pairs = zip(cells, [*cells[1:], cells[0]], strict=True)
    return Choose(*((share, (Fork(*pair),)) for pair in pairs))


def cluster(users, cells, *more):
    """``users`` who reach all of so many cells, each on a path of its own with all of them at its end."""
    shared = any_two_of([cell(number) for number in range(cells)])
    return Model(
        Closed(
            f"user {user}",
            clients=2,
            path=[Hold(Pool(f"session {user}"), Use(Station(f"cpu {user}"), Exponential(US)), shared, *more)],
        )
        for user in range(users)
    )


def agree(model, until_ns=200_000):
    """Compare completions, counters and traces of both engines."""
    traces = [Trace(), Trace()]
    engines = [
        engine(model, 1, record=True, trace=trace)
        for engine, trace in zip((ReferenceEngine, CompiledEngine), traces, strict=True)
    ]
    for engine in engines:
        engine.advance(until_ns)
        engine.look()
    one, other = engines
    assert other.completions == one.completions
    assert np.array_equal(other.snapshot().places, one.snapshot().places)
    assert [str(span) for span in traces[1].requests] == [str(span) for span in traces[0].requests]
    assert len(one.completions) > 50


def code_cells(model):
    return lowering.lower(model, 1).code_cells


def test_code_grows_with_users_and_cells_and_not_with_their_product():
    def grown(cells):
        return code_cells(cluster(20, cells)) - code_cells(cluster(10, cells))

    assert grown(64) == grown(8) > 0


def striped(users, cells):
    """``users`` who read from all of so many cells at once."""
    pieces = [cell(number) for number in range(cells)]
    return Model(Closed(f"user {user}", clients=2, path=[Fork(*pieces), Delay(US)]) for user in range(users))


def test_branches_that_several_forks_have_are_there_once():
    def grown(cells):
        return code_cells(striped(20, cells)) - code_cells(striped(10, cells))

    assert grown(64) == grown(8) > 0
    agree(striped(3, 20))


@pytest.mark.parametrize(("users", "cells"), [(1, 5), (4, 2), (4, 5), (3, 40)])
def test_engines_agree_with_and_without_shared_code(users, cells):
    agree(cluster(users, cells))


def test_return_addresses_survive_interleaved_clients():
    """A client that holds something, loops, or gathers a batch before shared options still has it behind them."""
    gate, lock = Gate("gate"), Lock("lock")
    shared = any_two_of([cell(number) for number in range(5)])
    looping = [Repeat(3, Hold(lock.shared, shared), Delay(Exponential(US))), shared]
    batching = [Gather(gate), shared, Use(Station("log"), PerItem(US, US)), Wake(gate)]
    agree(
        Model(
            [
                Closed("looping", clients=3, path=looping),
                Closed("batching", clients=1, path=batching),
                Closed("waiting", clients=3, path=[Await(gate)]),
                Closed("exclusive", clients=1, path=[Hold(lock.exclusive, Fork([shared], [shared]))]),
            ]
        )
    )


def test_options_with_holds_gates_and_nested_forks():
    gate, lock = Gate("gate"), Lock("lock")
    options = [
        (0.25, Hold(lock.exclusive, Delay(US))),
        (0.25, Hold(lock.shared, Fork([Delay(US)], [Use(Station("s"), US)], needed=1))),
        (0.25, Await(gate)),
        (0.25, ()),
    ]
    shared = Choose(*options)
    users = [Closed(f"user {user}", clients=3, path=[shared, Delay(Exponential(US))]) for user in range(3)]
    keeper = Closed("keeper", clients=1, path=[Delay(2 * US), Gather(gate), Wake(gate)])
    assert SharedCode(Model([*users, keeper])).has(shared)
    agree(Model([*users, keeper]))


def four(*steps):
    return Choose((0.25, steps), (0.25, Delay(US)), (0.25, Delay(2 * US)), (0.25, ()))


@pytest.mark.parametrize(
    "own",
    [
        four(Delay(Exponential(US))),
        four(Choose((0.5, Delay(US)), (0.5, ()))),
        four(Repeat(2, Delay(US))),
        four(Fork([Delay(PerItem(Exponential(US), US))])),
    ],
)
def test_steps_with_their_own_draws_or_counters_are_not_shared(own):
    users = [Closed(f"user {user}", clients=3, path=[own, Delay(Exponential(US))]) for user in range(3)]
    assert not SharedCode(Model(users)).has(own)
    agree(Model(users))


@pytest.mark.parametrize("options", [2, 16, 17, 18, 40, 100, 1_000])
def test_choices_of_any_size_are_equal_in_both_engines(options):
    stations = [Station(f"s{number}") for number in range(options)]
    shares = np.arange(1.0, options + 1)
    shares[options // 2] = 0.0
    shares /= shares.sum()
    chosen = Choose(*((share, Use(station, US)) for share, station in zip(shares.tolist(), stations, strict=True)))
    agree(Model([Closed("a", clients=4, path=[chosen]), Closed("b", clients=4, path=[chosen])]), 500_000)


def completions(model, seed=1):
    engine = CompiledEngine(model, seed, record=True)
    engine.advance(100_000)
    return engine.completions


def delayed(*delays):
    """One user a delay, all with equal options; they share them where they share the delay."""
    choices = {id(delay): four(Fork([delay])) for delay in delays}
    return Model(Closed(f"user {user}", clients=1, path=[choices[id(delay)]]) for user, delay in enumerate(delays))


def test_another_delay_in_shared_code_is_a_number_in_a_copy(monkeypatch):
    one, other = (delayed(*[Delay(time)] * 3) for time in (3 * US, 5 * US))
    completions(one)
    kept = completions(other)
    monkeypatch.setattr(lowering, "KEPT", Templates())
    assert kept == completions(other) != completions(one)


def test_delays_that_become_different_are_not_merged(monkeypatch):
    one, other = delayed(*[Delay(3 * US)] * 3), delayed(Delay(3 * US), Delay(4 * US), Delay(5 * US))
    completions(one)
    kept = completions(other)
    monkeypatch.setattr(lowering, "KEPT", Templates())
    assert kept == completions(other) != completions(one)
