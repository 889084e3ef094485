"""Each I/O takes time of the core that its process is on; the cores are a ceiling, the interrupt is none."""

from __future__ import annotations

import pytest

from layered import Below, assert_engines_agree, latency, rate, run
from models.io import FileIO
from models.parts.flash import Flash
from models.parts.host.cores import Cores
from sim import Closed, Model, simulate

US, KIB = 1e-6, 1024


def host(below=None, **fields):
    below = below or Below(50e-6)
    return Cores(**{"time": 2e-6, "interrupt": 5e-6} | fields).layer("host", lambda _: below)


def test_a_single_io_takes_core_device_and_interrupt():
    assert latency(host()) == pytest.approx(57 * US, abs=2e-9)
    assert latency(host(copy=0.1e-6), size=64 * KIB) == pytest.approx((57 + 6.4) * US, abs=2e-9)
    assert latency(host(interrupt=0.0)) == pytest.approx(52 * US, abs=2e-9)


@pytest.mark.parametrize(("cores", "processes", "busy"), [(4, 1, 1), (4, 3, 3), (4, 8, 4), (1, 3, 1)])
def test_a_process_uses_one_core_and_cores_are_limited(cores, processes, busy):
    assert rate(host(count=cores), 64, processes=processes) == pytest.approx(busy / 2e-6, rel=0.01)


def test_core_and_process_are_passed_to_the_layer_below():
    below = Below(50e-6)
    top = host(below, count=2)
    rate(top, 1, processes=3, precision=0.1)
    assert [io.core for io in below.ios] == [top.cores[0], top.cores[1], top.cores[0]]
    assert [io.process for io in below.ios] == [0, 1, 2]


def shares(cores, *loads):
    """I/Os a second of each process and how busy cores are; of each: I/Os in flight, and KiB at 1 µs each."""
    top = host(Below(0.0), count=cores, time=0.0, copy=1e-6, interrupt=0.0)
    asking = (
        (FileIO("read", kib * KIB, process=number, processes=len(loads)), depth)
        for number, (depth, kib) in enumerate(loads)
    )
    result = simulate(
        Model([Closed(f"p{io.process}", depth, top.path(io), group=f"p{io.process}") for io, depth in asking]),
        precision=0.01,
    )
    rates = [result.groups[f"p{number}"].throughput.value for number in range(len(loads))]
    return rates, [result.places[core.name].utilisation for core in top.cores]


@pytest.mark.parametrize("loads", [((1, 20), (1, 20)), ((1, 10), (1, 50)), ((1, 20), (32, 20)), ((4, 4), (9, 40))])
def test_two_processes_of_one_core_have_half_of_its_time_each(loads):
    """Whatever an I/O takes of it, and however many are in flight: the mean rate is 1 / (2 x time)."""
    rates, busy = shares(1, *loads)
    assert rates == pytest.approx([1 / (2 * kib * US) for _, kib in loads], rel=0.02)
    assert busy == pytest.approx([1.0], abs=1e-6)


def test_processes_are_dealt_to_cores_and_share_each_of_them():
    """Five on two cores: three on the first, two on the second."""
    rates, busy = shares(2, *[(2, kib) for kib in (10, 10, 40, 20, 20)])
    assert rates == pytest.approx(
        [1 / (sharing * us * US) for sharing, us in ((3, 10), (2, 10), (3, 40), (2, 20), (3, 20))], rel=0.02
    )
    assert busy == pytest.approx([1.0, 1.0], abs=1e-6)


def test_processor_time_is_conserved():
    """Three processes that mostly wait for a device: a core is busy for what they ask of it."""
    top = host(count=2, time=2e-6, copy=0.5e-6)
    result = run(top, 2, processes=3, size=16 * KIB)
    busy = sum(result.places[core.name].utilisation for core in top.cores)
    assert busy == pytest.approx(result.throughput.value * 10 * US, rel=0.005)


def test_a_process_with_a_core_of_its_own_has_it_for_the_whole_io():
    alone, sharing = (host(count=2).path(FileIO("read", KIB, processes=number))[0] for number in (2, 3))
    assert (alone.place.name, sharing.place.name) == ("host core 1", "host core 1 turn of process 1")


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
