"""Measured jobs tell by themselves, beside the stack that was fitted to them, as far as they were measured."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from compared_jobs import percentiles, repeated, system, told
from sim.engine.simulation.options import RunOptions
from sim.output.views.prediction import parts
from sim.prediction.prediction import predict_case
from sim.prediction.rivals import rivals_of
from sim.system.case import Case


def predicted(made, **settings):
    return predict_case(Case.of(made, settings), RunOptions(), intervals=True)


def slower_writes(op, block, users):
    return told(op, block, users) * (0.5 if op == "write" else 1.0)


def test_stack_that_predicts_held_out_jobs_is_most_likely():
    of_stack, *others = predicted(system(repeated), users=6, block="16KiB").rivals
    assert of_stack.name == "the stack"
    assert of_stack.weight > max(each.weight for each in others)


def test_misses_at_every_figure_apply_in_between():
    found = predicted(system(slower_writes), users=5, block="8KiB", op="write")
    band, said = found.intervals["throughput"], {each.name: each for each in found.rivals}
    assert said["the stack"].weight < 0.05
    half = pytest.approx(0.5 * found.throughput.value, rel=0.1)
    assert said["the stack times what it missed nearby"].throughput == half
    assert band.mixture.middle == half
    assert band.high < found.throughput.value
    mean = found.intervals["mean"].mixture.middle
    assert mean == pytest.approx(2.0 * found.latency.mean.value, rel=0.1)
    lines = "\n".join(map(str, parts(found)))
    assert "from jobs" in lines
    assert found.record()["rivals"][0]["name"] == "the stack"


def test_latency_of_those_who_think_does_not_go_with_one_over_throughput():
    found = predicted(system(slower_writes, think='think = "1ms"'), users=5, block="8KiB", op="write")
    assert found.intervals["throughput"].mixture is not None
    assert found.intervals["mean"].mixture is None


@pytest.mark.parametrize("settings", [{"users": 64}, {"block": "1MiB"}])
def test_stack_alone_predicts_beyond_the_measured_range(settings):
    found = predicted(system(slower_writes), **settings)
    assert found.rivals == ()
    assert found.intervals["throughput"].mixture is None


def test_percentiles_that_the_stack_does_not_have_come_from_measured_jobs():
    found = predicted(system(repeated, percentiles=percentiles("p50", "p99")), users=7, block="8KiB")
    p50, p99 = found.told_percentiles
    assert (p50.measure, p99.measure) == ("p50", "p99")
    assert p50.low < 35e-6 < p50.high
    assert p99.low < 140e-6 < p99.high
    lines = "\n".join(map(str, parts(found)))
    assert "'p99 latency', '1" in lines
    assert re.search(r"percentiles +by .* of measured jobs", lines)
    assert found.record()["told_percentiles"]["p99"]["value"] == p99.value
    assert predicted(system(repeated, percentiles=percentiles("p99")), users=64).told_percentiles == ()


def test_percentiles_from_measured_jobs_are_in_order():
    swapped = [
        replace(each, measure={"p50": "p99", "p99": "p50"}[each.measure]) for each in percentiles("p50", "p99")
    ]
    p50, p99 = predicted(system(repeated, percentiles=swapped), users=7, block="8KiB").told_percentiles
    assert p50.value <= p99.value
    assert p50.high <= p99.high


def test_jobs_without_held_out_predictions_give_no_weights():
    made = system(slower_writes)
    jobs = made.parameters.compared
    few = tuple(each if at < 3 else replace(each, held_out=None) for at, each in enumerate(jobs))
    of_few = replace(made, parameters=replace(made.parameters, compared=few))
    assert rivals_of(Case.of(of_few, {"users": 5}), "MB/s", 100.0) == ()
    assert rivals_of(Case.of(made, {"users": 5}), "commits/s", 100.0) == ()


def test_stack_that_misses_fitted_jobs_alone_is_unlikely():
    """Of 2 users, which nobody held out, it says twice as much; no job that the fit has not seen is missed."""

    def of_two(op, block, users):
        return repeated(op, block, users) * (0.5 if users == 2 else 1.0)

    made = system(of_two)
    of_stack, *_, surface = rivals_of(Case.of(made, {"users": 2}), "MB/s", told("read", 4, 2))
    assert of_stack.weight < 0.1
    assert of_stack.deviation > 0.2
    assert surface.throughput < 0.75 * of_stack.throughput


def test_cross_validated_error_counts_and_not_that_in_sample():
    """It meets all that it saw, and in folds missed them by half: it is as far off as these."""
    made = system(repeated)
    jobs = tuple(replace(each, held_out=0.5 * each.predicted) for each in made.parameters.compared)
    of_stack, *_ = rivals_of(
        Case.of(replace(made, parameters=replace(made.parameters, compared=jobs)), {"users": 5}), "MB/s", 100.0
    )
    assert of_stack.weight < 0.01
    assert of_stack.deviation == pytest.approx(0.69, abs=0.05)
