"""Jobs are run again until their answers are known: how often, and what is said of them."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from sim import (
    Cache,
    Closed,
    Delay,
    Exponential,
    Lognormal,
    Lookup,
    Model,
    ModelError,
    NoSteadyStateError,
    Uniform,
    simulate,
)
from sim.engine.simulation.replications import BEYOND, ENOUGH, HOPELESS, MAX, MIN, seed_of

THROUGHPUT = ("throughput",)


def job(time, count=100, **options):
    model = Model([Closed("job", clients=1, path=Delay(time), count=count)])
    return simulate(model, **{"answers": THROUGHPUT, "parts": True} | options)


def width(elapsed_s, precision):
    """Of the interval of the mean of these, in that which is asked for."""
    half = stats.t.ppf(0.975, len(elapsed_s) - 1) * np.std(elapsed_s, ddof=1) / math.sqrt(len(elapsed_s))
    return half / np.mean(elapsed_s) / precision


def test_the_rules_are_those_of_the_document():
    assert (MIN, ENOUGH, MAX, HOPELESS, BEYOND) == (4, 16, 64, 4.0, 10.0)


def test_a_job_without_chance_is_run_four_times():
    result = job(1e-6)
    assert len(result.parts) == 4
    assert result.throughput.known
    assert result.elapsed.known


@pytest.mark.parametrize("precision", [0.02, 0.04, 0.08])
def test_fewer_than_sixteen_replications_have_to_be_narrower_in_proportion(precision):
    result = job(Exponential(1e-6), precision=precision)
    times = [each.elapsed.value for each in result.parts]
    enough = [
        count
        for count in range(MIN, MAX + 1)
        if width(times[:count], precision) * max(1.0, ENOUGH / count) <= 1.0 or count == len(times)
    ]
    assert enough[0] == len(times)
    assert MIN < len(times) < MAX
    assert result.elapsed.precision == pytest.approx(width(times, precision) * precision)
    assert result.elapsed.value == pytest.approx(np.mean(times))
    assert result.elapsed.known
    assert result.warnings == ()


def test_hopeless_precision_is_given_up_after_sixteen_replications():
    """Sixteen are 1/16 of four times the most: an interval of up to four times the width is worth to go on."""
    for precision in (0.0045, 0.0065, 0.008):
        result = job(Exponential(1e-6), precision=precision)
        times = [each.elapsed.value for each in result.parts]
        hopeless = [
            count for count in range(ENOUGH, MAX + 1) if count * width(times[:count], precision) ** 2 > 256.0
        ]
        assert len(times) == (hopeless[0] if hopeless else MAX)
        assert not result.elapsed.known
        assert not result.throughput.known
        (warning,) = result.warnings
        assert warning == (
            f"elapsed time is not known well enough: ±{result.elapsed.precision:.2%} after {len(times)} "
            f"replications, ±{precision:.2%} was asked for; allow a wider interval (a larger precision), or "
            "lengthen the job"
        )
    assert job(Lognormal(1e-6, 3.0), precision=0.001).warnings[0].startswith("elapsed time is not known")
    assert len(job(Lognormal(1e-6, 3.0), precision=0.001).parts) == 16


def test_a_percentile_of_which_too_few_requests_are_slower_is_not_waited_for():
    """64 runs of 15 requests have 9.6 beyond p99, and of 16 requests 10.24."""
    for count, runs in ((15, False), (16, True)):
        result = job(Exponential(1e-6), count=count, answers=("throughput", "p99"), precision=0.3)
        assert (len(result.parts) > 12) is runs
    assert result.groups["job"].latency.p99.value == pytest.approx(math.log(100) * 1e-6, rel=0.4)


def test_throughput_is_count_over_elapsed_time():
    result = job(Exponential(0.3))
    assert result.throughput.value == pytest.approx(100 / result.elapsed.value)
    assert result.throughput.low == pytest.approx(100 / result.elapsed.high)
    assert result.throughput.high == pytest.approx(100 / result.elapsed.low)


def test_latency_is_that_of_the_requests_of_all_runs():
    result = job(Exponential(1e-6), answers=("mean",), precision=0.02)
    latency = result.groups["job"].latency.mean
    means = [each.elapsed.value / 100 for each in result.parts]
    assert latency.value == pytest.approx(np.mean(means))
    half = stats.t.ppf(0.975, len(means) - 1) * np.std(means, ddof=1) / math.sqrt(len(means))
    assert (latency.low, latency.high) == pytest.approx((latency.value - half, latency.value + half))
    assert latency.known
    assert result.measured_s == pytest.approx(result.parts[0].elapsed.value)


def test_a_hit_ratio_is_the_mean_of_the_runs():
    path = Lookup(Cache("k", 50), Uniform(90), Delay(1e-6), Delay(2e-6))
    model = Model([Closed("job", clients=1, path=path, count=300)])
    result = simulate(model, answers=THROUGHPUT, parts=True, precision=0.05)
    ratios = [each.groups["job"].hit_ratio.value for each in result.parts]
    assert result.groups["job"].hit_ratio.value == pytest.approx(np.mean(ratios))
    assert result.groups["job"].hit_ratio.low < np.mean(ratios) < result.groups["job"].hit_ratio.high
    assert len(set(ratios)) > 1


def test_values_that_are_no_answers_come_from_the_first_run():
    """Of requests that have no end, beside a job, each run has completed another number."""
    think = Exponential(1e-6)
    loads = [Closed("job", 1, Delay(1e-6), count=100, think=think), Closed("o", 4, Delay(think), think=think)]
    result = simulate(Model(loads), watch="job", answers=THROUGHPUT, parts=True, precision=0.1)
    first, second, *_ = (each.groups["o"] for each in result.parts)
    found = result.groups["o"]
    assert (found.completed, found.population) == (first.completed, first.population)
    assert (found.completed, found.population) != (second.completed, second.population)


def test_runs_are_of_seeds_of_their_own():
    assert seed_of(5, 0) == 5
    assert len({seed_of(5, each) for each in range(64)} | {seed_of(6, each) for each in range(64)}) == 128
    assert seed_of(5, 1) == 300716948162335101222652474985238628169  # another, and all printed results move
    first, second, *_ = job(Exponential(1e-6), precision=0.1).parts
    assert first.seed == 1
    assert second.elapsed.value != first.elapsed.value


def test_a_job_that_does_not_end_is_refused_after_the_steps_allowed():
    model = Model([Closed("job", clients=1, path=Delay(1e-6), count=10_000)])
    with pytest.raises(
        NoSteadyStateError,
        match=r"not ended after [\d,]+ steps: workload .* has completed \d+ of \d+ requests; make",
    ):
        simulate(model, max_steps=5000)
    assert simulate(model, max_steps=10_000).elapsed.value == pytest.approx(10e-3)
    twice = Model([Closed("job", clients=1, path=[Delay(1e-6), Delay(1e-6)], count=5000)])
    with pytest.raises(NoSteadyStateError, match="the job has not ended"):
        simulate(twice, max_steps=6000)


def test_a_job_of_no_time_is_refused():
    with pytest.raises(ModelError, match="the job took no time at all"):
        job(1e-12)


def test_the_share_done_is_reported():
    shares = []
    result = job(Exponential(1e-6), precision=0.04, progress=shares.append)
    times = [each.elapsed.value for each in result.parts]
    worst = [width(times[:count], 0.04) * max(1.0, 16 / count) for count in range(4, len(times) + 1)]
    assert shares == pytest.approx([1.0 / max(each, 1.0) ** 2 for each in worst])


def test_parts_are_kept_on_request():
    assert job(1e-6, parts=False).parts == ()
    assert job(1e-6).parts[0].elapsed.value == pytest.approx(100e-6)
    assert job(1e-6).parts[0].parts == ()
