"""One FUSE request: what is queued for, what is done beside the queue, and who sleeps meanwhile."""

from __future__ import annotations

from dataclasses import replace

import pytest

from layers import engines_agree, per_second
from models.parts.fuse.request import FuseRequests, RequestTimes
from models.parts.host.memory import CopyingCores
from sim import Closed, Constant, Delay, Exponential, Model, Pool, Station, simulate
from sim.engine.units import KIB

TIMES = RequestTimes(queue_s=4e-6, handler_s=1e-5, copy_s_per_byte=1e-9, wake_s=5e-6)
BELOW = (Delay(2e-5),)


def requests(times=TIMES, *, threads=16, cores=16):
    return FuseRequests(times, Pool("threads", threads), Station("queue"), CopyingCores(Station("cores", cores)))


def clients(path, number=1):
    return Model([Closed("clients", number, path, group="all")])


def moved(size_bytes, op="write", times=TIMES):
    mount = requests(times)
    return mount.waited_for(mount.moved(op, size_bytes, BELOW))


@pytest.mark.parametrize("op", ["read", "write"])
@pytest.mark.parametrize("varies", [False, True])
@pytest.mark.parametrize("size_bytes", [KIB, 128 * KIB])
def test_alone_a_request_takes_the_sum_of_its_parts(op, varies, size_bytes):
    times = replace(TIMES, varies=varies)
    parts = times.idle_s(size_bytes)
    assert parts == {"queue": 4e-6, "wake-ups": 1e-5, "handler": 1e-5, "copies": size_bytes * 1e-9}
    expected = 1 / (sum(parts.values()) + 2e-5)
    assert per_second(clients(moved(size_bytes, op, times)), precision=0.01) == pytest.approx(expected, rel=0.02)


def test_queue_time_does_not_depend_on_bytes():
    small, large = (simulate(clients(moved(size), 8), watch="all", precision=0.02) for size in (KIB, 128 * KIB))
    for result in (small, large):
        busy = result.places["queue"].utilisation / result.throughput.value
        assert busy == pytest.approx(4e-6, rel=0.03)


def test_until_linux_4_2_each_page_takes_the_queue_once_more():
    times = replace(TIMES, page_s=1e-6)
    queued_s = [times.queued_s(size) for size in (0, KIB, 4 * KIB, 128 * KIB)]
    assert queued_s == pytest.approx([4e-6, 4.25e-6, 5e-6, 3.6e-5])
    result = simulate(clients(moved(128 * KIB, times=times), 8), watch="all", precision=0.02)
    assert result.places["queue"].utilisation / result.throughput.value == pytest.approx(3.6e-5, rel=0.03)
    assert per_second(clients(moved(128 * KIB, times=times), 64), precision=0.02) == pytest.approx(
        1 / 3.6e-5, rel=0.03
    )


def test_a_time_in_the_queue_that_varies_is_exponential():
    (served,) = requests(replace(TIMES, wake_s=0.0, varies=True)).served(size_bytes=KIB)
    assert served.steps[0].time == Exponential(4e-6)


def test_requests_contend_in_the_queue_alone():
    assert per_second(clients(moved(KIB), 64), precision=0.02) == pytest.approx(1 / 4e-6, rel=0.03)


def test_only_the_caller_sleeps_until_the_reply():
    mount = requests(replace(TIMES, wake_s=0.0))
    awake = per_second(clients(mount.waited_for(mount.served())), precision=0.01)
    assert awake == pytest.approx(1 / 1.4e-5, rel=0.01)
    mount = requests()
    asleep, unheard = (per_second(clients(path)) for path in (mount.waited_for(mount.served()), mount.served()))
    assert asleep == pytest.approx(1 / (1.4e-5 + 2 * 5e-6), rel=0.05)
    assert unheard == pytest.approx(1 / (1.4e-5 + 5e-6), rel=0.05)


def test_reads_are_copied_after_the_io_and_writes_before():
    mount = requests(replace(TIMES, wake_s=0.0))
    (read,), (written,) = (mount.moved(op, KIB, BELOW) for op in ("read", "write"))
    copied = mount.copied(KIB)
    assert read.steps[2:] == (*BELOW, *copied)
    assert written.steps[2:] == (*copied, *BELOW)
    assert [step.time for step in copied] == [Constant(KIB * 1e-9)]


def test_engines_agree():
    assert engines_agree(clients(moved(4 * KIB), 5))
