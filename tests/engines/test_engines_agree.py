"""The compiled engine and the reference: the same completions, counters, histograms and clock, bit for bit."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import seed as with_seed
from hypothesis import strategies as st

from examples import examples
from models.systems.dbfs import DBFS
from sim import (
    Await,
    Cache,
    Choose,
    Closed,
    Custom,
    Delay,
    Exponential,
    Fork,
    Gate,
    Gather,
    Hold,
    Lock,
    Lognormal,
    Lookup,
    Model,
    ModelError,
    Open,
    Poisson,
    Pool,
    RecordedGaps,
    Replayed,
    Station,
    Use,
    Wake,
    simulate,
)
from sim.engine.events.compiled import CompiledEngine
from sim.engine.events.compiled import layout as at
from sim.engine.events.compiled.lower_path import Lengths
from sim.engine.events.reference import ReferenceEngine
from sim.system.settings import complete
from strategies import models, tied

CUTS_NS = st.lists(st.integers(1, 60_000), min_size=1, max_size=3).map(sorted)


INTERVAL_NS = 7_001


def assert_equal(reference, compiled):
    assert compiled.completions == reference.completions
    assert_alike(reference.snapshot(), compiled.snapshot())
    assert (compiled.finished, compiled.stuck) == (reference.finished, reference.stuck)


def assert_alike(ours, theirs):
    assert theirs.now_ns == ours.now_ns
    assert theirs.workloads.tolist() == ours.workloads.tolist()
    assert theirs.places.tolist() == ours.places.tolist()
    assert (theirs.histograms == ours.histograms).all()


def compare(model, seed, cuts_ns):
    reference, compiled = (engine(model, seed, record=True) for engine in (ReferenceEngine, CompiledEngine))
    for until_ns in cuts_ns:
        reference.advance(until_ns)
        compiled.advance(until_ns)
        assert_equal(reference, compiled)
    ours, theirs = (engine.intervals(INTERVAL_NS, 3) for engine in (reference, compiled))
    assert all(np.array_equal(*both) for both in zip(ours.arrays, theirs.arrays, strict=True))
    counted = [engine.completed(INTERVAL_NS, 3).tolist() for engine in (reference, compiled)]
    assert counted[0] == counted[1]
    assert_equal(reference, compiled)


def agree(examples, part=0):
    """Compare the engines on random models, other ones in each ``part``, and the same each time."""

    @with_seed(part)
    @settings(max_examples=examples, database=None, suppress_health_check=list(HealthCheck))
    @given(models(custom=False), st.integers(0, 5), CUTS_NS)
    def check(model, seed, cuts_ns):
        compare(model, seed, cuts_ns)

    check()


@pytest.mark.long
@pytest.mark.parametrize("part", range(2))
def test_random_models_with_ties(part):
    """In parts, which several workers share."""
    agree(250, part)


@pytest.mark.slow
def test_fifty_thousand_random_models_with_ties():
    agree(50_000)


@pytest.mark.long
@given(models(tied, custom=False))
@settings(max_examples=examples(50), derandomize=True)
def test_models_with_simultaneous_events(model):
    compare(model, 1, [7_000, 50_000])


@pytest.mark.parametrize("op", ["write", "read"])
@pytest.mark.parametrize(
    "given_settings", [{}, {"nodes": 2, "users": 3, "block": 5000}, {"direct_io": False, "users": 2}]
)
def test_engines_agree_on_dbfs(op, given_settings):
    chosen = complete(DBFS.settings, given_settings | {"op": op})
    compare(DBFS.scenario(chosen, DBFS.parameters).model, 3, [10_000_000, 40_000_000])


def test_order_of_simultaneous_events_differs_only_between_paths_of_different_depth():
    """Two classes meet at two stations at equal times: one passes two places without time, the other none."""
    near, far, pool = Station("near"), Station("far"), Pool("pool", 2)
    deep = Closed("deep", clients=3, path=[Hold(pool, Use(near, 0.0), Use(far, 1e-6))])
    flat = Closed("flat", clients=3, path=[Use(far, 1e-6), Use(near, 1e-6)])
    compare(Model([deep, flat]), 1, [100_000])


def test_more_processes_than_there_was_room_for():
    gate = Gate("gate")
    crowd = Open("crowd", arrivals=Poisson(1e6), path=[Fork([Delay(1e-4)], [Await(gate)])], count=700)
    keeper = Closed("keeper", clients=1, path=[Delay(2e-4), Gather(gate), Wake(gate)])
    compare(Model([crowd, keeper]), 1, [300_000, 900_000, 10_000_000])


def test_hundreds_of_pending_events_many_simultaneous():
    naps = [(0.25, Delay(time)) for time in (1e-6, 2e-6, 3e-6, Exponential(5e-6))]
    crowd = Closed("crowd", clients=300, path=[Choose(*naps), Use(Station("few", 200), 2e-6)])
    compare(Model([crowd]), 1, [20_000, 100_000, 500_000])


def on_shelves(engine):
    return engine._memory[at.HORIZON] != at.FAR_NS  # noqa: SLF001  (nothing else says it)


def thousands(clients, stop_s=None):
    """Times that tie, that are alike, and that are a hundred times those of others."""
    naps = [(0.2, Delay(time)) for time in (1e-6, 2e-6, 0.0, Exponential(5e-6), Lognormal(1e-5, 9.0))]
    crowd = Closed(
        "crowd", clients=clients, path=[Choose(*naps), Use(Station("many", 4 * clients), 2e-6)], stop_s=stop_s
    )
    stays = Closed("stays", clients=20, path=[Fork([Delay(1e-6)], [Delay(Exponential(3e-6))]), Delay(1e-6)])
    return Model([crowd, stays])


@pytest.mark.parametrize("clients", [600, 3_000])
def test_thousands_of_pending_events_are_kept_on_shelves(clients):
    compare(thousands(clients), 1, [1_000, 10_000, 30_000, 60_000])
    engine = CompiledEngine(thousands(clients), 1)
    engine.advance(1_000)
    engine.advance(30_000)
    assert on_shelves(engine)


def test_shelves_are_taken_down_when_few_are_left():
    compare(thousands(2_000, stop_s=20e-6), 1, [5_000, 19_000, 21_000, 400_000, 500_000])
    engine = CompiledEngine(thousands(2_000, stop_s=20e-6), 1)
    for until_ns, expected in ((15_000, True), (5_000_000, False)):
        engine.advance(until_ns)
        assert on_shelves(engine) == expected


def test_too_many_events_are_kept_off_the_shelves():
    compare(thousands(30_000), 1, [3_000, 9_000])


@pytest.mark.parametrize("distant_s", [1e-9, 1e5, 4e9])
def test_shelves_of_any_length(distant_s):
    """All at one time; months apart; as late as the clock goes."""
    crowd = Closed("crowd", clients=900, path=[Choose((0.9, Delay(1e-6)), (0.1, Delay(distant_s)))])
    compare(Model([crowd]), 1, [2_000, 40_000, 90_000])


@pytest.mark.parametrize("clients", [1, 2, 3, 4, 5, 6, 21, 22])
def test_heaps_at_the_sizes_where_a_level_begins(clients):
    nap = [Delay(Exponential(3e-6)), Fork([Delay(1e-6)], [Delay(Exponential(2e-6))])]
    compare(Model([Closed("few", clients=clients, path=nap)]), 1, [100_000, 300_000])


def test_more_completions_than_the_record_holds():
    busy = Closed("busy", clients=2, path=[Use(Station("one"), 1e-9)])
    compare(Model([busy]), 1, [100_000])


def test_long_streams_are_refilled_equally():
    one = Station("one", 2)
    compare(
        Model([Closed("a", clients=3, path=[Use(one, Exponential(1e-6)), Delay(Exponential(1e-6))])]),
        1,
        [60_000_000],
    )


def test_whole_numbers_and_fractions_of_one_value_share_one_stream():
    one = Station("one")
    steps = [Use(one, Lognormal(1e-6, 1)), Use(one, Lognormal(1e-6, 1.0))]
    compare(Model([Closed("a", clients=2, path=steps)]), 1, [1_000_000])


def test_recorded_gaps_take_nothing_from_the_addresses_of_an_equal_source():
    one = Replayed([0, 7])
    look = Lookup(Cache("cache", 1), one, miss=Delay(1e-6))
    compare(Model([Open("traced", arrivals=RecordedGaps(one, 3), path=[look, look])]), 1, [5, 20_000])
    source = Replayed([0])
    look = Lookup(Cache("cache", 1), source, miss=Delay(1e-6))
    compare(Model([Open("traced", arrivals=RecordedGaps(source, 1), path=[look])]), 1, [7_000])


def test_room_for_events_grows_with_ways_that_are_all_taken_and_not_with_options():
    few, many = ([Use(Station(f"disk {row}"), 1e-6) for row in range(count)] for count in (2, 200))
    options = [Lengths().of((Choose(*((1 / len(disks), disk) for disk in disks)),)) for disks in (few, many)]
    assert options[0] == options[1]
    branches = [Lengths().of((Fork(*disks),)) for disks in (few, many)]
    assert branches[1] > 50 * branches[0]


def test_results_of_both_engines_are_equal():
    model = DBFS.scenario(complete(DBFS.settings, {"users": 2}), DBFS.parameters).model
    reference, compiled = (simulate(model, engine=name, precision=0.05) for name in ("reference", "compiled"))
    assert reference.groups == compiled.groups
    assert reference.places == compiled.places
    assert (reference.limits, reference.steps) == (compiled.limits, compiled.steps)


def test_a_step_of_the_reference_engine_alone_is_refused_by_name():
    def process(environment):
        yield environment.timeout(5)

    model = Model([Closed("mine", clients=1, path=[Custom("own step", process)])])
    with pytest.raises(ModelError, match=r"custom step 'own step' of workload 'mine'.*engine reference"):
        simulate(model, engine="compiled")
    assert simulate(model, engine="auto").engine == "reference"


def test_a_deadlock_is_reported_in_the_same_words():
    a, b = Lock("a"), Lock("b")
    there = Closed("x", clients=1, path=[Hold(a.exclusive, Delay(1), Hold(b.exclusive, Delay(1)))])
    back = Closed("y", clients=1, path=[Hold(b.exclusive, Delay(1), Hold(a.exclusive, Delay(1)))])
    told = []
    for name in ("reference", "compiled"):
        with pytest.raises(RuntimeError) as caught:
            simulate(Model([there, back]), engine=name)
        told.append(str(caught.value))
    assert told[0] == told[1]
    assert "'x' client 0 waits for lock 'b', held by 'y' client 0" in told[0]


PLAIN = """
import sys
sys.modules["numba"] = None
import simpy
from sim.engine.events.compiled import CompiledEngine, jit
from sim.engine.events.reference import ReferenceEngine
from sim.system.settings import complete
from models.systems.dbfs import DBFS
assert not jit.AVAILABLE
model = DBFS.scenario(complete(DBFS.settings, {"users": 2, "block": 4096}), DBFS.parameters).model
reference, plain = (engine(model, 2, record=True) for engine in (ReferenceEngine, CompiledEngine))
for until_ns in (3_000_000, 9_000_000):
    reference.advance(until_ns); plain.advance(until_ns)
assert reference.completions == plain.completions and len(plain.completions) > 100
assert reference.snapshot().places.tolist() == plain.snapshot().places.tolist()
print("equal")
"""


def test_without_numba_the_same_loop_runs_as_plain_python():
    done = subprocess.run(
        [sys.executable, "-c", PLAIN],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ},
        cwd=Path.home(),
    )
    assert done.stdout == "equal\n", done.stderr
