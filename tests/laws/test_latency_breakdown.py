"""Where time goes: stays follow one another without a gap, ledgers add up, and both engines tell the same."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sim import (
    Await,
    Choose,
    Closed,
    Delay,
    Exponential,
    Fork,
    Gate,
    Gather,
    Hold,
    Model,
    Pool,
    Station,
    Use,
    Wake,
)
from sim.engines.compiled import CompiledEngine
from sim.engines.reference import ReferenceEngine
from sim.engines.trace import Journeys
from sim.model.identical import alike
from sim.simulation.latency_breakdown import critical, ledger
from strategies import models

US = 1e-6
ENGINES = (ReferenceEngine, CompiledEngine)


def walks_of(engine, model, until_ns, seed=1):
    journeys = Journeys()
    engine(model, seed, journeys=journeys).advance(until_ns)
    return journeys.walks


def told(journey):
    """All that is known of a journey, as plain values."""
    branches = [told(branch) for branch in journey.branches]
    ends = (journey.begin_ns, journey.end_ns, journey.background)
    return journey.workload, journey.client, ends, journey.stays, branches


def assert_without_gaps(journey):
    if journey.end_ns is not None:
        edges = [journey.begin_ns, *(stay.end_ns for stay in journey.stays)]
        assert [stay.begin_ns for stay in journey.stays] == edges[:-1]
        assert edges[-1] == journey.end_ns
    for branch in journey.branches:
        assert_without_gaps(branch)


@settings(max_examples=300, derandomize=True, database=None, suppress_health_check=list(HealthCheck))
@given(models(custom=False), st.integers(0, 5))
def test_ledgers_of_random_models_add_up_exactly_in_both_engines(model, seed):
    both = [walks_of(engine, model, 40_000, seed) for engine in ENGINES]
    assert [told(walk) for walk in both[0]] == [told(walk) for walk in both[1]]
    for walk in both[0]:
        assert_without_gaps(walk)
        if walk.end_ns is not None:
            assert sum(stay.ns for stay in critical(walk)) == walk.end_ns - walk.begin_ns
    books = ledger(both[0])
    assert sum(line.ns for line in books.lines) == books.latency_ns


@pytest.mark.parametrize("engine", ENGINES)
def test_each_kind_of_time_stands_on_its_line(engine):
    pool, cpu, disk, gate = Pool("pool", 1), Station("cpu"), Station("disk"), Gate("gate")
    path = [Hold(pool, Use(cpu, 3 * US), Delay(2 * US)), Fork([Use(disk, 4 * US)], [Delay(1 * US)]), Await(gate)]
    first = Closed("first", clients=2, path=path, count=2)
    keeper = Closed("keeper", clients=1, path=[Gather(gate), Delay(5 * US), Wake(gate)])
    one, two = (walk for walk in walks_of(engine, Model([first, keeper]), 100_000) if walk.workload == "first")
    assert [(stay.doing, stay.place, stay.ns) for stay in critical(one)] == [
        *(("serve", "cpu", 3_000), ("delay", "", 2_000), ("serve", "disk", 4_000), ("wait", "gate", 5_000))
    ]
    assert [(stay.doing, stay.place, stay.ns) for stay in critical(two)] == [
        ("wait", "pool", 5_000),
        *(("serve", "cpu", 3_000), ("delay", "", 2_000), ("serve", "disk", 4_000), ("wait", "gate", 5_000)),
    ]
    assert [stay.doing for stay in two.stays] == ["wait", "serve", "delay", "join", "wait"]


@pytest.mark.parametrize("engine", ENGINES)
def test_the_critical_path_follows_the_branch_that_comes_last(engine):
    slow = Choose((0.5, Delay(Exponential(9 * US))), (0.5, Fork([Delay(7 * US)], [Delay(8 * US)])))
    path = [Fork([Delay(5 * US)], [slow, Use(Station("disk"), 1 * US)]), Fork([Delay(90 * US)], wait=False)]
    walks = walks_of(engine, Model([Closed("w", clients=3, path=path)]), 500_000)
    done = [walk for walk in walks if walk.end_ns is not None]
    assert len(done) > 50
    assert all(sum(stay.ns for stay in critical(walk)) == walk.end_ns - walk.begin_ns for walk in done)
    assert any(branch.background for branch in done[0].branches)


@pytest.mark.parametrize("engine", ENGINES)
def test_walks_that_began_earlier_are_not_kept(engine):
    model = Model([Closed("w", clients=2, path=[Fork([Delay(3 * US)]), Use(Station("s"), 1 * US)])])
    journeys = Journeys(since_ns=50_000)
    engine(model, 1, journeys=journeys).advance(100_000)
    whole = walks_of(engine, model, 100_000)
    assert [told(walk) for walk in journeys.walks] == [told(walk) for walk in whole if walk.begin_ns >= 50_000]


@pytest.mark.parametrize("engine", ENGINES)
def test_telling_where_everyone_is_changes_nothing(engine):
    model = Model([Closed("w", clients=9, path=[Fork([Delay(Exponential(3 * US))]), Use(Station("s"), 1 * US)])])
    silent, telling = engine(model, 4, record=True), engine(model, 4, record=True, journeys=Journeys())
    for each in (silent, telling):
        each.advance(20_000_000)  # so long that the compiled engine's record fills several times
    assert silent.completions == telling.completions
    assert (silent.snapshot().places == telling.snapshot().places).all()


def test_places_alike_but_for_numbers_share_a_name():
    assert alike(["node 1 cpu", "node 2 cpu", "disk", "node 1 file 3", "node 1 file 4"]) == {
        "node 1 cpu": "node * cpu",
        "node 2 cpu": "node * cpu",
        "disk": "disk",
        "node 1 file 3": "node 1 file *",
        "node 1 file 4": "node 1 file *",
    }
