"""Predictions over time against closed forms: burst, lasting rate, saw-tooth, and what is too short to tell."""

from __future__ import annotations

import math
import re
from time import process_time

import pytest

from filling import FILLING, IN_S, OUT_S
from sim.engine.errors import InputError
from sim.engine.simulation.options import RunOptions
from sim.engine.units import quantity
from sim.prediction.over_time import Span, predict_over_time
from sim.prediction.over_time_words import longer
from sim.prediction.prediction import predict
from sim.system.case import Case
from sim.system.what_if import with_set

MB = 0.065536
ERLANG_4 = 10.045
"""The 99th percentile of a sum of four exponential times with a mean of one each."""
TEETH = {"low": 30, "high": 70}
FAST_DRAIN = {"out_s": OUT_S / 4}


def filling(seconds, *, resolution_s=None, intervals=False, parameters=None, **settings):
    system = with_set(FILLING, parameters) if parameters else FILLING
    span = Span(seconds, resolution_s)
    return predict_over_time(Case.of(system, settings), span, RunOptions(), intervals=intervals)


@pytest.fixture(scope="module")
def burst():
    return filling(100.0, intervals=True)


@pytest.fixture(scope="module")
def teeth():
    return filling(300.0, parameters=FAST_DRAIN, **TEETH)


def test_burst_and_rate_that_lasts_follow_from_the_two_rates(burst):
    assert burst.value("burst") == pytest.approx(MB / IN_S, rel=0.01)
    assert burst.value("burst_length") == pytest.approx(1e6 / (1 / IN_S - 1 / OUT_S), rel=0.02)
    assert burst.value("sustained") == pytest.approx(MB / OUT_S, rel=0.01)
    assert burst.value("throughput") == pytest.approx(MB * (1 / OUT_S + 1e6 / 100), rel=0.01)
    assert burst.unsettled == ()
    assert burst.end.limit.place == "disk"
    assert burst.begin.limit.place == "cpu"


def test_latencies_within_the_burst_and_after_it(burst):
    within, after = (burst.value(name) for name in ("p99_burst", "p99_sustained"))
    assert within == pytest.approx(ERLANG_4 * IN_S, rel=0.03)  # four users wait for one processor
    assert after == pytest.approx(ERLANG_4 * OUT_S, rel=0.03)  # and then for one disk


def test_draws_of_the_drain_move_what_hangs_on_it(burst):
    rate, length, lasting = (burst.intervals[name] for name in ("burst", "burst_length", "sustained"))
    assert rate.parameters + rate.ranges < 0.01
    slower, faster = (1e6 / (1 / IN_S - times / OUT_S) for times in (1 / 1.25, 1.25))
    assert length.low < slower < faster < length.high
    assert lasting.low < MB / (1.25 * OUT_S)
    assert lasting.ranges > 0.1


def test_saw_tooth_has_the_period_of_its_level(teeth):
    cycle = teeth.record.cycle
    fast, slow = 1 / IN_S, cycle.low
    out = 4 / OUT_S
    expected = 200_000 * (1 / fast + 1 / slow + 1 / (out - fast) + 1 / (out - slow))
    period = teeth.answers["period"].estimate
    assert period.value == pytest.approx(expected, rel=0.05)
    assert period.low < period.value < period.high
    assert cycle.low * MB < teeth.value("sustained") < cycle.high * MB
    assert teeth.unsettled == ()


def test_lowest_minute_is_a_mean_of_seconds(teeth):
    second, minute = (teeth.value(name) for name in ("lowest_second", "lowest_minute"))
    assert second < minute < teeth.value("throughput") * 1.001
    assert "lowest_hour" not in teeth.answers


def test_time_too_short_is_told_with_one_that_suffices():
    short = filling(10.0)
    (line,) = short.unsettled
    assert re.fullmatch(r"cache still fills for 6\.\d+ s more; ask for 25s", line)
    assert not short.answers["sustained"].estimate.known
    assert short.answers["burst_length"].estimate.low == pytest.approx(10.0)
    assert math.isinf(short.answers["burst_length"].estimate.high)
    assert filling(quantity("time", line.rpartition(" ")[2], "second")).unsettled == ()


def test_too_few_teeth_are_told(teeth):
    few = filling(2.5 * teeth.value("period"), parameters=FAST_DRAIN, **TEETH)
    assert few.record.cycle is None
    assert any("too few to tell a period" in line or "still" in line for line in few.unsettled)


def test_steps_allowed_end_the_run():
    span = Span(1000.0)
    cut = predict_over_time(Case.of(FILLING, {}), span, RunOptions(max_steps=100_000), intervals=False)
    assert cut.record.seconds < 1000.0
    assert "100," in cut.unsettled[0]
    assert "allow more steps" in cut.unsettled[0]


def test_credits_last_as_long_as_they_cover_what_is_beyond_the_baseline():
    case = Case.of("gp3", {"credits": "full", "iops": 16_000, "jobs": 16, "block": "4KiB"})
    prediction = predict_over_time(case, Span(7200.0), RunOptions(), intervals=False)
    credits_, baseline = 1800 * (18_750 - 3_600), 3_600
    assert prediction.value("burst_length") == pytest.approx(credits_ / (16_000 - baseline), rel=0.01)
    assert prediction.value("sustained") == pytest.approx(baseline * 4096e-6, rel=0.01)
    assert prediction.levels == []  # a token bucket is the model's affair
    assert prediction.answers["p99"].why
    assert prediction.end.limit.place == "instance IOPS"


def test_steady_load_has_no_burst_and_its_steady_throughput():
    over = predict_over_time(Case.of("gp3", {}), Span(60.0), RunOptions(), intervals=False)
    steady = predict("gp3", {}, RunOptions(precision=0.05), intervals=False)
    assert over.record.burst is None
    assert over.value("sustained") == over.value("burst") == pytest.approx(steady.throughput.value, rel=0.02)
    assert over.value("burst_length") == pytest.approx(60.0)
    assert over.unsettled == ()


@pytest.mark.parametrize(
    ("seconds", "part_s", "lowest"),
    [(7200.0, 1.0, "lowest_second"), (30 * 86400.0, 60.0, "lowest_minute"), (2.0, 0.1, "lowest")],
)
def test_parts_suit_the_time(seconds, part_s, lowest):
    span = Span(seconds)
    assert (span.part_s, span.lowest) == (part_s, lowest)


def test_times_to_ask_for_are_round():
    assert [longer(each) for each in (8.0, 100.0, 3000.0, 40_000.0, 200_000.0)] == [
        "12s",
        "2.5min",
        "75min",
        "17h",
        "3.5d",
    ]


@pytest.mark.parametrize(
    ("system", "span", "options", "said"),
    [
        (FILLING, (1.0,), {"engine": "analytic"}, "answers over time are simulated"),
        ("san", (1.0,), {}, "ends by itself"),
        (FILLING, (-1.0,), {}, "time is -1.0"),
        (FILLING, (1.0, 5.0), {}, "resolution is 5.0"),
    ],
)
def test_questions_without_an_answer_are_one_line(system, span, options, said):
    with pytest.raises(InputError, match=re.escape(said)):
        predict_over_time(Case.of(system, {}), Span(*span), RunOptions(**options))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("seconds", "blocks", "more"),
    [
        (3600.0, (1 << 40) // 65536, {}),
        (86400.0, 1_000_000, {}),
        (86400.0, 50_000_000, {"parameters": FAST_DRAIN, **TEETH}),
    ],
    ids=["a terabyte", "a day", "a day of saw-teeth"],
)
def test_long_times_take_two_seconds(blocks, seconds, more, capsys):
    filling(1.0)
    begun_s = process_time()
    prediction = filling(seconds, blocks=blocks, **more)
    took_s = process_time() - begun_s
    with capsys.disabled():
        print(f"\n{blocks:,} blocks for {seconds:g} s: {took_s:.2f} s, {prediction.record.steps:,} steps")  # noqa: T201
    assert took_s < 2.0
    if more:
        assert prediction.value("period") == pytest.approx(50 * 12.6, rel=0.02)
    else:
        assert prediction.value("burst_length") == pytest.approx(blocks / 60_000, rel=0.02)
