"""The kind ``host``: layers below take its times unless they say others; who was idle for long wakes up later."""

from __future__ import annotations

import pytest

from layered import Below, assert_engines_agree, clients, latency, rate, run
from models.io import FileIO
from models.parts.file.lock import File
from models.parts.fuse.daemon import Fuse
from models.parts.host.block_scheduler import Scheduler
from models.parts.host.cores import Cores
from models.parts.host.host import Host
from models.parts.host.nodes import Nodes
from models.parts.host.record import kind_of_host
from models.parts.page_cache.cache import PageCache
from sim import Closed, Model, simulate
from sim.engine.model.steps import places_of

US = 1e-6


def on(host, kind, below):
    """A layer of ``kind`` on a host, over what is ``below``."""
    return host.layer("host", lambda _: kind.layer("below", lambda _: below))


def test_a_caller_and_a_daemon_on_cores_that_stay_awake_take_a_switch_each():
    times = {"queue": 1 * US, "handler": 6 * US, "direct_io": True}
    fuse = on(Host(switch=8 * US, copy=4.096e9), Fuse(**times), Below(20 * US))
    assert latency(fuse) == pytest.approx((1 + 6 + 1 + 20 + 2 * 8) * US, rel=0.02)
    own = on(Host(switch=8 * US, copy=4.096e9), Fuse(wake=0.0, copy=1e15, **times), Below(20 * US))
    assert latency(own) == pytest.approx((1 + 6 + 20) * US, rel=0.001)


def test_long_idle_core_adds_the_exit_latency_of_its_idle_state():
    """A read of 100 ms leaves it asleep, one of 1 µs awake."""
    host, cores = Host(switch=5 * US, awake=1e-3, halted=90 * US), Cores(time=1 * US)
    assert latency(on(host, cores, Below(0.1))) == pytest.approx(0.1 + 96 * US, abs=1 * US)
    assert latency(on(host, cores, Below(1 * US))) == pytest.approx(7 * US, rel=0.05)


@pytest.mark.parametrize("busy", [0.0, 3 * US])
@pytest.mark.parametrize(
    ("kind", "threads", "switches"),
    [
        (Cores(count=1, time=5 * US), 2, 1),
        (PageCache(cores=1, call=5 * US, copy=1e15), 2, 1),
        (Fuse(cores=1, threads=64, queue=0.0, handler=5 * US, copy=1e15, direct_io=True), 8, 2),
    ],
)
def test_threads_that_sleep_keep_a_core_they_share_with_work_and_switches(kind, threads, switches, busy):
    """One core is never idle: 1 / (work + switch) a second. A request of FUSE wakes the daemon and its caller."""
    layer = on(Host(switch=busy + 0.1 * US, busy=busy), kind, Below(0.1 * US))
    assert 1 / rate(layer, processes=threads) == pytest.approx(5 * US + switches * busy, rel=0.01)


def test_switch_time_on_an_idle_core_is_independent_of_its_busy_part():
    for busy in (0.0, 2 * US, 8 * US):
        layer = on(Host(switch=8 * US, busy=busy), Cores(time=1 * US), Below(20 * US))
        assert latency(layer) == pytest.approx(29 * US, rel=0.02)
    assert latency(on(Host(switch=1 * US, busy=8 * US), Cores(time=1 * US), Below(20 * US))) == pytest.approx(
        29 * US
    )


def test_a_process_that_always_has_something_to_reap_never_sleeps():
    layer = on(Host(switch=4 * US, busy=3 * US), Cores(count=1, time=5 * US), Below(1 * US))
    assert 1 / rate(layer, 32) == pytest.approx(5 * US, rel=0.01)


def test_a_writer_who_wakes_up_at_a_lock_keeps_the_core_of_his_process():
    """Three processes on one core write one file, which each of them finds locked."""
    file = File(filesystem="ext4", kernel=(3, 5), files="shared").layer("file", lambda _: Below(10 * US))
    cores = Cores(count=1, time=2 * US, interrupt=0.0)
    result = run(on(Host(switch=3 * US, busy=3 * US), cores, file), op="write", processes=3)
    assert result.places["below core 1"].utilisation == pytest.approx(5 * US * result.throughput.value, rel=0.02)


def test_without_a_host_layers_are_as_they_were():
    assert latency(Cores(time=1 * US).layer("cores", lambda _: Below(1 * US))) == pytest.approx(6.6 * US, abs=2e-9)
    like = [Fuse(), Fuse(wake=5 * US, copy=5e9)]
    assert len({latency(each.layer("fuse", lambda _: Below(9 * US)), op="write") for each in like}) == 1


@pytest.mark.parametrize(
    ("access", "kernel", "sleeps"),
    [("buffered", (6, 4), False), ("direct", (3, 5), True), ("buffered", (3, 0), True)],
)
def test_waiter_spins_while_the_holder_copies_and_sleeps_while_it_waits(access, kernel, sleeps):
    """Writers of xfs spin since Linux 3.16; aligned direct writes of xfs share, so direct is ext4 before 3.6."""
    filesystem = "ext4" if access == "direct" else "xfs"
    file = File(filesystem=filesystem, access=access, kernel=kernel, files="shared")
    top = on(Host(switch=10 * US), file, Below(10 * US))
    assert 1 / rate(top, 1, "write", processes=3) == pytest.approx((20 if sleeps else 10) * US, rel=0.03)


def test_known_kind_of_host_fills_missing_fields():
    filled = Host.filled({"like": "bare"})
    assert {name: each.value for name, each in filled.items()} == {
        name: each.value for name, each in kind_of_host("bare").items()
    }
    assert all(each.source for each in filled.values())
    assert not Host.filled({"like": "none"})


def test_nodes_sleep_independently():
    host = Host(awake=1e-3, halted=1e-4)

    def on_node(of):
        return host.layer(f"{of}host", lambda _: Cores().layer(f"{of}cores", lambda _: Below(1e-3)))

    nodes = Nodes(2).layer("nodes", on_node)
    names = {place.name for load in clients(nodes, processes=2).workloads for place in places_of(load.path)}
    assert {"node 1 host awake 1", "node 2 host awake 1"} <= names


def test_the_engines_agree():
    host = Host(switch=5 * US, busy=2 * US, awake=50 * US, halted=30 * US)
    for kind in (Fuse(threads=1), Cores(count=2)):
        assert_engines_agree(on(host, kind, Below(40 * US)), 2, processes=3)


def of_file(access, op, sharers, **fields):
    """Seconds of an I/O of ``sharers`` processes at a file, each of which holds what is below for 10 µs."""
    host, files = Host(line=1 * US), File(filesystem="ext4", access=access, **fields)
    layer = host.layer("host", lambda _: files.layer("files", lambda _: Below(10 * US)))
    ios = (FileIO(op, 4096, process=number, processes=sharers, sharers=sharers) for number in range(sharers))
    loads = [Closed(f"p{io.process}", 1, layer.path(io), group="all") for io in ios]
    return sharers / simulate(Model(loads), precision=0.005).throughput.value


@pytest.mark.parametrize("sharers", [2, 4])
def test_spinning_waiter_pays_the_transfer_of_the_lock_between_cores(sharers):
    """One write after the other, each 1 µs after the last one's end; alone nothing comes from anywhere."""
    assert of_file("buffered", "write", sharers) == pytest.approx(sharers * 11 * US, rel=0.005)
    assert of_file("buffered", "write", 1) == pytest.approx(10 * US, rel=1e-6)


@pytest.mark.parametrize("sharers", [1, 2, 4, 16])
def test_a_shared_lock_is_transferred_between_cores_more_often_with_more_holders(sharers):
    found = of_file("direct", "read", sharers)
    assert found == pytest.approx((10 + (sharers - 1) / sharers) * US, rel=0.001)
    assert of_file("direct", "read", sharers, files="each") == pytest.approx(10 * US, rel=1e-6)


def test_a_free_lock_of_a_scheduler_may_have_been_another_process_s():
    """Two processes that rarely meet: half of 1 µs, beside 100 µs of the device."""
    scheduler = Scheduler(scheduler="mq-deadline", time=1 * US, contended=1 * US)
    layer = Host(line=1 * US).layer("host", lambda _: scheduler.layer("s", lambda _: Below(100 * US)))
    assert latency(layer, processes=2) == pytest.approx(101.5 * US, rel=0.001)
    assert latency(layer) == pytest.approx(101 * US, rel=0.001)
