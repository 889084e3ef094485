"""When an answer counts as known: now, and at half the run, from batches that do not resemble their neighbours."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import partial

import numpy as np
import pytest

from recorded import run_of
from sim import (
    Constant,
    Empirical,
    Erlang,
    Exponential,
    Gamma,
    InputError,
    Lognormal,
    Model,
    Open,
    PerItem,
    Poisson,
    Station,
    Use,
)
from sim.engine.simulation.judgement import Judge
from sim.engine.simulation.tails import kurtosis_of, min_completions
from sim.engine.statistics.answers import ANSWERS, tolerances
from sim.engine.statistics.estimates import Estimate
from sim.engine.statistics.histogram import BINS, bin_of
from sim.engine.statistics.intervals import Batches

EDGES = [0, 64]

UNREAD = partial(pytest.fail, "no answer of a system's own is watched")


class Scripted:
    """A run of which only the spread of batches counts: relative error ``spread`` of each, over 64 batches."""

    def __init__(self, spread, completed=100_000, steps=200_000, pattern=None):
        self.steps, self._completed = steps, completed
        pattern = np.tile([1.0, -1.0], 32) if pattern is None else pattern
        self._counts = completed / 64 * (1.0 + spread * pattern / pattern.std())

    def counter(self, _column, _rows, _edges=None):
        return np.array([0.0, self._completed])

    def request_batches(self, _rows, _group, _edges, _controls=None):
        histogram = np.zeros((64, BINS), np.int64)
        histogram[:, bin_of(1000)] = self._counts
        return Batches(np.full(64, 1e9), self._counts, 1000.0 * self._counts, lambda: histogram)


def judge(*answers, max_completed=10**9, max_steps=10**9, model=None):
    model = model or Model([Open("o", arrivals=Poisson(1.0), path=Use(Station("s"), Constant(0.1)))])
    limits = {"max_completed": max_completed, "max_steps": max_steps}
    return Judge(run_of(model, answers=answers or ("throughput",), **limits))


def half_width(spread):
    """Of the interval of a rate, as a share, by Student's t of 64 batches."""
    return 1.998 * spread / math.sqrt(63)


def seen(found, *spreads, **options):
    for spread in spreads:
        found.look(Scripted(spread, **options), EDGES, UNREAD)
    return found.known("throughput")


def test_the_run_is_looked_at_again_after_it_has_doubled():
    narrow = 0.5 * 0.01 / half_width(1.0)
    assert not seen(judge(), *[narrow] * 4)
    assert seen(judge(), *[narrow] * 5)


def test_at_half_the_run_it_may_be_root_two_as_wide():
    unit = 0.01 / half_width(1.0)
    assert seen(judge(), 1.35 * unit, 9.0, 9.0, 9.0, 0.9 * unit)
    assert not seen(judge(), 1.5 * unit, 9.0, 9.0, 9.0, 0.9 * unit)
    assert not seen(judge(), 1.35 * unit, 9.0, 9.0, 9.0, 1.1 * unit)


def test_reported_width_is_the_mean_of_two():
    unit = 0.01 / half_width(1.0)
    verdict = judge()
    seen(verdict, 1.3 * unit, 9.0, 9.0, 9.0, 0.5 * unit)
    estimate = Scripted(0.5 * unit).request_batches(0, 0, 0).answer("throughput", 0.95).estimate
    wider = verdict.widened("throughput", estimate)
    assert wider.value == estimate.value
    assert wider.precision == pytest.approx((1.3 / math.sqrt(2.0) + 0.5) / 2 * 0.01, rel=1e-3)
    assert estimate.precision == pytest.approx(0.5 * 0.01, rel=1e-3)
    factor = wider.precision / estimate.precision
    lopsided = verdict.widened("throughput", Estimate(10.0, 6.0, 30.0, 0.95))
    assert (lopsided.low, lopsided.high) == pytest.approx((10.0 - 4.0 * factor, 10.0 + 20.0 * factor))
    assert verdict.widened("throughput", Estimate(10.0, 2.0, 30.0, 0.95)).low == 0.0  # 8 times the factor is more


def test_percentiles_are_looked_at_once_the_others_are_nearly_known():
    unit = 0.01 / half_width(1.0)
    for spread, looked in ((1.4, True), (1.45, False)):
        verdict = judge("throughput", "p50")
        seen(verdict, *[spread * unit] * 5)
        assert verdict.known("p50") is looked
        assert math.isfinite(verdict.would_take("p50")) is looked


def test_percentiles_are_looked_at_beside_an_answer_that_is_given_up():
    unit = 0.01 / half_width(1.0)
    verdict = judge("throughput", "p50", max_completed=100_000)
    seen(verdict, *[9.0 * unit] * 5)
    assert verdict.hopeless("throughput")
    assert verdict.known("p50")
    assert verdict.decided


def test_a_run_that_had_not_settled_at_half_is_not_known():
    narrow = 0.5 * 0.01 / half_width(1.0)
    verdict = judge()
    verdict.look(Scripted(narrow), None, UNREAD)
    assert not seen(verdict, *[narrow] * 4)
    assert seen(verdict, narrow)


def test_correlated_batches_are_too_short():
    rise = np.repeat([1.0, -1.0, 1.0, -1.0], 16)
    assert not seen(judge(), *[1e-5] * 5, pattern=rise)
    assert seen(judge(), *[1e-5] * 5)


@pytest.mark.parametrize(
    ("precision", "answers", "least"),
    [
        (0.02, ("throughput", "p50"), 500),
        (0.021, ("throughput", "p50"), 1000),
        (0.02, ("throughput", "mean"), 1000),
        (0.4, ("throughput",), 1000),
        (0.5, ("throughput",), 500),
    ],
)
def test_a_handful_of_completions_is_not_enough_and_a_brief_run_takes_some_more(precision, answers, least):
    verdict = judge(*answers)
    verdict.run = replace(verdict.run, options=replace(verdict.run.options, precision=precision))
    seen(verdict, *[1e-5] * 5, completed=least - 1)
    assert not verdict.decided
    seen(verdict, *[1e-5] * 5, completed=least)
    assert verdict.decided


def test_an_answer_beyond_four_budgets_is_given_up_after_a_quarter_of_one():
    unit = 0.01 / half_width(1.0)
    verdict = judge(max_completed=390_000)
    seen(verdict, 4.1 * unit)  # 100,000 × 4.1² = 4.3 budgets
    assert verdict.hopeless("throughput")
    assert verdict.would_take("throughput") == pytest.approx(1e5 * 4.1**2, rel=0.01)
    seen(verdict, 3.9 * unit)
    assert not verdict.hopeless("throughput")
    early = judge(max_completed=410_000)
    seen(early, 9.0 * unit)
    assert not early.hopeless("throughput")
    by_steps = judge(max_steps=780_000)  # two steps a request
    seen(by_steps, 4.1 * unit)
    assert by_steps.hopeless("throughput")


def test_share_done_is_completed_over_needed():
    unit = 0.01 / half_width(1.0)
    verdict = judge("throughput", "mean")
    assert verdict.share_done == 0.0
    seen(verdict, 2.0 * unit)  # four times as many; for the mean, less than one
    assert verdict.share_done == pytest.approx(0.25, rel=0.01)
    seen(verdict, *[0.5 * unit] * 5)
    assert verdict.share_done == 1.0
    short = judge(max_completed=300_000)
    seen(short, 3.0 * unit)  # nine times as many, of which the budget is a third
    assert short.share_done == pytest.approx(1 / 3)


def test_a_mean_behind_rare_long_services_is_not_known_before_they_have_been_met():
    path = Use(Station("s"), Lognormal(1e-3, 2.0))
    model = Model([Open("o", arrivals=Poisson(10.0), path=path)])
    verdict = judge("mean", model=model)
    least = min_completions(model, 0.05)
    assert least == pytest.approx((5.0**4 - 1) * (1.96 / 0.05) ** 2, rel=1e-3)
    for completed, known in ((least * 0.99, False), (least * 1.01, True)):
        for _ in range(5):
            verdict.look(Scripted(1e-6, completed=completed), EDGES, UNREAD)
        assert verdict.known("mean") is known
    assert judge("mean", model=model, max_completed=900_000).hopeless("mean")


@pytest.mark.parametrize(
    ("time", "expected"),
    [
        (Constant(1e-3), 1.0),
        (Exponential(1e-3), 6.0),
        (Lognormal(1e-3, 1.0), 16.0),
        (Gamma(1e-3, 1.0), 6.0),
        (Erlang(1e-3, 4), 6 * 7 / (4 * 5)),
        (Empirical([1.0, 3.0]), (1 + 81) / 2 / ((1 + 9) / 2) ** 2),
        (PerItem(Exponential(1e-3), 1e-6), 6.0),
    ],
    ids=str,
)
def test_how_rare_the_longest_services_are(time, expected):
    assert kurtosis_of(time) == pytest.approx(expected)


def test_latencies_may_be_known_less_well_than_throughput_but_not_without_limit():
    assert tolerances(0.01) == pytest.approx(dict(zip(ANSWERS, (0.01, 0.05, 0.05, 0.05, 0.1), strict=True)))
    assert tolerances(0.002)["p99"] == pytest.approx(0.02)
    assert tolerances(0.05)["mean"] == tolerances(0.10)["mean"] == pytest.approx(0.10)
    assert tolerances(0.3)["mean"] == pytest.approx(0.3)
    with pytest.raises(InputError, match="did you mean 'mean'"):
        judge_names("meen")


def judge_names(*names):
    from sim.engine.statistics.answers import check_answers

    return check_answers(names)


def test_doubt_about_a_narrow_interval_has_a_reason():
    unit = 0.01 / half_width(1.0)
    verdict = judge()
    seen(verdict, 9.0 * unit, 9.0, 9.0, 9.0, 0.5 * unit)
    assert verdict.doubt("throughput") == "half of that did not show it yet"
    seen(verdict, *[0.5 * unit] * 5)
    assert verdict.doubt("throughput") == "neighbouring parts of the run still resemble each other"


class Halves(Scripted):
    """In every second batch requests take a microsecond, in others a millisecond: nobody knows the median."""

    def request_batches(self, *which):
        histogram = np.zeros((64, BINS), np.int64)
        histogram[::2, bin_of(1000)] = self._counts[::2]
        histogram[1::2, bin_of(10**6)] = self._counts[1::2]
        batches = super().request_batches(*which)
        return replace(batches, histograms=lambda: histogram)


def test_a_run_that_waits_for_no_percentiles_any_more_is_brief_and_looks_again():
    unit = 0.01 / half_width(1.0)
    pairs = np.tile([1.0, 1.0, -1.0, -1.0], 16)  # by batches of two the interval is √2 times as wide
    model = Model([Open("o", arrivals=Poisson(1.0), path=Use(Station("s"), Constant(0.1)))])
    judged = Judge(run_of(model, answers=("throughput", "p50"), max_completed=10**9, max_steps=10**9))
    judged.run = replace(judged.run, percentiles=lambda _result: False)
    for _ in range(5):
        judged.look(Halves(0.8 * unit, completed=10_000, pattern=pairs), EDGES, UNREAD)
    assert judged.known("throughput")
    judged.ask(lambda: None)
    assert judged.run.options.answers == ("throughput",)
    assert not judged.decided
    judged.look(Halves(0.8 * unit, completed=10_000, pattern=pairs), EDGES, UNREAD)
    assert not judged.decided
    judged.look(Halves(0.6 * unit, completed=10_000, pattern=pairs), EDGES, UNREAD)
    assert judged.decided
