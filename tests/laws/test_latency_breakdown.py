"""Traces: intervals follow one another without a gap, breakdowns add up, and both engines record the same."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from examples import examples
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
    Lock,
    Model,
    Pool,
    Station,
    Use,
    Wake,
)
from sim.engine.events.compiled import CompiledEngine
from sim.engine.events.reference import ReferenceEngine
from sim.engine.events.trace import Held, Trace
from sim.engine.model.identical import common_names
from sim.engine.simulation.latency_breakdown import break_down, critical_path
from strategies import models

US = 1e-6
ENGINES = (ReferenceEngine, CompiledEngine)


def requests_of(engine, model, until_ns, seed=1):
    trace = Trace()
    run = engine(model, seed, trace=trace)
    run.advance(until_ns)
    run.look()
    return trace.requests


def plain(span):
    """All that a span says, as plain values."""
    branches = [plain(branch) for branch in span.branches]
    ends = (span.begin_ns, span.end_ns, span.background)
    return span.workload, span.client, ends, span.intervals, span.doing, branches


def assert_without_gaps(span):
    if span.end_ns is not None:
        edges = [span.begin_ns, *(interval.end_ns for interval in span.intervals)]
        assert [interval.begin_ns for interval in span.intervals] == edges[:-1]
        assert edges[-1] == span.end_ns
    elif span.doing:
        assert span.doing.begin_ns == span.until_ns
    for branch in span.branches:
        assert_without_gaps(branch)


@settings(max_examples=examples(80), derandomize=True, database=None, suppress_health_check=list(HealthCheck))
@given(models(custom=False), st.integers(0, 5))
def test_breakdowns_of_random_models_add_up_exactly_in_both_engines(model, seed):
    both = [requests_of(engine, model, 40_000, seed) for engine in ENGINES]
    assert [plain(request) for request in both[0]] == [plain(request) for request in both[1]]
    for request in both[0]:
        assert_without_gaps(request)
        if request.end_ns is not None:
            assert (
                sum(interval.duration_ns for interval in critical_path(request))
                == request.end_ns - request.begin_ns
            )
    breakdown = break_down(both[0])
    assert sum(share.total_ns for share in breakdown.shares) == breakdown.latency_ns


@pytest.mark.parametrize("engine", ENGINES)
def test_each_activity_is_recorded_where_it_happens(engine):
    pool, cpu, disk, gate = Pool("pool", 1), Station("cpu"), Station("disk"), Gate("gate")
    path = [Hold(pool, Use(cpu, 3 * US), Delay(2 * US)), Fork([Use(disk, 4 * US)], [Delay(1 * US)]), Await(gate)]
    first = Closed("first", clients=2, path=path, count=2)
    keeper = Closed("keeper", clients=1, path=[Gather(gate), Delay(5 * US), Wake(gate)])
    one, two = (
        request for request in requests_of(engine, Model([first, keeper]), 100_000) if request.workload == "first"
    )
    assert [(interval.activity, interval.place, interval.duration_ns) for interval in critical_path(one)] == [
        *(("serve", "cpu", 3_000), ("delay", "", 2_000), ("serve", "disk", 4_000), ("wait", "gate", 5_000))
    ]
    assert [(interval.activity, interval.place, interval.duration_ns) for interval in critical_path(two)] == [
        ("wait", "pool", 5_000),
        *(("serve", "cpu", 3_000), ("delay", "", 2_000), ("serve", "disk", 4_000), ("wait", "gate", 5_000)),
    ]
    assert [interval.activity for interval in two.intervals] == ["wait", "serve", "delay", "join", "wait"]


@pytest.mark.parametrize("engine", ENGINES)
def test_resources_held_during_a_step_are_recorded(engine):
    pool, lock, gate, cpu = Pool("pool", 5), Lock("lock"), Gate("gate"), Station("cpu")
    inside = Choose((1.0, [Hold(lock.exclusive, Use(cpu, 3 * US)), Fork([Delay(1 * US)])]))
    first = Closed("first", clients=1, path=[Hold(pool, inside, tokens=2), Await(gate)], count=1)
    write = [Gather(gate), Hold(lock.shared, Delay(5 * US)), Wake(gate), Delay(2 * US)]
    keeper = Closed("keeper", clients=1, path=write, count=1)
    of_pool, exclusive, shared = Held("pool", 2), Held("lock", exclusive=True), Held("lock")
    by_name = {each.workload: each for each in requests_of(engine, Model([first, keeper]), 100_000)}
    assert [(each.activity, each.held) for each in by_name["first"].intervals] == [
        ("serve", (of_pool, exclusive)),
        ("join", (of_pool,)),
        ("wait", ()),
    ]
    assert [(each.activity, each.held) for each in by_name["keeper"].intervals] == [
        ("wait", ()),
        ("delay", (shared, Held("gate"))),
        ("delay", ()),
    ]
    assert [each.held for each in by_name["first"].branches[0].intervals] == [()]


@pytest.mark.parametrize("engine", ENGINES)
def test_the_critical_path_follows_the_branch_that_comes_last(engine):
    slow = Choose((0.5, Delay(Exponential(9 * US))), (0.5, Fork([Delay(7 * US)], [Delay(8 * US)])))
    path = [Fork([Delay(5 * US)], [slow, Use(Station("disk"), 1 * US)]), Fork([Delay(90 * US)], wait=False)]
    requests = requests_of(engine, Model([Closed("w", clients=3, path=path)]), 500_000)
    completed = [request for request in requests if request.end_ns is not None]
    assert len(completed) > 50
    assert all(
        sum(interval.duration_ns for interval in critical_path(request)) == request.end_ns - request.begin_ns
        for request in completed
    )
    assert any(branch.background for branch in completed[0].branches)


@pytest.mark.parametrize("engine", ENGINES)
def test_the_critical_path_follows_the_last_branch_that_is_needed(engine):
    path = Fork([Delay(5 * US)], Use(Station("disk"), 3 * US), Use(Station("slow disk"), 9 * US), needed=1)
    requests = requests_of(engine, Model([Closed("w", clients=1, path=[path, Delay(20 * US)])]), 500_000)
    first = [(interval.activity, interval.place, interval.duration_ns) for interval in critical_path(requests[0])]
    assert first == [("serve", "disk", 3_000), ("delay", "", 20_000)]
    assert [branch.end_ns for branch in requests[0].branches] == [5_000, 3_000, 9_000]


@pytest.mark.parametrize("engine", ENGINES)
def test_requests_that_began_earlier_are_not_kept(engine):
    model = Model([Closed("w", clients=2, path=[Fork([Delay(3 * US)]), Use(Station("s"), 1 * US)])])
    trace = Trace(since_ns=50_000)
    run = engine(model, 1, trace=trace)
    run.advance(100_000)
    run.look()
    whole = requests_of(engine, model, 100_000)
    assert [plain(request) for request in trace.requests] == [
        plain(request) for request in whole if request.begin_ns >= 50_000
    ]


@pytest.mark.parametrize("engine", ENGINES)
def test_tracing_changes_nothing(engine):
    model = Model([Closed("w", clients=9, path=[Fork([Delay(Exponential(3 * US))]), Use(Station("s"), 1 * US)])])
    untraced, traced = engine(model, 4, record=True), engine(model, 4, record=True, trace=Trace())
    for each in (untraced, traced):
        each.advance(20_000_000)  # so long that the compiled engine's record fills several times
    assert untraced.completions == traced.completions
    assert (untraced.snapshot().places == traced.snapshot().places).all()


def test_places_that_differ_by_number_share_a_name():
    assert common_names(["node 1 cpu", "node 2 cpu", "disk", "node 1 file 3", "node 1 file 4"]) == {
        "node 1 cpu": "node * cpu",
        "node 2 cpu": "node * cpu",
        "disk": "disk",
        "node 1 file 3": "node 1 file *",
        "node 1 file 4": "node 1 file *",
    }
