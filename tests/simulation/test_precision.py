"""Runs go on until the precision is reached that was asked for, and say so where they may not."""

from __future__ import annotations

import math

import pytest

from sim import (
    Buffer,
    Closed,
    Delay,
    Exponential,
    Hold,
    Lock,
    Lognormal,
    Model,
    Open,
    Poisson,
    Put,
    Station,
    Take,
    Use,
    simulate,
)

QUEUE = Open("crowd", arrivals=Poisson(5e5), path=Use(Station("disk"), Exponential(1e-6)))


@pytest.mark.parametrize("precision", [0.05, 0.01, 0.003])
def test_run_reaches_the_requested_precision(precision):
    result = simulate(Model([QUEUE]), precision=precision)
    assert result.warnings == ()
    assert result.throughput.precision <= precision
    assert result.throughput.value == pytest.approx(5e5, rel=2 * precision)
    assert result.throughput.confidence == 0.95


def test_more_precision_and_more_confidence_take_more_steps():
    steps = [simulate(Model([QUEUE]), precision=each).steps for each in (0.05, 0.01, 0.003)]
    assert steps[0] < steps[1] < steps[2]
    assert simulate(Model([QUEUE]), precision=0.003, confidence=0.999).steps > steps[2]


def test_the_watched_group_is_the_one_that_is_known():
    rare = Open("rare", arrivals=Poisson(1e4), path=Delay(1e-6))
    careless, careful = (simulate(Model([QUEUE, rare]), watch=each, precision=0.02) for each in ("crowd", "rare"))
    assert careful.groups["rare"].throughput.precision <= 0.02
    assert careful.watched == "rare"
    assert careless.steps < careful.steps / 2


def test_a_run_goes_on_for_the_answers_that_are_watched():
    alone = simulate(Model([QUEUE]), precision=0.02, answers=["throughput"])
    result = simulate(Model([QUEUE]), precision=0.02)
    assert result.warnings == ()
    assert result.steps > alone.steps
    # The sojourn time of M/M/1 is exponential, of mean 1 / (mu - lambda) = 2 µs.
    for name, exact_s in (("mean", 2e-6), ("p50", 2e-6 * math.log(2)), ("p99", 2e-6 * math.log(100))):
        each = result.groups["crowd"].answers[name]
        assert each.known
        assert each.low < each.value < each.high
        assert each.precision <= 0.2
        assert each.value == pytest.approx(exact_s, rel=0.1)


def test_a_run_out_of_steps_states_its_precision():
    result = simulate(Model([QUEUE]), precision=0.0005, max_steps=20_000, answers=["throughput"])
    reached = f"±{result.throughput.precision:.2%}"
    assert len(result.warnings) == 1
    assert result.warnings[0].startswith(f"throughput is not known well enough: {reached} after ")
    assert "±0.05% was asked for; it would take about " in result.warnings[0]
    assert not result.throughput.known
    assert result.throughput.precision > 0.0005
    assert 2_500 <= result.steps < 100_000


def test_workload_without_completions_is_named_in_a_warning():
    lock = Lock("latch")
    keeper = Closed("keeper", clients=1, path=Hold(lock.exclusive, Delay(1e6)))
    starved = Closed("starved", clients=1, path=[Delay(1e-9), Hold(lock.shared, Delay(1e-6))])
    result = simulate(Model([QUEUE, keeper, starved]), precision=0.05)
    assert "workload 'starved' completed nothing in the whole run" in result.warnings


def test_a_job_of_chance_has_an_elapsed_time_with_an_interval():
    job = Closed("job", clients=2, path=Use(Station("disk"), Lognormal(1e-6, 1.0)), count=500)
    result = simulate(Model([job]), precision=0.02)
    elapsed = result.elapsed
    assert 0.0 < elapsed.low < elapsed.value < elapsed.high
    assert elapsed.precision <= 0.02
    assert elapsed.value == pytest.approx(500e-6, rel=0.05)
    assert result.throughput.value == pytest.approx(500 / elapsed.value, rel=1e-12)
    assert (result.throughput.low, result.throughput.high) == pytest.approx(
        (500 / elapsed.high, 500 / elapsed.low)
    )


def test_a_job_without_chance_is_known_exactly():
    elapsed = simulate(Model([Closed("job", clients=2, path=Delay(1e-6), count=10)])).elapsed
    assert (elapsed.low, elapsed.value, elapsed.high) == pytest.approx((5e-6, 5e-6, 5e-6), rel=1e-12)


def test_a_job_that_stays_uncertain_says_so():
    job = Closed("job", clients=1, path=Delay(Lognormal(1e-6, 5.0)), count=3)
    result = simulate(Model([job]), precision=0.001)
    assert result.elapsed.precision > 0.001
    assert any(
        each.startswith("elapsed time is not known") and " replications, ±0.10% was asked for" in each
        for each in result.warnings
    )


@pytest.mark.parametrize("precision", [0.05, 0.01])
def test_run_that_fills_a_buffer_is_not_settled(precision):
    """In front 1000 a second for two seconds; but all that lasts is the 500 a second of those behind."""
    buffer = Buffer("buffer", capacity=1000)
    front = Closed("front", clients=1, path=[Delay(1e-3), Put(buffer, 1)])
    behind = Closed("behind", clients=1, path=[Take(buffer, 1), Delay(2e-3)])
    result = simulate(Model([front, behind]), watch="front", precision=precision)
    assert result.throughput.value == pytest.approx(500, rel=precision)


@pytest.mark.parametrize("precision", [0.05, 0.02])
def test_run_that_begins_with_a_rush_is_not_settled(precision):
    """At first the streams behind take a chunk each, and the fronts run free; but all share one slow station."""
    segment, pairs = Station("segment"), []
    for number in range(80):
        buffer = Buffer(f"buffer {number}", capacity=64)
        front = [Delay(Exponential(1e-3)), Put(buffer, 1)]
        stream = [Take(buffer, 32), Use(segment, 0.5e-3)]
        pairs.append(Closed(f"front {number}", clients=1, path=front, group="front"))
        pairs.append(Closed(f"stream {number}", clients=1, path=stream, group="streams"))
    result = simulate(Model(pairs), watch="front", precision=precision)
    assert result.throughput.value == pytest.approx(32 / 0.5e-3, rel=precision)
