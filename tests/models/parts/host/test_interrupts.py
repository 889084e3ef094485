"""Interrupts held back: in step with the interval where all come within it, and at once where they are rarer."""

from __future__ import annotations

import pytest

from layered import Below, assert_engines_agree, latency, rate
from models.parts.host.interrupts import HeldInterrupts

US = 1e-6


def held(below_s=30 * US, interval_s=100 * US):
    return HeldInterrupts("device", interval_s, Below(below_s))


@pytest.mark.parametrize("clients", [1, 2, 8])
def test_faster_completions_arrive_once_an_interval(clients):
    """All that are done meanwhile go on together: the interval is the time of each."""
    assert rate(held(), clients) == pytest.approx(clients / (100 * US), rel=0.01)


def test_slower_completions_do_not_wait():
    assert latency(held(below_s=130 * US)) == pytest.approx(130 * US, rel=0.001)


def test_each_process_has_a_queue_of_its_own():
    """One device that does 30 µs each without waiting: no process holds up the interrupts of another."""
    layer = held(below_s=130 * US)
    assert rate(layer, 1, processes=4) == pytest.approx(4 / (130 * US), rel=0.01)


def test_engines_agree():
    assert_engines_agree(held(below_s=70 * US, interval_s=50 * US), 3)
