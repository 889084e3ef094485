"""A device by table: alone an I/O takes the latency of the table, many are held up by what is slowest."""

from __future__ import annotations

import pytest

from layered import assert_engines_agree, clients, latency, rate
from models.io import FileIO
from models.storage.ssd import Ssd
from sim import Closed, Hold, InputError, Model, Pool, simulate
from sim.analytic.solve import solve
from sim.system.quantities import Table

US, KIB = 1e-6, 1024


def ssd(latency="80us", **fields):
    times = Table("latency", None, "").parse(latency)
    return Ssd(latency=times, **{"bandwidth": float("inf")} | fields).layer("ssd", None)


@pytest.mark.parametrize(
    ("op", "size", "microseconds"),
    [
        ("read", 4 * KIB, 68),
        ("read", 34 * KIB, 110.5),
        ("read", 64 * KIB, 153),
        ("write", 4 * KIB, 20),
    ],
)
@pytest.mark.parametrize("placement", ["random", "free"])
def test_alone_an_io_takes_what_the_table_says_whatever_the_ceilings(op, size, microseconds, placement):
    table = {"read": {"4KiB": "68us", "64KiB": "153us"}, "write": {"4KiB": "20us", "64KiB": "50us"}}
    device = ssd(table, iops=700e3, bandwidth=2.1e9, placement=placement)
    assert latency(device, op=op, size=size) == pytest.approx(microseconds * US, abs=5e-9)


@pytest.mark.parametrize(
    ("fields", "op", "size", "limit"),
    [
        ({"units": 4, "unit_share": 1.0, "placement": "free"}, "read", 4 * KIB, 4 / 80e-6),
        ({"units": 4, "unit_share": 0.5, "placement": "free"}, "read", 4 * KIB, 4 / 40e-6),
        ({"iops": 40e3}, "read", 4 * KIB, 40e3),
        ({"iops": 40e3, "write_iops": 20e3}, "write", 4 * KIB, 20e3),
        ({"iops": 20e3, "write_iops": 40e3}, "write", 4 * KIB, 20e3),
        ({"bandwidth": 1e9}, "read", 64 * KIB, 1e9 / (64 * KIB)),
        ({"write_bandwidth": 1e9}, "write", 64 * KIB, 1e9 / (64 * KIB)),
        ({"depth": 2}, "read", 4 * KIB, 2 / 80e-6),
    ],
)
def test_many_are_as_fast_as_the_lowest_ceiling_lets_them(fields, op, size, limit):
    device = ssd(**fields)
    assert rate(device, 200, op, size) == pytest.approx(limit, rel=0.01)
    computed = solve(clients(device, 200, op, size)).groups["all"].throughput
    assert computed == pytest.approx(limit, rel=0.05)


def test_reads_meet_at_the_units_where_their_blocks_lie():
    """Exponential times at units chosen at random: a product form, n / (n + units - 1) of what all units do."""
    spread = {"units": 8, "unit_share": 1.0, "variation": 1.0}
    assert rate(ssd(**spread), 8) == pytest.approx(8 / 15 * 8 / 80e-6, rel=0.02)
    assert rate(ssd(**spread, placement="free"), 8) == pytest.approx(8 / 80e-6, rel=0.02)


def test_the_default_has_the_latencies_that_were_measured_over_spdk():
    """ICPE 2024, one SSD, one process over SPDK: latencies in microseconds by depth, 0.75 of each the host's."""
    device = Ssd().layer("ssd", None)
    for depth, microseconds in {1: 60.0, 8: 63.5, 32: 79.6, 64: 108.2, 256: 326.6}.items():
        assert latency(device, depth, precision=0.01) == pytest.approx((microseconds - 0.75) * US, rel=0.02)


def test_reads_and_writes_share_the_ceilings():
    device = ssd(iops=40e3, write_iops=20e3)
    loads = [
        Closed(op, clients=50, path=device.path(FileIO(op, 4 * KIB)), group="all") for op in ("read", "write")
    ]
    assert simulate(Model(loads)).throughput.value == pytest.approx(2 / (1 / 40e3 + 1 / 20e3), rel=0.01)


def test_a_flush_takes_its_time_and_as_many_go_on_at_once_as_the_device_can():
    assert ssd().path(FileIO("flush", 0)) == (Hold(Pool("ssd queue", 1024)),)
    assert rate(ssd(flush=1e-3), 3, "flush", 0) == pytest.approx(1e3)
    assert rate(ssd(flush=1e-3, flushes=2), 3, "flush", 0) == pytest.approx(2e3)


def test_beyond_its_table_a_device_keeps_its_ceilings():
    assert latency(ssd("80us", bandwidth=1e9), size=1 << 20) == pytest.approx((1 << 20) / 1e9, abs=5e-9)


@pytest.mark.parametrize(
    ("fields", "op", "size"),
    [
        ({"bandwidth": 1e9}, "read", "64KiB"),
        ({"write_iops": 10e3}, "write", "64KiB"),
    ],
)
def test_a_latency_below_what_the_ceilings_need_is_refused(fields, op, size):
    with pytest.raises(InputError, match=f"^latency of a {op} of {size} is 5e-05 s, but one takes .*; raise one"):
        ssd({"64KiB": "50us"}, **fields)


@pytest.mark.parametrize("fields", [{}, {"variation": 0.3, "iops": 500e3}, {"placement": "free", "depth": 8}])
def test_the_engines_agree(fields):
    assert_engines_agree(ssd({"4KiB": "68us", "64KiB": "153us"}, units=8, **fields), 12)
