"""When an endless run stops, and what is removed as warm-up: on runs written by hand."""

from __future__ import annotations

import numpy as np
import pytest

from recorded import Recorded, run_of
from sim import (
    Buffer,
    Cache,
    Choose,
    Closed,
    DeadlockError,
    Delay,
    Hold,
    Lock,
    Lookup,
    Model,
    Open,
    Poisson,
    Put,
    Take,
    Uniform,
    simulate,
)
from sim.engine.simulation.options import RunOptions, part_of
from sim.engine.simulation.simulate import run as run_whole
from sim.engine.simulation.snapshots import Snapshots
from sim.engine.simulation.steady_state import CHECKS, INTERVALS, _as_long_again, first_interval_ns, steady

LENGTH = 1 << 13
"""Intervals that are written: of 1 µs, a quarter of the request."""

WAVE = 1.0 + 0.01 * np.random.default_rng(1).choice([-1.0, 1.0], LENGTH)
COUNTS = {"started": 1000, "completed": 1000, "latency_ns": 4_000_000, "population_ns": 4000, "steps": 1000}
MODEL = Model(
    [
        Closed("c", clients=4, path=[Lookup(Cache("k", 9), Uniform(9)), Delay(4e-6)]),
        Open("o", arrivals=Poisson(1e6), path=Delay(4e-6)),
    ]
)


def run(model=MODEL, places=None, others=None, answers=("throughput",), **changes):
    """Steps of ``model``, whose first workload does as ``COUNTS`` says but for ``changes``, now more, now less."""
    options = {name: changes.pop(name) for name in ("max_steps", "precision", "max_completed") if name in changes}
    counts = {name: np.rint(each * WAVE) for name, each in (COUNTS | changes).items()}
    counters = {model.workloads[0].name: counts} | (others or {})

    def create(model, _seed, max_steps=None):
        assert max_steps == 4 * options.get("max_steps", 10**8)
        times_ns = {"c": {4000: 900, 5000: 100}}
        return Recorded(model, LENGTH, 1000, places=places, workloads=counters, latencies_ns=times_ns)

    return steady(run_of(model, create=create, answers=answers, **options))


def late(before, then, intervals=100):
    """Of each interval: another value at first."""
    return np.where(np.arange(LENGTH) < intervals, before, then)


def test_a_run_is_checked_at_fixed_numbers_of_intervals():
    assert (INTERVALS, CHECKS) == (256, (160, 192, 224, 256))


def test_a_settled_run_ends_at_the_first_look_at_which_half_of_it_was_known_as_well():
    result = run()
    assert result.throughput.value == pytest.approx(1e9, rel=1e-3)
    assert result.throughput.known
    assert result.warnings == ()
    assert result.warmup_s + result.measured_s == pytest.approx(320e-6)  # twice 160 intervals
    assert result.warmup_s == 0.0
    assert result.steps == pytest.approx(320_000, rel=0.01)


@pytest.mark.parametrize("column", ["completed", "latency_ns", "population_ns"])
def test_each_counter_of_the_watched_group_has_a_warm_up(column):
    result = run(**{column: late(3 * COUNTS[column], COUNTS[column])})
    assert 100e-6 <= result.warmup_s <= 120e-6
    assert result.throughput.value == pytest.approx(1e9, rel=2e-3)
    assert result.groups["c"].latency.mean.value == pytest.approx(4e-6, rel=2e-3)


def test_hits_have_a_warm_up_where_there_are_any():
    result = run(lookups=1000, hits=late(100, 800))
    assert 100e-6 <= result.warmup_s <= 120e-6
    assert result.groups["c"].hit_ratio.value == pytest.approx(0.8, rel=1e-3)
    assert run(lookups=1000, hits=np.zeros(LENGTH)).warmup_s == 0.0


def test_crowds_have_a_warm_up_for_any_watched_group():
    others = {"o": {"started": late(105, 100), "completed": 100, "population_ns": late(300_000, 500_000)}}
    assert 90e-6 <= run(others=others).warmup_s <= 120e-6


def test_a_run_without_an_end_of_warm_up_is_unknown():
    result = run(completed=1000 + np.arange(LENGTH), max_steps=300_000)
    assert not result.throughput.known
    (warning,) = result.warnings
    assert warning.startswith(f"not known well enough: the warm-up has not ended, after {result.steps:,} steps; ")
    assert result.warmup_s == pytest.approx(result.measured_s, rel=0.01)


def test_a_run_ends_where_it_may_go_no_further():
    for limit in ({"max_steps": 170_000}, {"max_completed": 170_000}):
        result = run(**limit)
        assert result.measured_s + result.warmup_s == pytest.approx(192e-6)
        assert not result.throughput.known
        assert "throughput is not known well enough: ±" in result.warnings[0]


def test_hopeless_precision_is_given_up_at_a_quarter_of_the_budget():
    """±1 % an interval of 1000: ±0.01 % would take 38 million, which is more than four budgets of 4 million."""
    result = run(precision=0.0001, max_steps=4_000_000)
    assert result.measured_s + result.warmup_s == pytest.approx(1024e-6)
    assert not result.throughput.known


def test_while_a_buffer_fills_the_run_goes_on():
    """It takes in 10,000, half a percent of what is put in 2000 intervals: throughput is known long before."""
    buffer = Buffer("b", 10**7)
    model = Model(
        [
            Closed("c", clients=4, path=[Delay(4e-6), Put(buffer)]),
            Closed("d", clients=4, path=[Take(buffer), Delay(4e-6)]),
        ]
    )
    filled = {"b": {"busy_ns": np.minimum(np.arange(LENGTH), 1000) * 10_000}}
    others = {"d": {"completed": 1000, "steps": 1000}}
    result = run(model, places=filled, others=others)
    assert result.throughput.known
    assert 1900e-6 < result.measured_s + result.warmup_s < 2400e-6
    short = run(model, places=filled, others=others, max_steps=500_000)
    assert not short.throughput.known
    assert short.warnings[0].startswith("not known well enough: buffer 'b' still fills, after ")


def test_while_a_crowd_may_grow_the_run_goes_on():
    others = {"o": {"started": late(1, 0, 600), "population_ns": late(9000, 1000, 600)}}
    result = run(others=others)
    assert result.throughput.known
    assert result.measured_s + result.warmup_s > 600e-6
    assert result.warmup_s > 300e-6


def test_snapshots_begin_a_quarter_of_the_quickest_walk_apart():
    requests = [Closed(f"{each}", clients=1, path=Delay(each * 1e-6), group="g") for each in (12, 8)]
    assert first_interval_ns(run_of(Model([*requests, Closed("x", clients=1, path=Delay(1e-6))]))) == 2000
    assert first_interval_ns(run_of(Model([Closed("x", clients=1, path=Delay(1e-9))]))) == 250


def test_a_deadlock_is_refused():
    one, two = Lock("one"), Lock("two")
    paths = [
        Hold(first.exclusive, Delay(1e-3), Hold(then.exclusive, Delay(1e-3)))
        for first, then in ((one, two), (two, one))
    ]
    model = Model([Closed(f"c{number}", clients=1, path=path) for number, path in enumerate(paths)])
    with pytest.raises(
        DeadlockError, match=r"deadlock within 0.0015 simulated seconds: .*; take holds in one order"
    ):
        simulate(model)


@pytest.mark.parametrize(("quickest_s", "interval_ns"), [(4e-3, 1_000_000), (1e-6, 250), (4e-9, 250)])
def test_the_first_interval_is_a_quarter_of_the_shortest_request(quickest_s, interval_ns):
    loads = [
        Closed("a", 1, Delay(9e-3)),
        Closed("b", 1, Delay(quickest_s), group="a"),
        Closed("c", 1, Delay(1e-9)),
    ]
    assert first_interval_ns(run_of(Model(loads), watch="a")) == interval_ns


def test_remaining_steps_are_estimated_at_the_latest_pace():
    """3,000 steps in the last second, and two seconds before it."""
    model = Model([Closed("a", 1, Delay(1.0)), Closed("b", 1, Delay(1.0))])
    counts = {"a": {"steps": [500, 500, 1500]}, "b": {"steps": [500, 500, 1500]}}
    engine = Recorded(model, 3, 10**9, workloads=counts)
    snapshots = Snapshots(engine, 10**9)
    snapshots.extend(2)
    engine.intervals(10**9, 1)
    engine.now_ns = 3 * 10**9
    assert "would take about 6000 steps" in _as_long_again(engine, snapshots)


@pytest.mark.parametrize(("steps", "most", "completions"), [(5, None, 3), (4, None, 2), (5, 7, 7)])
def test_a_run_ends_after_half_as_many_requests_as_steps(steps, most, completions):
    assert RunOptions(max_steps=steps, max_completed=most).completions == completions


def test_the_progress_of_a_part_is_between_where_it_begins_and_ends():
    shares = []
    for share in (0.0, 0.5, 1.0):
        part_of(shares.append, 0.2, 0.6)(share)
    assert shares == pytest.approx([0.2, 0.4, 0.6])
    assert part_of(None, 0.2, 0.6) is None


def test_a_run_does_not_wait_for_percentiles_that_mean_nothing():
    """Two constants of equal chance: the median, which is one or the other, takes for ever."""
    model = Model([Closed("c", clients=1, path=Choose((0.5, Delay(1e-6)), (0.5, Delay(2e-6))))])
    asked = []

    def meaningless(result):
        asked.append(result)
        return False

    options = RunOptions(max_steps=2_000_000)
    patient, quick = (run_whole(model, options, percentiles=each) for each in (lambda _result: True, meaningless))
    assert patient.steps > 8 * quick.steps
    assert len(asked) == 1, "once is enough"
    assert asked[0].throughput.known
    assert any("p50" in each for each in patient.warnings)
    assert not quick.warnings
    assert quick.throughput.precision < 0.01
