"""A search finds what trying all candidates by simulation finds."""

from __future__ import annotations

import pytest

from random_spaces import by_hand, random_space
from sim.decision.cliffs import _fewer, cliffs
from sim.decision.goals import Goal
from sim.decision.screening import _outside, _stated
from sim.decision.search import search
from sim.statistics.estimates import Estimate
from sim.system.scenario import Answer


def check(number):
    each = random_space(number)
    found, expected = search(each.trials, each.space, each.costs), by_hand(each)
    designs = (
        [found.design.candidate.design]
        if each.costs and found.design
        else [one.candidate.design for one in found.front]
    )
    assert designs == expected, number
    assert (found.status == "found") == bool(expected)
    if each.kind == "hopeless":
        assert not expected
    return found


@pytest.mark.parametrize("number", [0, 1, 4, 5, 8, 25])
def test_a_search_finds_what_trying_all_finds(number):
    """In space 25 the analytic engine is 14 % off where it states 12."""
    check(number)


@pytest.mark.slow
def test_two_hundred_searches_find_what_trying_all_finds():
    seen = [check(number) for number in range(200)]
    assert sum(bool(list(cliffs(found))) for found in seen) > 20
    assert sum(found.status == "impossible" for found in seen) > 60


def test_cliffs_are_looked_for_at_every_place_near_the_design_and_at_two_thirds_further_on():
    assert list(_fewer(range(20))) == [0, 1, 2, 3, 4, 6, 9, 13, 19]
    assert list(_fewer(range(1))) == [0]


def stated(value, low, high, goal):
    answers = {"throughput": answer(value, low, high)}
    return _outside({goal: _stated(goal, answers, 0.01)}, answers, "analytic").status


def answer(value, low, high):
    return Answer(Estimate(value, low, high, 0.9), "1/s")


@pytest.mark.parametrize(("limit", "status"), [(119.0, "open"), (121.0, "missed")])
def test_a_goal_is_missed_only_beyond_twice_what_the_analytic_engine_states(limit, status):
    """90 to 110 is stated, so 80 to 120 is taken."""
    goal = Goal(f"throughput>={limit}", "throughput", at_least=True, limit=limit, unit="1/s")
    assert stated(100.0, 90.0, 110.0, goal) == status
    other = Goal("throughput<=", "throughput", at_least=False, limit=200.0 - limit, unit="1/s")
    assert stated(100.0, 90.0, 110.0, other) == status
