"""A flash card takes the first piece in before it works, and all others while it works."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from layers import engines_agree, model_of, per_second
from models.io import FileIO
from models.parts.flash import Flash
from models.parts.stripe import Striped
from sim.system.quantities import linear

KIB = 1024
PIECE, BYTE_S = 64 * KIB, 90e-6 / (64 * KIB)
CARD = Flash(
    latency=linear(30e-6, 0.5e-6 / KIB + BYTE_S),
    access=linear(10e-6, BYTE_S),
    command=PIECE,
    units=1,
    bandwidth=math.inf,
)


def card(name="card", between_s=0.0, **fields):
    """A card, and the time that it takes between two commands."""
    if between_s:
        fields["iops"] = 1 / between_s
        fields["latency"] = linear(30e-6 + between_s, 0.5e-6 / KIB + BYTE_S)
    return replace(CARD, **fields).layer(name)


def write(size):
    return lambda number: FileIO("write", size, process=number)


def seconds(size, device=None):
    return 1 / per_second(model_of(device or card(), write(size)), precision=0.01)


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


def test_many_writes_are_limited_by_the_card():
    assert per_second(model_of(card(), write(64 * KIB), 8)) == pytest.approx(1e4, rel=0.01)


def test_a_large_write_on_two_cards_waits_for_the_slower_one():
    """Of two sums of n gamma times, the larger exceeds the mean by sd × √(n / π)."""
    varied = tuple(card(name, variation=0.3) for name in ("card", "other"))
    found = seconds(2048 * KIB, Striped(varied, 64 * KIB))
    assert found == pytest.approx(52e-6 + 16 * 100e-6 + 30e-6 * (16 / 3.1416) ** 0.5, rel=0.01)
    steady = Striped((card(), card("other")), 64 * KIB)
    assert seconds(2048 * KIB, steady) == pytest.approx(52e-6 + 16 * 100e-6, rel=1e-3)


def test_while_a_command_is_on_its_way_the_card_is_free_for_others():
    slow = card(between_s=25e-6)
    assert seconds(1024 * KIB, slow) == pytest.approx(52e-6 + 16 * 125e-6, rel=1e-4)
    assert per_second(model_of(slow, write(1024 * KIB), 8)) == pytest.approx(1e4 / 16, rel=0.01)


def test_engines_agree():
    assert engines_agree(model_of(card(variation=0.3), write(160 * KIB), 3))
