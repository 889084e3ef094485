"""Goals: what is read, what is refused, and what is kept."""

from __future__ import annotations

import math

import pytest

from sim.decision.goals import Goal, goals_of, is_goal
from sim.engine.errors import InputError
from sim.engine.statistics.estimates import point
from sim.system import Answer

UNITS = {
    "throughput": "MB/s",
    "mean": "s",
    "p99": "s",
    "iops": "1/s",
    "reads": "reads/s",
    "thousands": "kIO/s",
    "hit_ratio": "%",
    "usable": "TB",
    "redo_rate": "bytes/s",
}


@pytest.mark.parametrize(
    ("text", "measure", "at_least", "limit"),
    [
        ("throughput>=5GB/s", "throughput", True, 5000.0),
        ("throughput ≥ 512 MiB/s", "throughput", True, 536.870912),
        ("iops>=250", "iops", True, 250.0),
        ("p99<=2ms", "p99", False, 2e-3),
        ("mean≤.5us", "mean", False, 0.5e-6),
        ("iops>=780k", "iops", True, 780e3),
        ("reads>=3000/s", "reads", True, 3000.0),
        ("reads>=3k reads/s", "reads", True, 3000.0),
        ("thousands>=505", "thousands", True, 505.0),
        ("thousands>=505k", "thousands", True, 505.0),
        ("thousands>=505 kIO/s", "thousands", True, 505.0),
        ("thousands>=2000/s", "thousands", True, 2.0),
        ("hit ratio>=90%", "hit_ratio", True, 90.0),
        ("usable>=100TB", "usable", True, 100.0),
        ("usable>=1PB", "usable", True, 1000.0),
        ("redo_rate<=8MB/s", "redo_rate", False, 8e6),
    ],
)
def test_a_goal_is_read_in_the_unit_of_its_answer(text, measure, at_least, limit):
    goal = Goal.of(text, UNITS)
    assert (goal.measure, goal.at_least, goal.unit) == (measure, at_least, UNITS[measure])
    assert goal.limit == pytest.approx(limit, rel=1e-12)
    assert " " not in goal.text


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("p98<=2ms", "no answer 'p98'; did you mean 'p99'"),
        ("p99<2ms", "allowed: answer, >= or <="),
        ("p99=2ms", "allowed: answer, >= or <="),
        ("p99<=", "the limit is ''"),
        ("p99<=2GB/s", "such as 2ms"),
        ("throughput>=5ms", "such as 100 MB/s"),
        ("throughput>=5k", "such as 100 MB/s"),
        ("throughput>=250", "such as 100 MB/s"),
        ("p99<=300", "such as 2ms"),
        ("redo_rate<=8", "with a unit like that of redo_rate"),
        ("reads>=3 writes/s", "such as 100 reads/s"),
        ("hit_ratio>=1s", "such as 100%"),
        ("throughput>=1e400", "the limit is '1e400'"),
        ("p99<=-2ms", "the limit is '-2ms'; allowed: a limit from 0 on"),
        ("iops>=-1", "the limit is '-1'; allowed: a limit from 0 on"),
        ("throughput>=5GB/s<=6GB/s", "not a goal"),
    ],
)
def test_a_goal_that_cannot_be_is_refused_in_one_line(text, says):
    with pytest.raises(InputError, match=says) as refused:
        Goal.of(text, UNITS)
    assert "\n" not in str(refused.value)


def test_two_goals_on_one_side_of_an_answer_are_refused():
    assert len(goals_of(["p99<=2ms", "mean<=1ms", "iops>=1", "iops<=9"], UNITS)) == 4
    with pytest.raises(InputError, match="limit one side"):
        goals_of(["p99<=2ms", "p99<=3ms"], UNITS)


def test_goal_is_kept_at_its_limit_and_not_by_nan():
    most, least = Goal.of("p99<=2ms", UNITS), Goal.of("throughput>=5GB/s", UNITS)
    assert most.keeps(2e-3)
    assert not most.keeps(2.1e-3)
    assert least.keeps(5000.0)
    assert not least.keeps(4999.0)
    assert not most.keeps(math.nan)
    assert not least.keeps(math.nan)


def test_an_answer_in_another_unit_of_its_kind_is_converted():
    goal = Goal.of("throughput>=5GB/s", UNITS)
    assert goal.answer({"throughput": Answer(point(2.0), "GB/s")}).value == pytest.approx(2000.0)
    with pytest.raises(InputError, match="throughput is in 1/s here"):
        goal.answer({"throughput": Answer(point(2.0), "1/s")})
    with pytest.raises(InputError, match="no answer 'throughput' here"):
        goal.answer({"mean": Answer(point(2.0), "s")})


def test_goals_are_distinguished_from_settings():
    assert is_goal("p99<=2ms")
    assert is_goal("throughput≥5")
    assert is_goal("throughput<5")
    assert not is_goal("users=5")
