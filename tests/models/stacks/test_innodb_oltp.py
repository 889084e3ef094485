"""The arithmetic of docs/stacks/innodb-oltp.md, and an hour over time."""

from __future__ import annotations

import pytest

from layers import made
from models.parts.innodb.innodb import SYNC, InnoDB
from sim import over_time, simulate
from sim.system.case import Case

GIB = 1 << 30
FIELDS = {"popular": "tpcc", "data": 100 * GIB, "redo_capacity": 2 * GIB, "redo": 5 << 10, "accesses": 22}


def per_transaction(pool):
    """Pages missed, evicted dirty and written for the checkpoint."""
    kind = made(InnoDB, **FIELDS, changed=0.56, pool=pool * GIB)
    long_run = kind.in_long_run
    return 22 * long_run.missed, 22 * long_run.evicted_dirty, kind.written[1]


def rate(**settings):
    model = Case.of("innodb-oltp", settings).scenario.model
    return simulate(model, precision=0.03, answers=("throughput",)).throughput.value


def test_pages_of_a_transaction():
    assert per_transaction(20) == pytest.approx((6.4, 4.2, 0.7), abs=0.05)
    assert per_transaction(110) == pytest.approx((0.0, 0.0, 4.0), abs=0.05)


def test_the_iops_of_the_volume_limit():
    missed, evicted, flushed = per_transaction(20)
    ios = missed + (evicted + flushed) * (1 + 1 / 16)
    assert 8000 / ios == pytest.approx(683, abs=1)
    assert rate() == pytest.approx(8000 / ios, rel=0.04)


def test_a_burst_ends_when_the_redo_log_is_full():
    model = Case.of("innodb-oltp", {"pool": "110GiB", "start": "empty-log"}).scenario.model
    hour = over_time(model, 3600.0)
    transactions = SYNC * 2 * GIB / (5 << 10)
    assert transactions == pytest.approx(393_000, rel=0.001)
    assert hour.rates[0] == pytest.approx(15_900, rel=0.02)
    full = next(second for second, rate in enumerate(hour.rates) if rate < 3000)
    assert transactions / 15_900 < full < 2 * transactions / 15_900
    assert hour.rates[60:].mean() == pytest.approx(1650, rel=0.03)
    assert hour.steps < 60e6  # some two seconds
