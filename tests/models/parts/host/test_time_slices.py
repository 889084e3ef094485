"""Processes that poll share a core by slices: throughput stays, latency does not."""

from __future__ import annotations

import pytest

from models.parts.host.time_slices import TimeSlices
from sim import Closed, Delay, Model, simulate

US, MS = 1e-6, 1e-3


def polling(processes, cores, *, depth=8, device_s=50 * US, slice_s=3 * MS, work_s=1 * US):
    slices = TimeSlices.of("host", cores=cores, processes=processes, slice_s=slice_s)
    loads = [
        Closed(f"process {n}", depth, (*slices.work(n, work_s), Delay(device_s)), group="all")
        for n in range(processes)
    ]
    return Model([*loads, *slices.behind()])


def found(*args, engine="compiled", **how):
    return simulate(polling(*args, **how), precision=0.02, watch="all", engine=engine)


def test_a_process_with_a_core_of_its_own_has_no_turns():
    model = polling(3, 4)
    assert [each.group for each in model.workloads] == ["all"] * 3
    assert found(3, 4).throughput.value == pytest.approx(3 * 8 / (51 * US), rel=0.05)


def test_two_processes_on_one_core_have_the_throughput_of_one():
    """Each waits for the device in its slice, while the other may not run."""
    alone, both = found(1, 1), found(2, 1)
    assert both.throughput.value == pytest.approx(alone.throughput.value, rel=0.05)
    twice = 2 * alone.groups["all"].latency.mean.value
    assert both.groups["all"].latency.mean.value == pytest.approx(twice, rel=0.1)


def test_process_without_its_turn_waits_for_a_slice():
    """In a slice of 3 ms 3,000 reads are done, and the 128 in flight at its end wait for another."""
    latency = found(2, 1, depth=128).groups["all"].latency
    assert 2.5 * MS < latency.p99.value < 3.4 * MS
    assert latency.p50.value < 0.2 * MS
    assert found(1, 1, depth=128).groups["all"].latency.p99.value < 0.2 * MS


@pytest.mark.parametrize("sharing", [3, 4])
def test_process_waits_for_a_slice_of_each_other(sharing):
    """Round robin: with one read in flight, one in hundreds of reads waits, for the slices of all others."""
    latency = found(sharing, 1, depth=1).groups["all"].latency
    assert latency.p50.value == pytest.approx(51 * US, rel=0.02)
    whole = simulate(polling(sharing, 1, depth=128), precision=0.02, watch="all")
    others = (sharing - 1) * 3 * MS
    assert 0.9 * others < whole.groups["all"].latency.p99.value < 1.1 * others + 0.4 * MS


def test_processes_on_other_cores_are_unaffected():
    model = polling(3, 2)
    assert sum(each.group == "kernel" for each in model.workloads) == 2


def test_time_slices_of_cores_are_not_synchronised():
    """Two processes on each of four cores: slices of 3 ms begin after 0, 0.75, 1.5 and 2.25 ms."""
    begun = [load.path[0].time.mean for load in polling(8, 4).workloads if load.group == "kernel"]
    assert begun == pytest.approx([each * 0.75 * MS for each in (0, 0, 1, 1, 2, 2, 3, 3)])


def test_the_engines_agree():
    reference, compiled = (found(3, 2, engine=engine) for engine in ("reference", "compiled"))
    assert reference.groups["all"] == compiled.groups["all"]
    assert reference.steps == compiled.steps
