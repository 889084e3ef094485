"""Percentiles of constant times, which nobody knows: whoever asks for one is told so, and gets all else."""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import date

import pytest

from sim import Closed, Constant, Exponential, InputError, Model, Station, Use, simulate
from sim.decision.compare import compare
from sim.decision.comparison_record import record as comparison_of
from sim.decision.find import find
from sim.decision.growing_load import GrowingLoad
from sim.decision.growth import grow
from sim.decision.record import record as finding_of
from sim.decision.space import space_of
from sim.engine.simulation.options import RunOptions
from sim.prediction.prediction_record import percentiles_record
from sim.prediction.timeline import WINDOWS, intact, timeline, without
from sim.system import Failure, Parameters, Scenario, Settings, System, choice, count
from sim.system.case import Case

OPTIONS = RunOptions(precision=0.02)
WHY = "p99 is not modelled: times of disk are constants; give them a variation, or a measured distribution"
PERCENTILES = {"p50", "p95", "p99"}


@dataclass(frozen=True)
class DiskSettings:
    clients: int = count(4, "clients who wait", high=64)
    speed: int = count(1, "times as fast", high=8)
    times: str = choice("constant", "of the disk", ("constant", "drawn", "compared"))


def build(settings: DiskSettings, _parameters: object) -> Scenario:
    """Clients at one disk of a millisecond: latency is that of all clients, whatever varies."""
    service_s = 1e-3 / settings.speed
    drawn = settings.times == "drawn"
    time = Exponential(service_s, source="a table") if drawn else Constant(service_s)
    load = Closed("reads", settings.clients, Use(Station("disk"), time))
    compared = "a study of this disk" if settings.times == "compared" else ""
    return Scenario(Model([load]), "reads", 1.0, "reads/s", compared=compared)


DISK = System(
    "disk",
    "one disk",
    Settings.of(DiskSettings),
    Parameters(()),
    build,
    failures=(Failure("speed", {"speed": 1}), Failure("what varies", {"times": "constant"})),
)


def found(goal, times="constant"):
    return finding_of(find(DISK, space_of(DISK, ("clients=1..2", f"times={times}")), [goal], OPTIONS))


def test_find_knows_no_design_by_a_goal_on_one():
    made = found("p99<=1s")
    assert (made["status"], made["design"]) == ("unknown", None)
    assert [(each["status"], each["reason"]) for each in made["rejected"]] == [("unknown", WHY)] * 2
    assert made["simulated"] == 0, "a short run says so, and no longer one is made"


def test_find_knows_the_same_design_by_the_mean_or_by_times_that_vary():
    assert found("mean<=1s")["design"] == found("p99<=1s", "drawn")["design"] == {"clients": 1}


def test_find_says_so_of_a_part_that_is_lost():
    lost = {each["part"]: each for each in found("p99<=1s", "drawn")["failures"]}
    assert (lost["what varies"]["kept"], lost["what varies"]["value"]) == (None, None)
    assert lost["what varies"]["reason"] == WHY


def grown(goal, times="constant"):
    load = GrowingLoad.of(DISK.settings, "clients=4", 0.5, 6, date(2026, 12, 1))
    return grow(DISK, {"times": times}, [goal], load, OPTIONS)


def test_growth_refuses_a_goal_on_one():
    with pytest.raises(InputError) as refused:
        grown("p99<=10ms")
    assert str(refused.value) == f"goal 'p99<=10ms': {WHY}"


def test_growth_finds_the_month_by_the_mean():
    """4, 6, 9, 14 clients wait as many milliseconds."""
    assert [month.load for month in grown("mean<=10ms").months][:4] == [4, 6, 9, 14]
    assert grown("p99<=10ms", "drawn").months


def compared(times):
    return compare(*(Case.of(DISK, {"speed": speed, "times": times}) for speed in (1, 2)), OPTIONS)


def test_compare_leaves_them_out_and_says_so():
    comparison = compared("constant")
    assert {each.name for each in comparison.differences} == {"throughput", "mean"}
    made = comparison_of(comparison)
    assert [set(made[side]["not_compared"]) for side in "ab"] == [PERCENTILES] * 2
    assert made["warnings"] == [f"{side}: percentiles {WHY.removeprefix('p99 is ')}" for side in "AB"]


def test_compare_has_a_row_for_each_where_times_vary():
    assert {each.name for each in compared("drawn").differences} == {"throughput", "mean", *PERCENTILES}


def windows(times):
    case = Case.of(DISK, {"speed": 2, "times": times})
    phases = [intact(case, OPTIONS), without(case, DISK.failures[0], OPTIONS)]
    return timeline(phases, OPTIONS)


def test_fail_leaves_the_cells_of_its_windows_empty():
    told = windows("constant")
    assert len(told) == 3 * WINDOWS
    assert all(math.isnan(each.p99_s) for each in told)
    assert told[WINDOWS - 1].mean_s == pytest.approx(2e-3, rel=0.02), "four clients, half a millisecond each"


def test_fail_fills_them_where_times_vary():
    """The wait of four clients at an exponential server is that of four services: a gamma distribution."""
    told = windows("drawn")
    assert not any(math.isnan(each.p99_s) for each in told)
    before = sorted(each.p99_s for each in told[:WINDOWS])[WINDOWS // 2]
    assert before == pytest.approx(10.045 * 0.5e-3, rel=0.15)


def test_constants_that_were_compared_with_published_percentiles_are_known():
    plain, held = (Case.of(DISK, {"times": times}).scenario for times in ("constant", "compared"))
    result = simulate(held.model, precision=0.02)
    for name in PERCENTILES:
        assert math.isnan(plain.answers(result)[name].estimate.value)
        assert held.answers(result)[name].estimate.value == pytest.approx(4e-3, rel=0.01)
    assert (plain.modelled(result, "reads"), held.modelled(result, "reads")) == (False, True)
    assert percentiles_record(held.variation(result))["status"] == "known"
