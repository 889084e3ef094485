"""Existence and beginning of a steady state: nothing that still changes passes for settled."""

from __future__ import annotations

import pytest

from benchmarks.long_runs import batched, bucket, filled, left_behind, locked, nested, queue, warm, written_back
from sim import (
    Buffer,
    Cache,
    Closed,
    Constant,
    Delay,
    Exponential,
    Lognormal,
    Lookup,
    Model,
    NoSteadyStateError,
    Open,
    Periodic,
    Put,
    Sequential,
    Station,
    Take,
    Use,
    simulate,
)

THROUGHPUT = ("throughput",)


def run(workloads, **options):
    return simulate(Model(workloads), **{"answers": THROUGHPUT} | options)


@pytest.mark.parametrize("precision", [0.01, 0.05])
def test_a_cache_that_fills_is_waited_for(precision):
    """Cold, nearly all look-ups miss; warm, ten of eleven hit, and the clients are seven times as fast."""
    result = run(filled(20_000, 22_000), precision=precision)
    assert result.throughput.known
    assert result.throughput.value == pytest.approx(warm(20_000, 22_000), rel=2 * precision)


def test_a_cache_that_cannot_be_filled_in_time_is_named():
    result = run(filled(2_000_000, 2_200_000), max_steps=1_000_000)
    assert not result.throughput.known
    assert result.warnings[0].startswith("not known well enough: cache 'k' still fills (")


def test_a_cache_with_free_misses_need_not_be_full():
    look_up = Lookup(Cache("k", 10_000_000), Sequential(100_000_000), Delay(1e-6), Delay(1e-6))
    result = run((Closed("c", clients=2, path=look_up),))
    assert result.warnings == ()
    assert result.throughput.value == pytest.approx(2e6)


def test_credits_that_run_out_are_part_of_the_warm_up():
    """5000 a second for 2.5 seconds, then 1000. One client is always on its way: the population tells nothing."""
    result = run(bucket(10_000, 1000.0, 5000.0))
    assert result.throughput.value == pytest.approx(1000.0, rel=0.002)
    assert result.warmup_s > 2.4
    (burst,) = result.bursts
    assert burst.place == "buffer 'credits'"
    assert burst.throughput.value == pytest.approx(5000.0, rel=0.03)
    assert burst.throughput.low < 5000.0 < burst.throughput.high
    assert burst.seconds.low <= 10_000 / 4000 * 1.01
    assert burst.seconds.high >= 10_000 / 4000 * 0.99


def test_burst_into_a_buffer_is_reported_beside_the_sustained_rate():
    result = run(written_back(20_000, 1.1))
    (burst,) = result.bursts
    assert burst.throughput.value == pytest.approx(1.1e5, rel=0.01)
    assert burst.seconds.value == pytest.approx(20_000 / 1e4, rel=0.02)
    assert run(written_back(20_000, 0.9)).bursts == ()
    assert run(queue(5e4, Exponential(1e-5))).bursts == ()


def test_filling_buffer_of_unknown_input_is_waited_for():
    """The look-up decides which path puts: what is put and what is taken cannot be compared in advance."""
    buffer, cache = Buffer("b", 3000), Cache("k", 1)
    put = Lookup(cache, Sequential(2), Put(buffer, 1), Put(buffer, 1))
    front = Closed("w", clients=1, path=[Delay(1e-3), put, Delay(Exponential(1e-6))])
    behind = Closed("d", clients=1, path=[Take(buffer, 1), Delay(1.5e-3)])
    result = run((front, behind), precision=0.02)
    assert result.throughput.value == pytest.approx(1 / 1.5e-3, rel=0.02)


@pytest.mark.parametrize("watch", ["o", "c"])
@pytest.mark.parametrize("rate", [4.1e4, 4.4e4])
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_hidden_overload_is_refused_for_any_watched_group(watch, rate, seed):
    with pytest.raises(NoSteadyStateError, match="clients of 'o' pile up"):
        run(nested(rate), watch=watch, seed=seed)


def test_possibly_growing_crowd_is_warned_of_if_steps_run_out():
    result = run(nested(4.02e4), watch="c", max_steps=400_000)
    assert not result.throughput.known
    assert "clients of 'o' (" in result.warnings[0]
    assert "may still pile up" in result.warnings[0]


@pytest.mark.parametrize("seed", range(1, 9))
def test_a_high_load_is_not_refused(seed):
    result = run(locked(9.8e4), seed=seed, precision=0.02)
    assert result.throughput.value == pytest.approx(9.8e4, rel=0.02)


@pytest.mark.parametrize("seed", range(1, 9))
def test_a_crowd_behind_one_long_service_is_not_taken_for_overload(seed):
    result = run(queue(3e4, Lognormal(1e-5, 20.0)), seed=seed, precision=0.05, max_steps=2_000_000)
    assert result.steps  # answered, or not known well enough, but not refused


def test_work_left_behind_without_limit_is_refused_and_with_a_limit_waited_for():
    with pytest.raises(NoSteadyStateError, match="background branches of 'c' pile up"):
        run(left_behind(19e-6))
    result = run(written_back(2000, 1.1))
    assert result.throughput.value == pytest.approx(1e5, rel=0.01)


def test_group_commit_is_not_refused_for_its_crowds():
    assert run(batched(9e4)).throughput.value == pytest.approx(9e4, rel=0.02)


def test_constant_latency_has_all_percentiles_at_its_mean():
    """A D/D/1 queue: every request takes 5.095 ms."""
    path = Use(Station("disk"), Constant(5.095e-3))
    latency = run((Open("o", arrivals=Periodic(6e-3), path=path),)).groups["o"].latency
    for each in (latency.p50, latency.p95, latency.p99):
        assert each.value == latency.mean.value == pytest.approx(5.095e-3, rel=1e-12)
        assert each.low <= each.value <= each.high
