"""Goals on percentiles that the model does not have, and that the jobs of its fit tell."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

import pytest

from compared_jobs import percentiles, repeated, system
from sim.decision.find import find
from sim.decision.growing_load import GrowingLoad
from sim.decision.growth import grow
from sim.decision.growth_record import record as growth_record
from sim.decision.record import record
from sim.decision.space import space_of
from sim.engine.simulation.options import RunOptions
from sim.output.views import finding as finding_view
from sim.output.views import growth as growth_view
from sim.prediction.told_percentiles import told_percentiles
from sim.system.case import Case

MEASURED = system(repeated, percentiles=percentiles("p50", "p99"))
"""Jobs of 1 to 8 users, whose p99 is about 100 µs up to 5 users, and 20 µs more for each of those behind."""


def searched(goal, *words, made=MEASURED, largest="users"):
    return find(made, space_of(made, words, largest), [goal], RunOptions())


def grown(goal, months=24):
    load = GrowingLoad.of(MEASURED.settings, "users=2", 0.2, months, date(2026, 1, 1))
    return grow(MEASURED, {"block": "8KiB"}, [goal], load, RunOptions())


def test_a_design_is_kept_where_jobs_say_that_it_keeps_the_goal():
    found = searched("p99<=115us", "users=1..12", "block=16KiB")
    assert found.status == "found"
    assert found.design == {"users": 6}
    (kept,) = found.examinations[0].goals
    assert kept.by == "Gaussian process of measured jobs"
    assert kept.estimate.value == pytest.approx(109e-6, rel=0.01)  # 108 were measured
    assert 0.5 < kept.probability < 0.9
    assert kept.band.low < 108e-6 < kept.band.high
    assert not found.examinations[0].warnings
    goal = record(found)["goals"][0]
    assert (goal["by"], goal["kept"], goal["headroom"]) == (kept.by, True, None)


def test_a_design_that_misses_it_by_jobs_is_rejected_and_one_beyond_them_is_unknown():
    found = searched("p99<=130us", "users=1..12", "block=16KiB")
    reasons = {each.option.candidate.design["users"]: (each.status, each.reason) for each in found.rejected}
    assert reasons[8] == ("missed", "p99 is 162.6 µs (Gaussian process of measured jobs)")
    status, reason = reasons[9]
    assert status == "unknown"
    assert reason.startswith("p99 is told by no measured jobs around these settings, and not modelled")


def test_designs_between_which_the_goal_breaks_are_named():
    found = searched("p99<=150us", "users=1..12", "block=16KiB")
    (range_,) = found.told
    assert (range_.goal, range_.setting) == ("p99<=150us", "users")
    assert (range_.first, range_.last, range_.most) == (7, 8, 8)
    assert record(found)["told"] == [vars(range_)]
    text = lines(finding_view.parts(found))
    assert "p99 by Gaussian process of measured jobs; without the time between two I/Os" in text
    assert "p99<=150us from users=7 on, or not up to users=8, at 90%; more was not measured" in text


def test_where_jobs_lie_on_a_curve_it_breaks_between_two_neighbours():
    exact = [replace(each, measured=2e-5 * int(dict(each.conditions)["users"])) for each in percentiles("p99")]
    found = searched("p99<=70us", "users=1..12", "block=16KiB", made=system(repeated, percentiles=exact))
    assert found.design == {"users": 3}
    assert "p99<=70us between users=3 and users=4, at 90%" in lines(finding_view.parts(found))


def lines(parts):
    return "\n".join(str(getattr(each, "text", each)) for each in parts)


def test_a_goal_that_every_job_keeps_for_sure_breaks_nowhere_that_was_measured():
    (range_,) = searched("p99<=1ms", "users=1..12", "block=16KiB").told
    assert (range_.first, range_.last, range_.most) == (None, 8, 8)
    (range_,) = searched("p99<=20us", "users=1..8", "block=16KiB").told
    assert (range_.first, range_.last) == (1, None)


@pytest.mark.parametrize("words", [["op=write"], ["block=1MiB"], ["users=9..12"]])
def test_settings_of_which_no_percentile_was_measured_are_unknown(words):
    by_name = {word.split("=")[0]: word for word in ("users=1..4", "block=16KiB", "op=read", *words)}
    made = system(repeated, percentiles=percentiles("p99"))
    reads = tuple(each for each in made.parameters.compared if ("op", "read") in each.conditions)
    seen_under = tuple(each.conditions for each in reads)
    made = replace(made, parameters=replace(made.parameters, compared=reads, seen_under=seen_under))
    found = searched("p99<=1s", *by_name.values(), made=made)
    assert found.status == "unknown"
    assert found.told == ()


def test_a_percentile_that_was_not_measured_is_unknown():
    assert searched("p95<=1s", "users=1..4", "block=16KiB").status == "unknown"


def test_growth_predicts_goals_by_measured_jobs_as_far_as_they_reach():
    growth = grown("p99<=120us")
    (breaking,) = growth.breakings
    assert growth.months[breaking.month].load == 7
    assert growth.months[breaking.earliest].load < 7
    assert breaking.latest is None
    assert growth.months[-1].load <= 8
    assert "p99 is told by no measured jobs around these settings" in growth.end
    assert growth.warnings == []
    answer = growth_record(growth)["table"][0]["answers"][0]
    assert answer["by"] == "Gaussian process of measured jobs"
    assert answer["low"] < answer["value"] < answer["high"]
    text = lines(growth_view.parts(growth))
    assert "p99 by Gaussian process of measured jobs; without the time between two I/Os" in text


def test_jobs_have_to_lie_around_the_question_with_the_same_words():
    """Not with other words, nor with more bytes, nor where only few processes were measured with such words."""
    seen = [each for each in percentiles("p99") if int(dict(each.conditions)["users"]) < 6]
    more = [replace(each, conditions=(*each.conditions[:2], ("op", "write"))) for each in seen[:2]]
    made = system(repeated, percentiles=[*seen, *more])
    told = {
        (op, users): bool(told_percentiles(Case.of(made, {"op": op, "users": users, "block": "16KiB"})))
        for op in ("read", "write")
        for users in (1, 2, 4, 8)
    }
    assert [place for place, known in told.items() if known] == [("read", 1), ("read", 2), ("read", 4)]
