"""Each I/O takes time of the core that its process is on; the cores are a ceiling, the interrupt is none."""

from __future__ import annotations

import pytest

from layered import Below, assert_engines_agree, latency, rate
from models.parts.flash import Flash
from models.parts.host.cores import Cores

US, KIB = 1e-6, 1024


def host(below=None, **fields):
    below = below or Below(50e-6)
    return Cores(**{"time": 2e-6, "interrupt": 5e-6} | fields).layer("host", lambda _: below)


def test_alone_an_io_takes_the_core_the_device_and_the_interrupt():
    assert latency(host()) == pytest.approx(57 * US, abs=2e-9)
    assert latency(host(copy=0.1e-6), size=64 * KIB) == pytest.approx((57 + 6.4) * US, abs=2e-9)
    assert latency(host(interrupt=0.0)) == pytest.approx(52 * US, abs=2e-9)


@pytest.mark.parametrize(("cores", "processes", "busy"), [(4, 1, 1), (4, 3, 3), (4, 8, 4), (1, 3, 1)])
def test_a_process_is_on_one_core_and_there_are_no_more_cores_than_there_are(cores, processes, busy):
    assert rate(host(count=cores), 64, processes=processes) == pytest.approx(busy / 2e-6, rel=0.01)


def test_what_is_below_knows_the_core_and_the_process():
    below = Below(50e-6)
    top = host(below, count=2)
    rate(top, 1, processes=3, precision=0.1)
    assert [io.core for io in below.ios] == [top.cores[0], top.cores[1], top.cores[0]]
    assert [io.process for io in below.ios] == [0, 1, 2]


MEASURED = {
    (1, 1): 14.5,
    (1, 16): 208.3,
    (1, 128): 383.3,
    (2, 32): 560.5,
    (4, 16): 573.5,
    (8, 8): 574.7,
    (8, 64): 774.7,
}
"""ICPE 2024, one SSD, io_uring, no scheduler: thousand reads of 4 KiB a second by (processes, depth)."""


@pytest.mark.parametrize(("processes", "depth"), MEASURED)
def test_cores_above_a_drive_are_as_fast_as_was_measured(processes, depth):
    top = host(Flash().layer("ssd", None), **{field: getattr(Cores(), field) for field in ("time", "interrupt")})
    thousands = rate(top, depth, processes=processes, precision=0.02) / 1e3
    assert thousands == pytest.approx(MEASURED[processes, depth], rel=0.06)


def test_the_engines_agree():
    assert_engines_agree(host(Flash().layer("ssd", None), count=2), 6, processes=3)
