"""Cost of greedy garbage collection: closed forms, and a drive of 256 blocks simulated page by page."""

from __future__ import annotations

import math

import pytest

from greedy_drive import Drive
from models.parts.flash.cleaning import FRESH, RANDOM, SEQUENTIAL, lasting_validity, stages, write_amplification

BLOCKS = 256


@pytest.mark.parametrize("alpha", [1.02, 1.07, 1.28, 2.0, 10.0])
def test_validity_in_the_long_run_is_the_fixed_point(alpha):
    validity = lasting_validity(alpha)
    assert validity == pytest.approx(math.exp(-alpha * (1.0 - validity)))
    assert 0.0 < validity < 1.0
    assert write_amplification(alpha) == pytest.approx(1.0 / (1.0 - validity))


@pytest.mark.parametrize(("pages", "alpha", "below"), [(64, 1.28, 0.055), (64, 2.0, 0.035), (128, 1.28, 0.035)])
def test_amplification_is_that_of_a_simulated_drive(pages, alpha, below):
    """The best of small blocks is a few per cent better than the oldest."""
    physical = (BLOCKS - 2) * pages
    drive = Drive(BLOCKS, pages, round(physical / alpha))
    drive.fill()
    drive.amplification(4 * physical)
    simulated = drive.amplification(2 * physical)
    assert (1.0 - below) * write_amplification(alpha) < simulated < write_amplification(alpha)


@pytest.mark.parametrize(("history", "within"), [(FRESH, 0.05), (SEQUENTIAL, 0.09)])
def test_cost_after_the_first_cleaning_is_that_of_a_simulated_drive(history, within):
    """Erased before, the cost rises; written in order before, all blocks are equally full, and cost most."""
    pages, alpha = 64, 1.28
    physical = (BLOCKS - 2) * pages
    used = round(physical / alpha)
    drive = Drive(BLOCKS, pages, used)
    if history == SEQUENTIAL:
        drive.fill()
    assert drive.amplification(physical - used if history == SEQUENTIAL else physical) < 1.02
    begun = 0.0
    for until, moved in stages(physical, used, history, sequential=False)[:-1]:
        if until - begun > physical / 10:
            assert drive.amplification(round(until - begun)) == pytest.approx(1.0 + moved, rel=within)
        begun = until


def test_runs_of_a_sequential_writer_move_nothing():
    for history in (FRESH, SEQUENTIAL):
        assert [each.moved for each in stages(1280, 1000, history, sequential=True)] == [0.0]


def test_first_sequential_pass_over_scattered_pages_moves_ever_fewer():
    costs = [each.moved for each in stages(1280, 1000, RANDOM, sequential=True)]
    assert costs == sorted(costs, reverse=True)
    assert 0.9 * (write_amplification(1.28) - 1.0) < costs[0] < write_amplification(1.28) - 1.0
    assert costs[-1] == 0.0


def test_drive_written_at_random_before_has_one_stage():
    assert len(stages(1280, 1000, RANDOM, sequential=False)) == 1


def test_first_block_of_an_erased_drive_was_overwritten_since_the_beginning():
    """Valid with probability exp(−α), and 1 / v falls in proportion to the pages programmed (2)."""
    first = stages(128_000, 100_000, FRESH, sequential=False)[0]
    validity = math.exp(-1.28)
    least = validity / (1.0 - validity)
    assert least < first.moved < 1.3 * least
