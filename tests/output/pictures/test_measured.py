"""Pictures of a measurement: every job once, unseen ones with their bands, and a curve for each kind of I/O."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

import measured_machine
from sim.prediction.uncertainty import PredictionInterval
from sim.system.stack.build import stack_system
from stacksim.measuring import answer
from stacksim.measuring.jobs import Job
from stacksim.measuring.loads import Load, loads
from stacksim.measuring.picture import agreement, throughput
from stacksim.measuring.view import chosen, limits, missed


def unseen_job(measured, predicted):
    """A job whose band reaches from half of what is predicted to twice that."""
    band = PredictionInterval(0.5 * predicted, 2.0 * predicted, 0.9, 0.1, 0.1)
    return answer.Tested(SimpleNamespace(value=measured, row="users=1"), predicted, band)


@pytest.fixture
def fit():
    seen = tuple(SimpleNamespace(measured=value, predicted=1.1 * value) for value in (10.0, 20.0, 300.0))
    unseen = {
        "held-out": (unseen_job(50.0, 60.0), unseen_job(500.0, 100.0)),
        "twice-the-load": (unseen_job(70.0, 80.0),),
    }
    return SimpleNamespace(
        fitted=SimpleNamespace(figures=seen),
        calibration=SimpleNamespace(),
        tested=unseen,
        percentiles={},
        curve=SimpleNamespace(name="capped linear"),
        by_curve={"held-out": 0.09, "twice-the-load": 0.2},
    )


def test_kinds_of_jobs_are_distinguished_and_unseen_ones_have_bands(fit):
    (axes,) = agreement(SimpleNamespace(fit=fit)).axes
    labels = [each.get_text() for each in axes.get_legend().get_texts()]
    assert [label.partition(",")[0] for label in labels] == ["fitted", "held out", "twice the load"]
    assert axes.lines[0].get_xdata().tolist() == [10.0, 20.0, 300.0]
    bands = [segment for each in axes.containers for segment in each.lines[2][0].get_segments()]
    assert [(x, low, high) for (x, low), (_, high) in bands] == [
        (50.0, 30.0, 120.0), (500.0, 50.0, 200.0), (70.0, 40.0, 160.0),
    ]  # fmt: skip


def test_how_many_lie_in_their_bands_is_reported(fit):
    lines = [line.before for line in missed(fit)]
    held_out, twice = lines
    assert held_out.endswith("50.0% in the median, 80.0% at worst; in their bands: 1; capped linear: 9.0%")
    assert held_out.startswith("held out: 2 jobs, missed by ")
    assert twice.startswith(
        "twice the load: 1 job, missed by 14.3% in the median, 14.3% at worst; in their bands: 1"
    )
    fit.percentiles = {"p99": (SimpleNamespace(error=-0.5), SimpleNamespace(error=0.1))}
    assert [line.before for line in missed(fit)][2:] == [
        "p99 of 2 jobs, of which the fit has seen none, missed by 30.0% in the median, 50.0% at worst"
    ]


def test_reason_for_the_stack_that_was_kept_is_stated(fit):
    other = SimpleNamespace(system=SimpleNamespace(title="two queues"), missed=0.21)
    fit.system, fit.missed, fit.rejected = SimpleNamespace(title="one queue"), 0.07, (other,)
    fit.curve = SimpleNamespace(name="capped linear", deviation=0.35)
    lines = [f"{line.before}{line.bold}{line.after}" for line in chosen(fit)]
    assert lines == [
        "stack         one queue",
        "chosen        a job left out of the fit is missed by 7% (root mean square); by",
        "              21% with the stack 'two queues'",
        "              35% with no stack, but the best curve through the jobs (capped linear)",
    ]


@pytest.fixture
def told(tmp_path):
    """Loads of a stack whose users may be up to eight, with ranges in place of a fit."""
    text = measured_machine.STACK.replace("[1, 1024]", "[1, 8]")
    text = text.replace('basis = "fitted"', 'range = ["15us", "900us"], basis = "assumed"', 1)
    (tmp_path / "stack.toml").write_text(text)
    return loads(stack_system(tmp_path / "stack.toml"), [Job("read", size, 4, 1) for size in (65536, 4096)])


def test_loads_are_of_the_smallest_and_largest_blocks_as_far_as_the_stack_allows(told):
    named = [(each.job.op, each.job.block, each.job.users) for each in told]
    assert named == [("read", block, users) for block in (4096, 65536) for users in (1, 2, 4, 8)]


def test_limits_are_named_for_some_of_the_loads(told):
    rows = limits(told).rows
    assert [row[0] for row in rows] == [
        *("read 4KiB, 1 process", "read 4KiB, 8 processes", "read 64KiB, 1 process", "read 64KiB, 8 processes")
    ]
    assert "latency-bound: each client waits for its own request; busiest resource: device" in rows[0][3]
    (curves,) = [axes.lines for axes in throughput(SimpleNamespace(loads=told)).axes]
    assert [curve.get_label() for curve in curves] == ["read 4KiB", "read 64KiB"]
    assert all(isinstance(each, Load) for each in told)
