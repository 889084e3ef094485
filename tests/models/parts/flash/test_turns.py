"""Units that are taken in turn, as by appends to a zone."""

from __future__ import annotations

import pytest

from layered import assert_engines_agree, latency, rate
from models.parts.flash import Flash
from sim.system.quantities import linear

APPEND_S, BUSY_S = 480e-6, 400e-6


def zone(units=4, turn=2, **fields):
    known = {"latency": linear(APPEND_S), "access": linear(BUSY_S), "bandwidth": 1e12}
    return Flash(units=units, turn=turn, **known | fields).layer("ssd")


@pytest.mark.parametrize(("units", "turn"), [(4, 2), (4, 1), (3, 1), (5, 3), (1, 2)])
def test_all_units_are_busy_when_many_wait(units, turn):
    assert rate(zone(units, turn), 64, "write") == pytest.approx(units / BUSY_S, rel=0.01)


def test_units_one_after_the_other_do_not_collide():
    """Eight of eight units, where drawn at random some lie on one unit."""
    assert latency(zone(8, 1), 8, "write") == pytest.approx(APPEND_S, rel=0.01)
    assert latency(zone(8, 0), 8, "write") > 1.2 * APPEND_S


def test_second_append_in_a_row_waits_for_the_first():
    assert latency(zone(64, 2), 1, "write") == pytest.approx(APPEND_S, rel=0.01)
    assert 1.1 * APPEND_S < latency(zone(64, 2), 4, "write") < APPEND_S + BUSY_S / 2.0
    assert latency(zone(64, 4), 4, "write") > APPEND_S + BUSY_S / 2.0


def test_engines_agree():
    assert_engines_agree(zone(5, 2, variation=0.3), 6, op="write")
