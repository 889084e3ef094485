"""A device by table: alone an I/O takes the latency of the table, many are held up by what is slowest."""

from __future__ import annotations

import pytest

from layered import assert_engines_agree, clients, latency, rate, run
from layers import engines_agree
from models.io import FileIO
from models.parts.flash import Flash
from sim import Closed, Hold, InputError, Model, ModelError, Pool, simulate
from sim.engine.analytic.solve import solve
from sim.system.quantities import Table

US, KIB, MIB = 1e-6, 1 << 10, 1 << 20


def ssd(latency="80us", **fields):
    times = Table("latency", None, "").parse(latency)
    return Flash(latency=times, **{"bandwidth": float("inf")} | fields).layer("ssd", None)


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
def test_single_io_takes_the_latency_of_the_table(op, size, microseconds, placement):
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
    device = Flash().layer("ssd", None)
    for depth, microseconds in {1: 60.0, 8: 63.5, 32: 79.6, 64: 108.2, 256: 326.6}.items():
        assert latency(device, depth, precision=0.01) == pytest.approx((microseconds - 0.75) * US, rel=0.02)


def test_reads_and_writes_share_the_ceilings():
    device = ssd(iops=40e3, write_iops=20e3)
    loads = [
        Closed(op, clients=50, path=device.path(FileIO(op, 4 * KIB)), group="all") for op in ("read", "write")
    ]
    assert simulate(Model(loads)).throughput.value == pytest.approx(2 / (1 / 40e3 + 1 / 20e3), rel=0.01)


def test_a_flush_takes_its_time_and_flushes_run_in_parallel():
    assert ssd().path(FileIO("flush", 0)) == (Hold(Pool("ssd queue", 1024)),)
    assert rate(ssd(flush=1e-3), 3, "flush", 0) == pytest.approx(1e3)
    assert rate(ssd(flush=1e-3, flushes=2), 3, "flush", 0) == pytest.approx(2e3)


def in_flight(device, *ios, clients=1):
    """A model: so many clients for each of ``ios``, by its name."""
    return Model([Closed(name, clients, device.path(io), group=name) for name, io in ios])


@pytest.mark.parametrize(
    ("flush", "durable", "expected"), [(0.0, "data", 20), (1e-3, "no", 20), (1e-3, "all", 1020)]
)
def test_a_durable_write_is_programmed_unless_the_cache_is_protected(flush, durable, expected):
    device = ssd({"read": "80us", "write": "20us"}, flush=flush)
    result = simulate(in_flight(device, ("all", FileIO("write", 4 * KIB, durable=durable))))
    assert result.groups["all"].latency.mean.value == pytest.approx(expected * US, abs=5e-9)


def test_units_programme_side_by_side():
    device = ssd({"read": "80us", "write": "20us"}, flush=1e-3, units=8, placement="free", unit_share=0.0)
    model = in_flight(device, ("all", FileIO("write", 4 * KIB, durable="data")), clients=32)
    assert simulate(model).throughput.value == pytest.approx(8 / 1e-3, rel=0.01)


CACHE = {"cache": 8 * MIB, "sustained": 100e6}


def test_writes_are_as_fast_as_the_cache_until_it_is_full_and_then_as_the_flash():
    found = run(ssd("100us", placement="free", **CACHE), 8, "write", 16 * KIB)
    (burst,) = found.bursts
    fast, slow = 8 / 100e-6, 100e6 / (16 * KIB)
    assert found.throughput.value == pytest.approx(slow, rel=0.01)
    assert burst.throughput.value == pytest.approx(fast, rel=0.05)
    assert burst.seconds.value == pytest.approx(8 * MIB / (16 * KIB) / (fast - slow), rel=0.1)


@pytest.mark.parametrize(("op", "count"), [("read", 8), ("write", 1)])
def test_a_cache_that_does_not_fill_changes_nothing(op, count):
    plain, cached = (rate(ssd("100us", units=1000, **fields), count, op) for fields in ({}, CACHE))
    assert cached == pytest.approx(plain, rel=0.001)


def test_a_write_may_be_larger_than_the_cache():
    assert rate(ssd("100us", cache=MIB, sustained=100e6), 2, "write", 5 * MIB // 2) == pytest.approx(
        100e6 / (2.5 * MIB), rel=0.01
    )


def flushed(volatile, **fields):
    """Mean seconds of a flush, and of a write, of two clients beside each other; 1 MiB takes the flash 10.5 ms."""
    device = ssd("100us", volatile=volatile, **CACHE | fields)
    writes = FileIO("write", MIB)
    flush = FileIO("flush", 0)
    loads = [
        Closed("flush", 1, (*device.path(writes), *device.path(flush)), think=0.1),
        Closed("write", 1, device.path(writes), think=0.1),
    ]
    found = simulate(Model(loads), watch="flush", precision=0.02, answers=("mean",))
    return [found.groups[name].latency.mean.value for name in ("flush", "write")]


def test_flush_waits_for_a_volatile_cache_and_not_for_a_protected_one():
    kept_s, _ = flushed(volatile=False)
    lost_s, _ = flushed(volatile=True)
    assert kept_s == pytest.approx(100 * US, rel=0.01)
    assert lost_s >= MIB / 100e6


def test_writes_wait_for_a_flush_that_runs():
    """One client flushes all the time, 2 ms each; between two flushes a write that waits is let in."""
    device = ssd("100us", volatile=True, flush=2e-3, **CACHE)
    write, flush = FileIO("write", 4 * KIB), FileIO("flush", 0)
    found = simulate(in_flight(device, ("flush", flush), ("write", write)), watch="write", precision=0.02)
    programmed_s = 4 * KIB / 100e6
    assert found.throughput.value == pytest.approx(1 / (2e-3 + programmed_s), rel=0.05)


@pytest.mark.parametrize(("flush_s", "expected_s"), [(1e-3, 86e-6 + MIB / 100e6), (20e-3, 100e-6 + 20e-3)])
def test_a_durable_write_waits_until_a_volatile_cache_is_flushed_and_empty(flush_s, expected_s):
    """The 14 µs in which it is acknowledged pass while it is programmed."""
    device = ssd("100us", volatile=True, flush=flush_s, **CACHE)
    found = simulate(in_flight(device, ("all", FileIO("write", MIB, durable="data"))))
    assert found.groups["all"].latency.mean.value == pytest.approx(expected_s, rel=0.001)


def test_unflushed_volatile_cache_equals_a_protected_one():
    plain, volatile = (rate(ssd("100us", volatile=each, **CACHE), 8, "write", 64 * KIB) for each in (False, True))
    assert volatile == pytest.approx(plain, rel=0.01)


@pytest.mark.parametrize("count", [1, 16])
def test_the_analytic_engine_knows_a_cache_and_refuses_to_flush_a_volatile_one(count):
    plain = solve(clients(ssd("100us", **CACHE), count, "write", 64 * KIB)).groups["all"]
    assert plain.throughput == pytest.approx(100e6 / (64 * KIB), rel=0.01)
    device = ssd("100us", volatile=True, flush=1e-3, **CACHE)
    with pytest.raises(ModelError, match=r"buffer 'ssd flushes under way' \(IfAny\)"):
        solve(in_flight(device, ("w", FileIO("write", 4096)), ("f", FileIO("flush", 0)), clients=count))
    with pytest.raises(ModelError, match=r"buffer 'ssd flushes under way' \(IfAny\)"):
        solve(in_flight(device, ("w", FileIO("write", 4096, durable="data")), clients=count))


@pytest.mark.parametrize("fields", [{"cache": MIB}, {"sustained": 1e8}, {"volatile": True}])
def test_half_a_cache_is_refused(fields):
    with pytest.raises(InputError, match=r"^a cache is given in part; give cache and sustained, or neither"):
        ssd(**fields)


def test_beyond_its_table_a_device_keeps_its_ceilings():
    assert latency(ssd("80us", bandwidth=1e9), size=1 << 20) == pytest.approx((1 << 20) / 1e9, abs=5e-9)


@pytest.mark.parametrize(
    ("fields", "op", "size"),
    [
        ({"bandwidth": 1e9}, "read", "64KiB"),
        ({"write_iops": 10e3}, "write", "64KiB"),
    ],
)
def test_latency_below_the_ceilings_is_refused(fields, op, size):
    with pytest.raises(InputError, match=f"^latency of a {op} of {size} is 5e-05 s, but one takes .*; raise one"):
        ssd({"64KiB": "50us"}, **fields)


@pytest.mark.parametrize("fields", [{}, {"variation": 0.3, "iops": 500e3}, {"placement": "free", "depth": 8}])
def test_the_engines_agree(fields):
    assert_engines_agree(ssd({"4KiB": "68us", "64KiB": "153us"}, units=8, **fields), 12)


def test_the_engines_agree_on_a_cache_and_its_flushes():
    device = ssd("100us", units=8, volatile=True, flush=1e-3, **CACHE)
    ios = (
        FileIO("write", 64 * KIB),
        FileIO("flush", 0),
        FileIO("write", 4 * KIB, durable="data"),
        FileIO("read", 512),
    )
    assert engines_agree(in_flight(device, *((f"{number}", io) for number, io in enumerate(ios)), clients=3))
