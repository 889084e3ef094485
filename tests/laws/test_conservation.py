"""Laws that hold on every run of every model, exactly and in integers: what goes in is there or has come out."""

from __future__ import annotations

import dataclasses
from collections import Counter
from itertools import pairwise

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import sim
from examples import examples
from sim import (
    AddressSource,
    Buffer,
    Cache,
    Closed,
    Fork,
    Gate,
    Hold,
    IfAny,
    Lock,
    Lookup,
    Model,
    Open,
    PerItem,
    Station,
    Step,
    Use,
)
from sim.engine.events.protocol import PLACE_COLUMNS, WORKLOAD_COLUMNS
from sim.engine.events.reference import ReferenceEngine
from sim.engine.model.demands import capacity
from sim.engine.model.distributions import Distribution
from sim.engine.model.places import Place
from sim.engine.model.policies import POLICIES
from sim.engine.model.steps import iter_steps
from sim.engine.model.workloads import Arrivals
from sim.engine.statistics.histogram import BINS, bin_of
from strategies import models, tied

SEEDS = st.integers(0, 5)
UNTIL_NS = st.integers(1, 60_000)
CUTS_NS = st.lists(UNTIL_NS, min_size=2, max_size=4, unique=True).map(sorted)

on_many = settings(
    max_examples=examples(40), derandomize=True, database=None, suppress_health_check=list(HealthCheck)
)


class Watched(ReferenceEngine):
    """An engine that remembers the branches it sent out: their workload, process and whether in the background."""

    def __init__(self, model, seed):
        self.sent, self.some_needed = [], []
        super().__init__(model, seed, record=True)

    def branch(self, parent, path, *, background):
        process = super().branch(parent, path, background=background)
        self.sent.append((parent.workload, process, background))
        return process

    def leave_behind(self, parent, branches, needed):
        super().leave_behind(parent, branches, needed)
        self.some_needed.append((parent.workload, branches, needed))

    def branches(self):
        """Number of branches of each workload in flight."""
        return Counter(name for name, process, _ in self.sent if process.is_alive)

    def behind(self):
        """Number of them in the background."""
        behind = Counter(name for name, process, left in self.sent if process.is_alive and left)
        for name, branches, needed in self.some_needed:
            alive = sum(each.is_alive for each in branches)
            if len(branches) - alive >= needed:
                behind[name] += alive
        return behind


def run(model, seed, until_ns):
    engine = Watched(model, seed)
    engine.advance(until_ns)
    return engine


def workload_rows(model, snapshot):
    """Each workload with its counters by name."""
    for workload, row in zip(model.workloads, snapshot.workloads.tolist(), strict=True):
        yield workload, dict(zip(WORKLOAD_COLUMNS, row, strict=True))


def place_rows(model, snapshot):
    """Each place with its counters by name."""
    for place, row in zip(model.places, snapshot.places.tolist(), strict=True):
        yield place, dict(zip(PLACE_COLUMNS, row, strict=True))


def limit(place):
    """Largest ``busy_ns`` of a nanosecond; unknown of a gate."""
    return place.capacity if isinstance(place, Buffer | Cache) else capacity(place)


@on_many
@given(models(), SEEDS, UNTIL_NS)
def test_littles_law(model, seed, until_ns):
    """The integral of the population is the latencies of completed requests and the ages of the others."""
    engine = run(model, seed, until_ns)
    for workload, row in workload_rows(model, engine.snapshot()):
        past = sum(
            each.ended_ns - each.started_ns for each in engine.completions if each.workload == workload.name
        )
        in_flight = [process for process in engine.processes() if process.workload == workload.name]
        later = [engine.now_ns - each.started_ns for each in in_flight if each.started_ns is not None]
        assert len(later) == row["started"] - row["completed"]
        assert row["latency_ns"] == past
        assert row["population_ns"] == past + sum(later)


@on_many
@given(models(), SEEDS, UNTIL_NS)
def test_flow_is_conserved(model, seed, until_ns):
    """Requests started are completed or in flight; nothing else is in flight, except branches."""
    engine = run(model, seed, until_ns)
    in_flight = Counter(process.workload for process in engine.processes())
    completed = Counter(each.workload for each in engine.completions)
    branches, behind = engine.branches(), engine.behind()
    for workload, row in workload_rows(model, engine.snapshot()):
        name, requests = workload.name, row["started"] - row["completed"]
        assert row["completed"] == completed[name]
        assert requests >= 0
        assert isinstance(workload, Open) or requests <= workload.clients
        assert workload.count is None or row["started"] <= workload.count
        if not engine.finished:  # which ends within an instant, with branches sent but not yet begun
            before = workload.clients - requests if getattr(workload, "begins", 0) else 0
            assert requests + branches[name] <= in_flight[name] <= requests + branches[name] + before
            assert row["background"] == behind[name]


@on_many
@given(models(), SEEDS, CUTS_NS)
def test_places_are_never_more_than_full_and_queues_never_negative(model, seed, cuts_ns):
    engine = run(model, seed, 0)
    snapshots = [engine.snapshot()]
    for until_ns in cuts_ns:
        engine.advance(until_ns)
        snapshots.append(engine.snapshot())
    for window in (later.since(earlier) for earlier, later in pairwise(snapshots)):
        assert (window.places >= 0).all()
        for place, row in place_rows(model, window):
            assert isinstance(place, Gate) or row["busy_ns"] <= limit(place) * window.now_ns
            assert not isinstance(place, Cache) or row["extra"] <= row["visits"]


@on_many
@given(models(), SEEDS, UNTIL_NS)
def test_waiting_clients_are_in_a_queue(model, seed, until_ns):
    """A queue is as long as processes wait for its place; at a gate those that gather wait outside of it."""
    engine = run(model, seed, until_ns)
    waiting = Counter(process.waits_for for process in engine.processes())
    for place in model.places:
        if not isinstance(place, Gate):
            assert engine.state(place).queue.level == waiting[place]


@on_many
@given(models(tied), SEEDS, UNTIL_NS)
def test_utilisation_law(model, seed, until_ns):
    """With services of 1 µs, busy time is 1 µs for each one that is over and less for each that is not."""
    engine = run(model, seed, until_ns)
    for place, row in place_rows(model, engine.snapshot()):
        if isinstance(place, Station):
            in_service = engine.state(place).busy.level
            over = row["visits"] - in_service
            assert 0 <= in_service <= place.servers
            assert 0 <= row["busy_ns"] - 1_000 * over <= 1_000 * in_service


@on_many
@given(st.integers(1, 4), st.integers(1, 6), st.integers(1, 500), st.integers(1, 20_000))
def test_every_nanosecond_of_one_station_is_accounted_for(servers, clients, service_ns, until_ns):
    path = [Use(Station("one", servers), service_ns * 1e-9)]
    model = Model([Closed("all", clients=clients, path=path)])
    engine = run(model, 1, until_ns)
    (_, place), (_, workload) = *place_rows(model, engine.snapshot()), *workload_rows(model, engine.snapshot())
    in_service, rounds = (
        min(servers, clients),
        (until_ns - 1) // service_ns,
    )  # what is due at until_ns is not yet done
    assert workload["completed"] == in_service * rounds
    assert place["visits"] == in_service * (rounds + 1)
    assert place["busy_ns"] == workload["completed"] * service_ns + in_service * (until_ns - rounds * service_ns)
    assert place["queue_ns"] == (clients - in_service) * until_ns
    assert workload["population_ns"] == clients * until_ns


@on_many
@given(models(), SEEDS, UNTIL_NS)
def test_histograms_count_every_completion_once(model, seed, until_ns):
    engine = run(model, seed, until_ns)
    snapshot = engine.snapshot()
    for group, histogram in zip(model.groups, snapshot.histograms, strict=True):
        names = {model.workloads[row].name for row in model.rows(group)}
        bins = Counter(
            bin_of(each.ended_ns - each.started_ns) for each in engine.completions if each.workload in names
        )
        assert histogram.shape == (BINS,)
        assert histogram.sum() == snapshot.workloads[model.rows(group), WORKLOAD_COLUMNS.index("completed")].sum()
        assert {index: histogram[index] for index in histogram.nonzero()[0]} == bins


@on_many
@given(models(), SEEDS, CUTS_NS)
def test_stopping_on_the_way_changes_nothing(model, seed, cuts_ns):
    halting, straight = Watched(model, seed), run(model, seed, cuts_ns[-1])
    for until_ns in cuts_ns:
        halting.advance(until_ns)
    ours, theirs = halting.snapshot(), straight.snapshot()
    assert halting.completions == straight.completions
    assert ours.now_ns == theirs.now_ns
    assert ours.places.tolist() == theirs.places.tolist()
    assert ours.workloads.tolist() == theirs.workloads.tolist()
    assert (ours.histograms == theirs.histograms).all()
    assert (halting.finished, halting.stuck) == (straight.finished, straight.stuck)


@on_many
@given(models(), SEEDS, CUTS_NS)
def test_clock_stops_at_the_given_time(model, seed, cuts_ns):
    engine = Watched(model, seed)
    for until_ns in cuts_ns:
        engine.advance(until_ns)
        last_ns = max((each.ended_ns for each in engine.completions), default=0)
        if engine.finished:
            assert engine.now_ns == last_ns < cuts_ns[-1]
        else:
            assert last_ns < engine.now_ns == until_ns
        engine.advance(until_ns // 2)  # the past stays as it is
        assert engine.now_ns <= until_ns


def public(base):
    """Every class of the vocabulary that is a ``base``."""
    exported = (getattr(sim, name) for name in sim.__all__)
    classes = (each for each in exported if isinstance(each, type) and each is not base)
    return {each for each in classes if issubclass(each, base)}


def classes_in(thing):
    """The class of ``thing`` and of everything it is made of."""
    if isinstance(thing, tuple):
        for part in thing:
            yield from classes_in(part)
    elif dataclasses.is_dataclass(thing):
        yield type(thing)
        for field in dataclasses.fields(thing):
            yield from classes_in(getattr(thing, field.name))


def traits(model):
    """Names of the vocabulary beside classes."""
    steps = [step for workload in model.workloads for step in iter_steps(workload.path)]
    yield from ((type(workload), workload.count is None) for workload in model.workloads)
    yield from (("waits", step.wait) for step in steps if isinstance(step, Fork))
    yield from (
        ("exclusive", step.exclusive) for step in steps if isinstance(step, Hold) and isinstance(step.held, Lock)
    )
    yield from (("asked", type(step.at)) for step in steps if isinstance(step, IfAny))
    yield from (("policy", place.policy) for place in model.places if isinstance(place, Cache))
    yield from (("watermarks", place.high > 1) for place in model.places if isinstance(place, Buffer))
    yield from (
        part for step in steps if isinstance(step, Lookup) for part in dataclasses.asdict(step.access).items()
    )
    for work in (each for each in model.workloads if isinstance(each, Closed)):
        yield from (("thinks", work.think is not None), ("grouped", work.group != work.name))
        yield from (("comes", work.start_s > 0), ("leaves", work.stop_s is not None))
    yield "finite", model.finite


def test_random_models_use_the_whole_vocabulary():
    classes, found = set(), set()

    @settings(on_many, max_examples=examples(250))
    @given(models())
    def collect(model):
        classes.update(classes_in(model))
        found.update(traits(model))

    collect()
    families = (Step, Place, Distribution, PerItem, AddressSource, Arrivals, Closed, Open)
    assert not set.union(*map(public, families)) - classes
    kinds = (Closed, Open, "waits", "exclusive", "thinks", "finite")
    kinds += ("watermarks", "sequential", "write", "comes", "leaves", "grouped")
    both = {(kind, each) for kind in kinds for each in (False, True)}
    asked = {("asked", kind) for kind in (Gate, Buffer, Lock)}
    assert not (both | asked | {("policy", name) for name in POLICIES}) - found


def test_vocabulary_is_not_empty():
    """So that the test above cannot pass because its families are empty."""
    names = {
        each.__name__ for family in (Step, Place, Distribution, AddressSource, Arrivals) for each in public(family)
    }
    assert names == {
        *("Use", "Delay", "Hold", "Put", "Take", "Fork", "Await", "Gather", "Wake"),
        *("Choose", "IfAny", "Lookup", "Repeat", "Custom"),
        *("Station", "Lock", "Pool", "Buffer", "Gate", "Cache"),
        *("Constant", "Exponential", "Gamma", "Lognormal", "Empirical"),
        *("Uniform", "Zipf", "Sequential", "Replayed"),
        *("Poisson", "Periodic", "ReplayedTimes", "RecordedGaps"),
    }
