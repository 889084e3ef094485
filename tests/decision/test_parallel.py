"""Tasks side by side: in their order, and none goes on when another has failed."""

from __future__ import annotations

from itertools import count

import pytest

from sim.decision.parallel import side_by_side


def test_answers_are_in_the_order_of_the_tasks():
    shares = []
    tasks = [lambda _look, number=number: number for number in range(5)]
    assert side_by_side(tasks, shares.append) == [0, 1, 2, 3, 4]
    assert shares == [0.2, 0.4, 0.6, 0.8, 1.0]


def test_a_failure_ends_the_tasks_that_look():
    def fails(_look):
        raise ValueError("as it should")

    def endless(look):
        for number in count():
            look(number)

    with pytest.raises(ValueError, match="as it should"):
        side_by_side([endless, fails])
