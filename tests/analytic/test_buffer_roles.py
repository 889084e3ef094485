"""Which part a buffer plays, and how many can be in it at a time."""

from __future__ import annotations

from functools import reduce
from operator import add

import pytest

from analytic_parts import MS
from sim import Buffer, Cache, Choose, Closed, Delay, Lookup, ModelError, Open, Poisson, Put, Repeat, Take, Uniform
from sim.engine.analytic.buffer_roles import find_roles


def roles(*paths, member=lambda place: place):
    workloads = [Closed(f"{row}", clients=1, path=path) for row, path in enumerate(paths)]
    return find_roles(workloads, member)


def role(*paths):
    """The tokens of the one buffer there is, and whether it streams."""
    (found,) = roles(*paths).values()
    return found.tokens, found.two_sided


def test_a_buffer_between_two_sides_streams_through_all_its_room():
    box = Buffer("box", 10, 3)
    assert role([Put(box, 2)], [Take(box)]) == (10, True)
    assert role([Put(box)], [Put(box, 3), Delay(MS)], [Take(box)]) == (10, True)


def test_arrivals_that_others_hold_up_are_not_followed():
    """Each of many waits for those before it, and none keeps the next from coming."""
    box = Buffer("box", 10)
    arriving = Open("all", Poisson(90.0), [Put(box)])
    with pytest.raises(ModelError, match=r"holds up arrivals .* simulate"):
        find_roles([arriving, Closed("refill", 1, [Delay(10 * MS), Take(box)])], lambda place: place)


@pytest.mark.parametrize(("initial", "room"), [(0, 10), (3, 7), (9, 1), (10, 1)])
def test_put_first_finds_the_free_room(initial, room):
    box = Buffer("box", 10, initial)
    assert role([Put(box, 2), Delay(MS), Take(box, 2)]) == (room, False)


@pytest.mark.parametrize(("initial", "room"), [(0, 1), (1, 1), (3, 3), (10, 10)])
def test_take_first_finds_the_units_held(initial, room):
    box = Buffer("box", 10, initial)
    assert role([Delay(MS), Take(box, 2), Put(box, 2)]) == (room, False)


def test_amounts_add_up_along_a_path_and_inside_its_steps():
    box = Buffer("box", 10)
    assert role([Put(box), Put(box), Take(box, 2)]) == (10, False)
    assert role([Put(box, 2), Take(box), Take(box)]) == (10, False)
    assert role([Repeat(3, Put(box, 2)), Take(box, 6)]) == (10, False)
    assert role([Put(box, 6), Repeat(3, Take(box, 2))]) == (10, False)
    assert role([Choose((0.25, Put(box, 4)), (0.75, Put(box, 8))), Take(box, 7)]) == (10, False)


def test_either_branch_of_a_look_up_counts_half():
    box = Buffer("box", 10)
    either = Lookup(Cache("cache", 5), Uniform(9), Put(box), Put(box, 3))
    assert role([either, Take(box, 2)]) == (10, False)


@pytest.mark.parametrize(
    "paths",
    [
        [lambda box: [Put(box, 2), Take(box)]],
        [lambda box: [Put(box), Take(box)], lambda box: [Put(box)]],
        [lambda box: [Put(box), Take(box)], lambda box: [Take(box), Put(box)]],
        [lambda box: [Put(box), Take(box, 3)], lambda box: [Take(box)]],
    ],
    ids=["keeps", "one only puts", "other way round", "takes more"],
)
def test_workload_that_keeps_units_of_others_is_refused(paths):
    """Each path has a buffer object of its own, which are one place all the same."""
    with pytest.raises(
        ModelError, match="buffer 'box' is changed in a way that the analytic engine cannot follow"
    ):
        roles(*(path(Buffer("box", 10, 4)) for path in paths))


BILLION = 10**9
SHARES = (0.1, 0.1, 0.8)
AMOUNT = 2 * BILLION + 1


def test_amounts_that_differ_by_rounding_are_equal():
    """Three equal shares, added in another order, of amounts so large that the last digit is above 1e-9."""
    added = [reduce(add, (share * AMOUNT for share in shares)) for shares in (SHARES, SHARES[::-1])]
    assert abs(added[0] - added[1]) > 1e-8
    box = Buffer("box", 4 * BILLION)
    puts = Choose(*((share, Put(box, AMOUNT)) for share in SHARES))
    takes = Choose(*((share, Take(box, AMOUNT)) for share in reversed(SHARES)))
    assert role([puts, takes]) == (4 * BILLION, False)


def test_a_surplus_of_a_millionth_is_refused():
    box = Buffer("box", 10)
    with pytest.raises(ModelError):
        roles([Choose((1e-6, Put(box, 2)), (1 - 1e-6, Put(box))), Take(box)])


def test_equal_buffers_are_one():
    one, other = Buffer("one", 5), Buffer("other", 5)
    found = roles([Put(one), Take(one)], [Put(other), Take(other)], member=lambda _: one)
    assert list(found) == [one]
