"""Waits before a lock that some share: what a visitor finds, and each part of its wait by hand."""

from __future__ import annotations

import math

import pytest

from analytic_parts import MS, arriving, closed, node, visit
from sim import Lock
from sim.engine.analytic.finite import residual_service
from sim.engine.analytic.forks import of_many
from sim.engine.analytic.locks import Holders, LockQueue, _holders, _last_s, _phase_s, _stay, any_of

NOBODY = Holders(0.0, 0.0, 0.0, 0.0, 0.0)


def kind(sources, rate, holding, *, waiting=0.0, variation=1.0):
    """Holds of ``holding / rate`` seconds that vary so much."""
    return Holders(sources, rate, waiting, holding, holding * holding / rate * (1 + variation))


WRITERS = kind(3, 100.0, 0.4, waiting=0.5)
READERS = kind(2, 50.0, 0.3, waiting=0.1)

# Kinds


def test_hold_times_equal_those_by_hand():
    """Of 100 holds a second 0.4 at a time: 4 ms each."""
    found = kind(3, 100.0, 0.4, waiting=0.5, variation=2.5)
    assert found.hold_s == pytest.approx(4 * MS)
    assert found.variation == pytest.approx(2.5)
    assert found.away == pytest.approx(2.1)
    assert (NOBODY.hold_s, NOBODY.variation, NOBODY.away) == (0.0, 0.0, 0.0)


def test_rounding_gives_no_negative_variation_and_no_excess_clients():
    assert Holders(3, 100.0, 0.0, 0.4, 0.4 * 4 * MS * 0.9).variation == 0.0
    assert Holders(1, 100.0, 0.8, 0.4, 0.0).away == 0.0
    assert Holders(2, 100.0, -0.5, 0.4, 0.0).away == 2
    assert Holders(math.inf, 100.0, 0.8, 0.4, 0.0).away == math.inf


def test_probability_that_any_of_several_is_present():
    assert any_of(0.6, 3.0, 3.0) == pytest.approx(1 - 0.8**3)
    assert any_of(0.6, 3.0, 2.0) == pytest.approx(1 - 0.8**2)
    assert kind(3, 1.0, 0.0).any(0.6) == pytest.approx(1 - 0.8**3)
    assert any_of(0.6, math.inf, math.inf) == pytest.approx(1 - math.exp(-0.6))


def test_fractional_clients_count_as_one_and_excess_ones_as_all():
    assert any_of(0.25, 0.5, 0.5) == pytest.approx(0.25)
    assert any_of(0.25, 0.5, 0.0) == pytest.approx(0.25)
    assert any_of(4.0, 3.0, 3.0) == 1.0


def test_lock_holders_seen_on_arrival_are_added_up_by_kind():
    """Of the first half is left, and all of the second; who shares is apart."""
    where = node(Lock("lock"))
    one = visit(where, closed(4, throughput=100.0), visits=2.0, work_s=MS, square_s2=2e-6, wait_s=3 * MS)
    visit(where, closed(3, copies=2, throughput=50.0), work_s=2 * MS, square_s2=5e-6, wait_s=MS)
    visit(where, arriving(30.0), work_s=4 * MS, square_s2=1e-6, wait_s=5 * MS, exclusive=False)
    found = _holders(where.visits, [0.5, 1.0, 0.25], exclusive=True)
    assert found.sources == pytest.approx(0.5 * 4 + 6)
    assert found.rate == pytest.approx(0.5 * 200 + 100)
    assert found.waiting == pytest.approx(0.5 * 200 * 3 * MS + 100 * MS)
    assert found.holding == pytest.approx(0.5 * 100 * MS + 100 * 2 * MS)
    assert found.square_s == pytest.approx(0.5 * 100 * 2e-6 + 100 * 5e-6)
    readers = _holders(where.visits, [0.5, 1.0, 0.25], exclusive=False)
    assert (readers.sources, readers.rate) == (math.inf, 7.5)
    assert (readers.waiting, readers.holding) == pytest.approx((37.5 * MS, 30 * MS))
    assert one.exclusive


# Phases


def test_probability_of_no_exclusive_hold_between_two_visits():
    """1.6 of two away for 32 ms each, a hundred exclusive holds a second."""
    assert _stay(WRITERS, READERS) == pytest.approx((1 + 32 * MS * 100) ** -2)
    assert _stay(WRITERS, kind(math.inf, 50.0, 0.3)) == 0.0


def test_a_phase_of_open_arrivals_is_the_longest_of_those_who_came():
    """Two for each exclusive hold: one or more with 1 - e^-2, of 6 ms exponential each."""
    anybody = 1 - math.exp(-2)
    readers = kind(math.inf, 200.0, 1.2)
    together = 2 / anybody
    harmonic = 1.5 + (together - 2) / 3
    assert _phase_s(WRITERS, readers) == pytest.approx(anybody * 6 * MS * harmonic, rel=1e-3)


def test_a_phase_of_few_who_come_and_go_is_of_those_who_are_not_together():
    """Half a reader for each exclusive hold, of two who act as one as often as they meet again."""
    together = 1 + (1 + 32 * MS * 100) ** -2
    anybody = 1 - 0.75 ** (2 / together)
    expected = anybody * of_many(0.5 / anybody, 6 * MS, 1.0)
    assert _phase_s(WRITERS, READERS) == pytest.approx(expected)


def test_no_phase_has_more_than_there_are():
    """Five reads a write, by two who never leave, are both of them each time: 1.5 of a hold."""
    both = kind(2, 500.0, 2.0)
    assert _phase_s(kind(1, 100.0, 0.4), both) == pytest.approx(4 * MS * 1.5, rel=1e-3)


def test_phase_needs_holders_of_both_kinds():
    assert _phase_s(WRITERS, NOBODY) == 0.0
    assert _phase_s(NOBODY, READERS) == 0.0
    assert _phase_s(kind(1, 0.5, 0.1), kind(1, 0.5, 0.1)) > 0.0


@pytest.mark.parametrize(("variation", "rest"), [(0.0, 1 / 3), (1.0, 1.0), (4.0, 1.4)])
def test_the_last_of_several_holds(variation, rest):
    """Three at a time when held. The rest of a gamma time: its second and third moments over 2 and 3 means."""
    square, cube = 1 + variation, (1 + variation) * (1 + 2 * variation)
    assert cube / 3 / (square / 2) ** 2 - 1 == pytest.approx(rest)
    readers = kind(9, 50.0, 1.5, variation=variation)
    assert _last_s(readers, 0.5, 0.7) == pytest.approx(of_many(3.0, 0.7 * 30 * MS, rest))


def test_a_held_lock_has_one_holder_or_more():
    readers = kind(9, 50.0, 0.3)
    for held in (0.0, 0.3, 0.4):
        assert _last_s(readers, held, 0.5) == pytest.approx(3 * MS)


# The wait


def wait(writers, readers, phase_s, *, exclusive):
    where = node(Lock("lock"))
    mine = visit(where, closed(), exclusive=exclusive)
    return LockQueue(where)._wait(mine, writers, readers, phase_s)  # noqa: SLF001  (of holders made by hand)


def test_a_lock_of_exclusive_holders_alone_is_one_server():
    """Half a hold queues, and 0.4 of one is in progress, of which all is left if exponential, half if constant."""
    assert wait(WRITERS, NOBODY, 0.0, exclusive=True) == pytest.approx(0.9 * 4 * MS)
    constant = kind(3, 100.0, 0.4, waiting=0.5, variation=0.0)
    assert wait(constant, NOBODY, 0.0, exclusive=True) == pytest.approx(0.7 * 4 * MS)


def test_the_rest_of_long_holds_is_that_of_few_who_come():
    """3.7 of five clients are away and come 150 times a second; holds of 4 and 6 ms."""
    writers = kind(3, 100.0, 0.4, waiting=0.5, variation=9.0)
    readers = kind(2, 50.0, 0.3, waiting=0.1, variation=4.0)
    calls = 150 / 3.7
    held = 1 - 0.85**2
    last_s = _last_s(readers, held, residual_service(5.0, calls * 6 * MS, 4.0))
    rest_s = 4 * MS * residual_service(5.0, calls * 4 * MS, 9.0)
    expected = 0.5 * 4 * MS + 0.4 * rest_s + 0.9 * 7 * MS + held * last_s
    assert wait(writers, readers, 7 * MS, exclusive=True) == pytest.approx(expected)


def test_shared_holder_joins_a_phase():
    """Exclusive: 2 + 1.6 ms, 0.9 phases, and the last of those who read. Shared: one less if somebody waits."""
    held = 1 - 0.85**2
    last_s = 6 * MS * (1 + (0.3 / held - 1) / 2)
    phases_s = 0.9 * 7 * MS + held * last_s
    total_s = 3.6 * MS + phases_s
    assert wait(WRITERS, READERS, 7 * MS, exclusive=True) == pytest.approx(total_s, rel=1e-4)
    joint = (1 - (1 - 0.5 / 3) ** 3) * phases_s / total_s
    seen = 32 / (32 + 7)
    expected = 2 * MS + seen * 1.6 * MS + (0.5 - joint) * 7 * MS + joint * last_s
    assert wait(WRITERS, READERS, 7 * MS, exclusive=False) == pytest.approx(expected, rel=1e-4)


def test_single_shared_holder_waits_for_exclusive_holders():
    assert wait(WRITERS, NOBODY, 7 * MS, exclusive=False) == pytest.approx(wait_of_one_who_shares(), rel=1e-6)


def wait_of_one_who_shares():
    """Of 0.9 phases that exclusive holders wait for, those with whom it goes itself are none of its wait."""
    phases_s, queued_s = 0.9 * 7 * MS, 3.6 * MS
    joint = (1 - (1 - 0.5 / 3) ** 3) * phases_s / (phases_s + queued_s)
    return queued_s + (0.5 - joint) * 7 * MS


def test_empty_lock_has_no_wait():
    assert wait(NOBODY, NOBODY, 0.0, exclusive=False) == 0.0
    assert wait(NOBODY, READERS, 0.0, exclusive=False) == 0.0


def test_a_lock_that_is_held_exclusively_is_not_read():
    """All the time but a tenth: so is the probability that somebody reads a tenth at most."""
    writers, readers = kind(1, 100.0, 0.9), kind(math.inf, 500.0, 1.0)
    expected = 0.9 * 9 * MS + 0.9 * MS + 0.1 * _last_s(readers, 0.1, 1.0)
    assert wait(writers, readers, MS, exclusive=True) == pytest.approx(expected)


# The queue


def test_shared_holders_alone_never_wait():
    where = node(Lock("lock"))
    visit(where, closed(5, throughput=100.0), work_s=MS, square_s2=2e-6, exclusive=False)
    queue = LockQueue(where)
    assert not queue.limited
    queue.update_arrival_weights()
    assert not list(queue.waits())


def test_a_lock_of_open_readers_and_writers():
    """Open flows find everything; what writers take a second is lost to whoever waits."""
    where = node(Lock("lock"))
    visit(where, arriving(100.0), work_s=2 * MS, square_s2=8e-6, wait_s=MS)
    visit(where, arriving(50.0), work_s=3 * MS, square_s2=18e-6, wait_s=2 * MS, exclusive=False)
    queue = LockQueue(where)
    queue.update_arrival_weights()
    writers = Holders(math.inf, 100.0, 0.1, 0.2, 8e-4)
    readers = Holders(math.inf, 50.0, 0.1, 0.15, 9e-4)
    phase_s = _phase_s(writers, readers)
    expected = [wait(writers, readers, phase_s, exclusive=each) / 0.8 for each in (True, False)]
    assert [each for _, each in queue.waits()] == pytest.approx(expected)


def test_a_closed_writer_does_not_find_itself_and_waits_long_enough():
    """Of two writers and two readers either finds one of its kind; and no more than all of the lock is asked."""
    where = node(Lock("lock"))
    writer, reader = closed(2, throughput=200.0), closed(2, throughput=100.0)
    first = visit(where, writer, most=1, work_s=4 * MS, square_s2=32e-6, wait_s=MS)
    first.most = 2
    visit(where, reader, work_s=3 * MS, square_s2=18e-6, wait_s=2 * MS, exclusive=False)
    queue = LockQueue(where)
    queue.update_arrival_weights()
    writers, readers = Holders(2, 200.0, 0.2, 0.8, 64e-4), Holders(2, 100.0, 0.2, 0.3, 18e-4)
    one_writer, one_reader = Holders(1, 100.0, 0.1, 0.4, 32e-4), Holders(1, 50.0, 0.1, 0.15, 9e-4)
    excess = 0.8 + 200 * _phase_s(writers, readers) - 1
    assert excess > 0.0
    min_s = MS + 2 / 200 * excess
    found_s = wait(one_writer, readers, _phase_s(writers, readers), exclusive=True)
    (_, writes_s), (_, reads_s) = queue.waits()
    assert writes_s == pytest.approx(max(min_s, found_s))
    assert reads_s == pytest.approx(wait(writers, one_reader, _phase_s(writers, one_reader), exclusive=False))


def test_overloaded_lock_lengthens_waits_of_writers():
    """Twice what a lock can do: a walk more for each of two writers, whatever stands in the queue."""
    where = node(Lock("lock"))
    visit(where, closed(2, throughput=500.0), work_s=4 * MS, square_s2=16e-6)
    visit(where, closed(1, throughput=1e-3), work_s=1e-6, square_s2=1e-12, exclusive=False)
    queue = LockQueue(where)
    queue.update_arrival_weights()
    assert next(iter(queue.waits()))[1] == pytest.approx(2 / 500 * (2 - 1), rel=1e-3)
