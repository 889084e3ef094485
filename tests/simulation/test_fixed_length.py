"""Runs of a given length: that of another run, with the same chance."""

from __future__ import annotations

import math
from types import SimpleNamespace

import pytest

from sim import (
    Buffer,
    Closed,
    DeadlockError,
    Delay,
    Exponential,
    Fork,
    Hold,
    Lock,
    Model,
    NoSteadyStateError,
    Put,
    Station,
    Take,
    Use,
    simulate,
)
from sim.engine.events.registry import engine
from sim.engine.simulation import fixed_length
from sim.engine.simulation.fixed_length import BATCHES, RunLength, run_for
from sim.engine.simulation.snapshots import Snapshots
from sim.engine.statistics.estimates import point

MODEL = Model([Closed("c", clients=3, path=Use(Station("s"), Exponential(1e-5)), think=Exponential(1e-5))])


def test_a_span_is_as_long_as_a_run_or_a_share_of_it():
    run = SimpleNamespace(elapsed=None, warmup_s=2e-3, measured_s=10e-3)
    assert RunLength.of(run) == RunLength(2_000_000, 10_000_000)
    assert RunLength.of(run, 0.25) == RunLength(2_000_000, 2_500_000)
    assert RunLength.of(SimpleNamespace(elapsed=point(1.0), warmup_s=2e-3, measured_s=10e-3)) is None


@pytest.mark.parametrize(("steps", "kept"), [(1_000_000, 1.0), (8_000_000, 0.5), (80_000_000, 0.05)])
def test_compared_run_is_limited_to_a_few_million_steps(steps, kept):
    """Half of eight million steps is twice as many as a difference asks for; so is their warm-up twice as long."""
    run = SimpleNamespace(elapsed=None, warmup_s=2e-3, measured_s=10e-3, steps=steps)
    length = RunLength.of_difference(run, 0.5)
    assert length == RunLength(round(2_000_000 * kept), round(5_000_000 * kept))
    assert RunLength.of_difference(SimpleNamespace(elapsed=point(1.0), steps=1)) is None


@pytest.mark.parametrize("seed", [1, 7])
def test_completions_are_counted_after_the_warm_up(seed):
    """Intervals are a twentieth of 10 ms; a warm-up of 1.7 ms takes four of them."""
    result = run_for(MODEL, "c", RunLength(1_700_000, 10_000_000), seed)
    running = engine("auto")(MODEL, seed)
    counts = []
    for end_ns in (2_000_000, 12_000_000):
        running.advance(end_ns)
        counts.append(int(running.snapshot().workloads[0, 1]))
    assert BATCHES == 20
    assert (result.warmup_s, result.measured_s) == pytest.approx((2e-3, 10e-3))
    assert result.groups["c"].completed == counts[1] - counts[0]
    assert result.throughput.value == pytest.approx((counts[1] - counts[0]) / 10e-3)
    assert (result.seed, result.throughput.confidence, result.parts) == (seed, 0.95, ())
    assert 0.0 < result.throughput.precision < 0.5
    assert result.throughput.known


def test_an_answer_is_known_if_its_interval_is_half_as_wide_as_its_value():
    for length_ns, known in ((200_000, False), (300_000, True)):
        result = run_for(MODEL, "c", RunLength(100_000, length_ns), 1).throughput
        assert (result.precision <= 0.5) is known
        assert result.known is known


def test_without_a_warm_up_everything_is_counted():
    assert run_for(MODEL, "c", RunLength(0, 10_000_000), 1).warmup_s == 0.0
    assert run_for(MODEL, "c", RunLength(500_000, 10_000_000), 1).warmup_s == pytest.approx(0.5e-3)
    assert run_for(MODEL, "c", RunLength(500_001, 10_000_000), 1).warmup_s == pytest.approx(1e-3)
    assert run_for(MODEL, "c", RunLength(0, 19), 1).measured_s == pytest.approx(20e-9)


def test_a_job_is_run_to_its_end_a_few_times():
    job = Model([Closed("job", clients=1, path=Delay(Exponential(1e-5)), count=200)])
    result = run_for(job, "job", None, 3)
    assert result.elapsed == simulate(job, seed=3, precision=0.5, answers=["throughput"]).elapsed
    assert result.elapsed != run_for(job, "job", None, 4).elapsed


def test_a_deadlock_is_refused():
    one, two = Lock("one"), Lock("two")
    paths = [
        Hold(first.exclusive, Delay(1e-3), Hold(then.exclusive, Delay(1e-3)))
        for first, then in ((one, two), (two, one))
    ]
    model = Model([Closed(f"c{number}", clients=1, path=path) for number, path in enumerate(paths)])
    with pytest.raises(DeadlockError, match="deadlock"):
        run_for(model, "c0", RunLength(0, 10_000_000), 1)


def test_a_run_that_is_to_settle_goes_on_until_a_cache_is_full():
    """The cache takes 1000 writes at once, and the disk behind it one in a millisecond."""
    cache = Buffer("cache", 1000)
    behind = Fork((Use(Station("disk"), Exponential(1e-3)), Take(cache)), wait=False)
    model = Model([Closed("c", clients=4, path=[Delay(1e-5), Put(cache), behind])])
    short = RunLength(0, 1_000_000)
    burst, settled = (run_for(model, "c", short, 1, settle=each).throughput.value for each in (False, True))
    assert burst > 100_000
    assert settled == pytest.approx(1000.0, rel=0.2)


def test_values_alone_are_those_that_have_intervals():
    length = RunLength(1_700_000, 10_000_000)
    whole, values = (run_for(MODEL, "c", length, 1, intervals=each) for each in (True, False))
    for name, answer in whole.groups["c"].answers.items():
        alone = values.groups["c"].answers[name]
        assert alone.value == answer.value
        assert (math.isnan(alone.low), alone.known) == (True, False)
    assert values.places == whole.places
    assert (values.warmup_s, values.measured_s, values.steps) == (whole.warmup_s, whole.measured_s, whole.steps)


def test_a_run_that_goes_on_keeps_a_limited_number_of_intervals(monkeypatch):
    """Twice as many as the limit at most, and every run on is as long as all before."""
    held, merge = [], Snapshots.merge
    assert fixed_length.LONGEST == 800
    monkeypatch.setattr(fixed_length, "LONGEST", 30)
    monkeypatch.setattr(Snapshots, "merge", lambda each: held.append(each.intervals) or merge(each))
    behind = Fork((Use(Station("disk"), 1e-3), Take(Buffer("cache", 1000))), wait=False)
    model = Model([Closed("c", clients=4, path=[Delay(1e-5), Put(Buffer("cache", 1000)), behind])])
    result = run_for(model, "c", RunLength(0, 200_000), 1, settle=True)
    assert held == [40] * 4
    assert result.warmup_s == result.measured_s == pytest.approx(2e-4 * 2**4)


@pytest.mark.parametrize(("steps", "gives_up"), [(200, True), (1_000_000, False)])
def test_a_run_that_does_not_settle_is_given_up_after_the_steps_allowed(steps, gives_up):
    behind = Fork((Use(Station("disk"), 1e-3), Take(Buffer("cache", 1000))), wait=False)
    model = Model([Closed("c", clients=4, path=[Delay(1e-5), Put(Buffer("cache", 1000)), behind])])
    length = RunLength(0, 1_000_000)
    if not gives_up:
        assert run_for(model, "c", length, 1, settle=True, max_steps=steps).steps < steps
        return
    with pytest.raises(NoSteadyStateError, match=r"buffer 'cache' .* after [\d,]+ steps; allow more steps"):
        run_for(model, "c", length, 1, settle=True, max_steps=steps)
    first = run_for(model, "c", length, 1).steps
    for most, given_up_at_once in ((first - 1, True), (first, False)):
        with pytest.raises(NoSteadyStateError) as caught:
            run_for(model, "c", length, 1, settle=True, max_steps=most)
        assert (f" after {first} steps" in str(caught.value).replace(",", "")) is given_up_at_once
