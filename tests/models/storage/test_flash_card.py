"""A flash card takes the first piece in before it works, and all others while it works."""

from __future__ import annotations

from dataclasses import replace

import pytest

from layers import engines_agree, model_of, per_second
from models.io import FileIO
from models.storage.flash_card import FlashCard
from models.storage.stripe import Striped
from sim import Station

KIB = 1024
CARD = FlashCard(
    Station("card"),
    latency_s=20e-6,
    coming_s_per_byte=0.5e-6 / KIB,
    piece_bytes=64 * KIB,
    command_s=10e-6,
    bytes_per_s=64 * KIB / 90e-6,
)


def write(size):
    return lambda number: FileIO("write", size, process=number)


def seconds(size, card=CARD):
    return 1 / per_second(model_of(card, write(size)), precision=0.01)


@pytest.mark.parametrize(
    ("size", "expected_s"),
    [
        (64 * KIB, 20e-6 + 32e-6 + 100e-6),
        (4 * KIB, 20e-6 + 2e-6 + 10e-6 + 90e-6 / 16),
        (96 * KIB, 20e-6 + 32e-6 + 100e-6 + 10e-6 + 45e-6),
        (1024 * KIB, 20e-6 + 32e-6 + 16 * 100e-6),
    ],
)
def test_only_the_first_piece_has_time_of_its_own_to_come_in(size, expected_s):
    assert seconds(size) == pytest.approx(expected_s, rel=1e-4)


def test_many_writes_get_what_the_card_works_off():
    assert per_second(model_of(CARD, write(64 * KIB), 8)) == pytest.approx(1e4, rel=0.01)


def test_a_large_write_on_two_cards_waits_for_the_slower_one():
    """Of two sums of n gamma times, the larger exceeds the mean by sd × √(n / π)."""
    varied = replace(CARD, variation=0.3)
    other = replace(varied, card=Station("other"))
    found = seconds(2048 * KIB, Striped((varied, other), 64 * KIB))
    assert found == pytest.approx(52e-6 + 16 * 100e-6 + 30e-6 * (16 / 3.1416) ** 0.5, rel=0.01)
    steady = Striped((CARD, replace(CARD, card=Station("other"))), 64 * KIB)
    assert seconds(2048 * KIB, steady) == pytest.approx(52e-6 + 16 * 100e-6, rel=1e-3)


def test_between_two_pieces_the_card_is_free_for_others():
    slow = replace(CARD, between_s=25e-6)
    assert seconds(1024 * KIB, slow) == pytest.approx(52e-6 + 16 * 100e-6 + 15 * 25e-6, rel=1e-4)
    assert per_second(model_of(slow, write(1024 * KIB), 8)) == pytest.approx(1e4 / 16, rel=0.01)


def test_engines_agree():
    assert engines_agree(model_of(replace(CARD, variation=0.3), write(160 * KIB), 3))
