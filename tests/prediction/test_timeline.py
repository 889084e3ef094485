"""Before, during and after a failure: each phase is in its windows what it is in the long run."""

from __future__ import annotations

from dataclasses import dataclass, replace

import pytest

from sim import Closed, Exponential, InputError, Model, ModelError, Station, Use
from sim.engine.simulation.options import RunOptions
from sim.prediction.degraded import degraded
from sim.prediction.timeline import WINDOWS, failure_of, intact, rebuild_s, timeline, without
from sim.system import Failure, Measure, Parameters, Scenario, Settings, System, count
from sim.system.case import Case

QUICK = RunOptions(precision=0.02, answers=("throughput",))


@dataclass(frozen=True)
class DiskSettings:
    disks: int = count(2, "disks", high=4)
    lost: int = count(0, "disks lost", low=0, high=4)
    ends: int = count(0, "reads after which it ends; 0: never", low=0)


def build(settings, _parameters):
    """Reads on disks of 1 ms each, which are dealt out to the clients."""
    left = settings.disks - settings.lost
    if left < 1:
        raise InputError(f"lost is {settings.lost} of {settings.disks} disks; allowed: fewer")
    loads = [
        Closed(
            f"client {n}",
            1,
            Use(Station(f"disk {n % left}"), Exponential(1e-3)),
            group="reads",
            count=settings.ends or None,
        )
        for n in range(12)
    ]
    rebuild = {"rebuild": Measure("MB/s", lambda result: result.throughput.scaled(1e-3))}
    return Scenario(Model(loads), "reads", 2.0, "MB/s", rebuild if settings.lost else {})


DISKS = System(
    "disks",
    "reads on disks",
    Settings.of(DiskSettings),
    Parameters(()),
    build,
    failures=(Failure("a disk", {"lost": 1}), Failure("all disks", {"lost": 2})),
)


@pytest.fixture(scope="module")
def case():
    return Case.of(DISKS, {})


@pytest.fixture(scope="module")
def phases(case):
    return [intact(case, QUICK), without(case, DISKS.failures[0], QUICK)]


def test_phases_have_their_steady_state_throughput(phases):
    before, after = (phase.prediction.throughput.value for phase in phases)
    assert (before, after) == pytest.approx((4000.0, 2000.0), rel=0.02)


def test_windows_of_a_phase_average_to_its_steady_state(phases):
    windows = timeline(phases, QUICK)
    assert [window.part for window in windows] == ["before"] * WINDOWS + ["a disk"] * WINDOWS + ["after"] * WINDOWS
    for part, expected, latency_s in (
        ("before", 4000.0, 6e-3),
        ("a disk", 2000.0, 12e-3),
        ("after", 4000.0, 6e-3),
    ):
        own = [window for window in windows if window.part == part]
        assert sum(window.throughput for window in own) / WINDOWS == pytest.approx(expected, rel=0.03)
        later = own[1:]  # in the first, requests end that began before
        assert sum(window.mean_s for window in later) / len(later) == pytest.approx(latency_s, rel=0.03)
        assert all(window.p99_s > window.mean_s for window in own)


def test_windows_are_contiguous_and_of_the_requested_length(phases):
    windows = timeline(phases, QUICK, 0.5)
    assert [window.begin_s for window in windows[1:]] == [window.end_s for window in windows[:-1]]
    assert windows[-1].end_s == pytest.approx(1.5)


def test_equal_seeds_give_equal_timelines(phases):
    assert timeline(phases, QUICK, 0.1) == timeline(phases, QUICK, 0.1)
    assert timeline(phases, QUICK, 0.1) != timeline(phases, replace(QUICK, seed=2), 0.1)
    reference = timeline(phases, replace(QUICK, engine="reference"), 0.1)
    assert reference == timeline(phases, replace(QUICK, engine="compiled"), 0.1)


def test_unworkable_phase_is_refused_with_its_reason(case):
    refused = without(case, DISKS.failures[1], QUICK)
    assert refused.prediction is None
    assert "lost is 2 of 2 disks; allowed: fewer" in refused.refused
    with pytest.raises(InputError, match=r"all disks: .*lost is 2 of 2"):
        timeline([intact(case, QUICK), refused], QUICK)


def test_a_job_that_ends_has_no_timeline():
    case = Case.of(DISKS, {"ends": 100})
    both = [intact(case, QUICK), without(case, DISKS.failures[0], QUICK)]
    with pytest.raises(ModelError, match="comes to an end, and phases need a load that goes on"):
        timeline(both, QUICK)


def test_the_analytic_engine_has_none_either(phases):
    with pytest.raises(InputError, match="what comes between two states is simulated; choose engine auto"):
        timeline(phases, RunOptions(engine="analytic"))


def test_a_part_goes_by_its_name_or_by_settings(case):
    assert failure_of(case, "a disk") is DISKS.failures[0]
    assert failure_of(case, "lost=1,disks=3") == Failure("lost=1,disks=3", {"disks": 3, "lost": 1})
    with pytest.raises(InputError, match="no part 'disk'; did you mean 'a disk'"):
        failure_of(case, "disk")
    with pytest.raises(InputError, match="no setting 'losd'; did you mean 'lost'"):
        failure_of(case, "losd=1")


def test_a_rebuild_takes_bytes_over_rate(phases):
    before, lost = phases
    assert rebuild_s(before, 1e9) is None
    rate = lost.prediction.answers["rebuild"].estimate.value * 1e6
    assert rebuild_s(lost, 1e9).value == pytest.approx(1e9 / rate)


def test_system_without_a_part_has_a_prediction_or_a_reason(case):
    left = degraded(case, QUICK)
    assert left.without("a disk").throughput.value == pytest.approx(left.before.throughput.value / 2, rel=0.05)
    with pytest.raises(InputError, match="all disks: lost is 2 of 2 disks"):
        left.without("all disks")


def test_a_system_of_which_nothing_may_fail_has_no_parts(case):
    whole = degraded(Case.of(replace(case.system, failures=()), {}), QUICK)
    assert whole.parts == ()
    with pytest.raises(InputError, match="no part 'a disk'; none can be lost"):
        whole.without("a disk")
