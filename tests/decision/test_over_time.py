"""Goals over time in find, growth and fail, judged by the answers of one run, against closed forms."""

from __future__ import annotations

from datetime import date

import pytest

from filling import FILLING, IN_S, OUT_S
from sim.decision.find import find
from sim.decision.goals import goals_of
from sim.decision.growing_load import GrowingLoad
from sim.decision.growth import grow
from sim.decision.growth_record import record
from sim.decision.space import space_of
from sim.engine.errors import InputError
from sim.engine.simulation.options import RunOptions
from sim.prediction.degraded import degraded
from sim.prediction.over_time import Span, units_of
from sim.system.case import Case

SPAN = Span(60.0)
FILL_S = 1.0 / (1 / IN_S - 1 / OUT_S)
"""Seconds of a burst for each block of the cache."""


def found(*goals, **ranges):
    words = [f"{name}={text}" for name, text in ranges.items()]
    return find(FILLING, space_of(FILLING, words, None), goals, RunOptions(), over=SPAN)


def test_smallest_cache_whose_burst_lasts():
    finding = found("burst length>=25s", blocks="600000..2400000/600000")
    assert finding.design == {"blocks": 1_800_000}
    assert 1_200_000 * FILL_S < 25.0 < 1_800_000 * FILL_S
    (kept,) = finding.examinations[0].goals
    assert kept.goal.text == "burst_length>=25s"
    assert kept.estimate.value == pytest.approx(1_800_000 * FILL_S, rel=0.02)
    assert 0.5 < kept.probability < 1.0
    assert kept.band.low < kept.estimate.value < kept.band.high
    missed = [each.reason for each in finding.rejected if each.status == "missed"]
    assert all(each.startswith("burst_length is ") for each in missed)


def test_no_cache_keeps_a_rate_that_only_disks_give():
    finding = found("lowest second>=3GB/s", blocks="600000,1200000", disks="1,2")
    assert finding.design == {"blocks": 600_000, "disks": 2}
    (lost,) = finding.examinations[0].lost
    assert (lost.part, lost.kept) == ("a disk", False)
    assert lost.value == pytest.approx(0.065536 / OUT_S, rel=0.05)


def test_a_time_too_short_decides_nothing_about_what_lasts():
    finding = find(
        FILLING, space_of(FILLING, ["blocks=10000000"], None), ["sustained>=1GB/s"], RunOptions(), over=Span(10.0)
    )
    assert finding.status == "unknown"
    assert "still fills" in finding.examinations[0].warnings[0]


def test_month_in_which_the_burst_no_longer_covers_a_batch():
    load = GrowingLoad.of(FILLING.settings, "low=1", 0.5, 1, date(2026, 1, 1))
    growth = grow(
        FILLING, {"blocks": 600_000}, ["burst length>=5s", "burst>=7GB/s"], load, RunOptions(), over=SPAN
    )
    kept, broken = growth.breakings
    assert (kept.status, broken.status) == ("kept", "broken already")
    ends = growth.months[0].ends[kept.goal]
    assert ends.low < 600_000 * FILL_S < ends.high
    assert record(growth)["seconds"] == 60.0


def test_failed_disk_is_left_with_what_the_others_give():
    answer = degraded(Case.of(FILLING, {"disks": 2}), RunOptions(), SPAN)
    (lost,) = answer.parts
    assert answer.over.value("sustained") == pytest.approx(2 * 0.065536 / OUT_S, rel=0.02)
    assert lost.over.value("sustained") == pytest.approx(0.065536 / OUT_S, rel=0.02)
    assert "burst length" in str(answer)


@pytest.mark.parametrize("goal", ["lowest hour>=1MB/s", "utilisation>=1"])
def test_goals_that_the_time_has_no_answer_for_are_refused(goal):
    with pytest.raises(InputError, match="no answer"):
        goals_of([goal], units_of(Case.of(FILLING, {}), SPAN))
