"""`buffered-ext4`: what its page derives by hand, over time, and what each mechanism is for."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from models.stacks import FOLDER
from sim.engine.simulation.over_time import over_time
from sim.system.case import Case
from sim.system.stack.build import stack_system

GIB, MB = 1 << 30, 1e6
DIRTYABLE = 8 * GIB
VOLUME = 125 * (1 << 20)
ONE = 65536 / (1e-6 + 65536 / 3e9)
"""Bytes a second of one process that is not held up: a call and a copy of 64 KiB."""

PAGE = Path(__file__).parents[3] / "docs" / "stacks" / "buffered-ext4.md"


def answer(seconds=60.0, resolution_s=None, **settings):
    """The stack over time, and bytes of a request."""
    scenario = Case.of(stack_system(FOLDER / "buffered-ext4.toml"), settings).scenario
    return over_time(scenario.model, seconds, resolution_s=resolution_s), scenario.amount * MB


def knee_s(rate, storage=VOLUME, background=0.1, limit=0.2):
    """Until the background threshold nothing is written; from there to the midpoint the rest is."""
    return background * DIRTYABLE / rate + (limit - background) / 2 * DIRTYABLE / (rate - storage)


@pytest.mark.parametrize(
    ("settings", "rate", "storage"),
    [
        ({}, ONE, VOLUME),
        ({"jobs": 2, "pause": "200us"}, 2 * 65536 / (65536 / ONE + 200e-6), VOLUME),
        ({"pause": "200us"}, 65536 / (65536 / ONE + 200e-6), VOLUME),
        ({"throughput": "1000MiB/s", "iops": 16000}, ONE, 1000 * (1 << 20)),
    ],
)
def test_burst_by_hand(settings, rate, storage):
    found, amount = answer(40.0, 0.02, **settings)
    assert found.burst.rate * amount == pytest.approx(rate, rel=0.02)
    assert found.burst.end_s == pytest.approx(knee_s(rate, storage), rel=0.03, abs=0.03)
    assert found.rates[-500:].mean() * amount == pytest.approx(storage, rel=0.08)


def test_dirty_pages_end_at_the_setpoint():
    """Three quarters of the way from the background threshold to the limit."""
    found, _ = answer(300.0)
    assert found.levels["page cache dirty"][-1] * 4096 == pytest.approx(0.175 * DIRTYABLE, rel=0.03)
    assert found.lowest > 0.0


def test_load_below_the_volume_is_no_burst():
    """Below the rate of the volume nobody waits; 32.5 s of writes are dirty, or the threshold if that is less."""
    found, amount = answer(200.0, pause="6.5ms")
    rate = 65536 / (65536 / ONE + 6.5e-3)
    assert found.burst is None
    assert found.mean * amount == pytest.approx(rate, rel=0.01)
    assert found.levels["page cache dirty"][100:].mean() * 4096 == pytest.approx(32.5 * rate, rel=0.1)


def test_random_writes_sustain_the_iops_of_the_volume():
    found, amount = answer(120.0, order="random", block="4KiB", memory="1GiB")
    assert found.rates[-40:].mean() * amount == pytest.approx(3000 * 4096, rel=0.05)


def test_reads_become_fast_once_the_data_are_in_memory():
    """3,000 misses a second, each of 4 KiB: half of 256 MiB is in memory after 65536 ln 2 reads."""
    found, amount = answer(60.0, op="read", order="random", block="4KiB", data="256MiB", jobs=4)
    filled = found.levels["page cache data"] * 4096 / (256 << 20)
    assert found.rates[0] == pytest.approx(3000, rel=0.1)
    assert np.interp(0.5, filled, np.arange(len(filled)) * found.resolution_s) == pytest.approx(
        0.5 * 65536 / 3000, rel=0.05
    )
    assert found.rates[-1] * amount > 100 * found.rates[0] * amount


def test_page_states_the_burst():
    page = PAGE.read_text("utf-8")
    found, amount = answer(40.0, 0.02)
    assert f"{found.burst.rate * amount / MB:,.0f} MB/s for {found.burst.end_s:.2f} s" in page
