"""The shapes of the published curves come from their mechanisms: take one out, and its shape is gone."""

from __future__ import annotations

from dataclasses import dataclass, replace

import pytest

from models.io import IO
from models.parts.cell import Cell, MirroredCells
from models.parts.disk import Disk
from models.parts.fuse import mount as fuse
from models.parts.fuse.mount import FuseMount
from models.parts.fuse.request import FuseRequests, RequestTimes
from models.parts.host.memory import CopyingCores
from models.systems.dbfs import DBFS
from models.systems.dbfs import dd as dd_system
from models.systems.dbfs.dd_parameters import by_operation
from models.workloads.dd import dd
from sim import Buffer, Model, Pool, Repeat, Station, simulate
from sim.prediction import RunOptions, predict

KIB = 1024
PARAMETERS = DBFS.parameters


@dataclass(frozen=True)
class Nothing:
    """A layer that costs nothing: what is left when all below the mount is taken out."""

    def path(self, io):  # noqa: ARG002  (whatever it is)
        return ()


def least(*names):
    """The lowest values that are physically possible: as good as without."""
    return {each.name: each.low for each in PARAMETERS.entries if each.name in names}


def throughput(system=DBFS, **settings):
    options = RunOptions(precision=0.01, answers=("throughput",))
    return predict(system, settings, options, intervals=False).throughput.value


def mount_only(users, block, *, queues=1, direct_io=True, **changed):
    """MB/s of users who write through a mount with nothing behind it."""
    cpu, queue = Station("cpu", 64), Station("queue", queues)
    times = replace(by_operation(PARAMETERS.values, "write").request, **changed)
    mount = FuseMount(FuseRequests(times, Pool("threads", 64), queue, CopyingCores(cpu)), direct_io, Nothing())
    io = IO("write", block)
    clients = [dd(f"dd {user}", io, mount, cpu, PARAMETERS["call_s"], group="dd") for user in range(users)]
    return simulate(Model(clients), watch="dd", precision=0.005).throughput.value * block / 1e6


def test_small_blocks_pay_a_fixed_cost_and_large_ones_are_limited_by_the_stream():
    small, large = throughput(block=1 * KIB), throughput(block=8 * KIB)
    assert large > 5 * small
    knee, flat = throughput(block=32 * KIB), throughput(block=128 * KIB)
    assert knee == pytest.approx(flat, rel=0.08)


def test_without_the_stream_behind_the_file_the_knee_is_gone():
    assert mount_only(1, 128 * KIB) > 1.25 * mount_only(1, 32 * KIB)
    assert mount_only(1, 128 * KIB) > 1.3 * throughput(block=128 * KIB)


def test_without_the_fixed_cost_of_a_request_small_blocks_are_as_fast_as_large_ones():
    cheap = least("handler_s", "dispatch_s", "wake_s", "cluster_request_write_s", "call_s")
    system = replace(DBFS, parameters=PARAMETERS.changed(cheap))
    assert throughput(system, block=1 * KIB) > 3 * throughput(block=1 * KIB)


def test_eight_users_share_one_queue():
    one, four, eight = (throughput(block=1 * KIB, users=users) for users in (1, 4, 8))
    assert 2.5 * one < four < 3.5 * one
    assert eight < 1.35 * four
    assert eight * 1e6 / KIB < 1.01 / PARAMETERS["dispatch_s"]  # known to 1 %


def test_without_serialization_in_the_queue_eight_users_get_eight_times_as_much():
    assert mount_only(8, 1 * KIB) < 5 * mount_only(1, 1 * KIB)
    assert mount_only(8, 1 * KIB, queues=8) > 7.7 * mount_only(1, 1 * KIB)


def test_the_lock_for_each_page_slows_medium_blocks_of_eight_users():
    """Published: 140 MB/s at 1 KiB, 770 at 8 KiB, 5.5 times as much."""
    small, medium = (throughput(block=block * KIB, users=8) for block in (1, 8))
    assert medium < 6.2 * small
    system = replace(DBFS, parameters=PARAMETERS.changed(least("page_s")))
    assert throughput(system, block=8 * KIB, users=8) > 1.08 * medium


def test_bytes_are_copied_beside_the_queue():
    """Eight users copy at once; what they wait for each other is the queue, which no byte makes longer."""
    one, eight = (mount_only(users, 128 * KIB, page_s=0.0) for users in (1, 8))
    assert eight > 7 * one


def test_a_mount_that_never_sleeps_is_quicker_for_one_user_than_one_that_does():
    awake = mount_only(1, 1 * KIB, wake_s=0.0)
    saved_s = KIB / 1e6 / mount_only(1, 1 * KIB) - KIB / 1e6 / awake
    assert saved_s == pytest.approx(2 * PARAMETERS["wake_s"], rel=0.1)


def test_a_mebibyte_is_eight_requests_one_after_the_other():
    assert mount_only(1, 1024 * KIB) == pytest.approx(mount_only(1, 128 * KIB), rel=0.02)
    assert throughput(block=1024 * KIB) == pytest.approx(throughput(block=128 * KIB), rel=0.02)


def test_in_one_request_a_mebibyte_would_be_faster(monkeypatch):
    split = mount_only(1, 1024 * KIB)
    monkeypatch.setattr(fuse, "REQUEST_BYTES", 1024 * KIB)
    assert mount_only(1, 1024 * KIB) > 1.08 * split


HALF = {"cells": 7, "users": 8, "block": 128 * KIB}


def test_the_work_of_the_cluster_is_a_ceiling_for_all_nodes():
    one, four, eight = (throughput(nodes=nodes, **HALF) for nodes in (1, 4, 8))
    assert four > 3.4 * one
    assert eight < 1.05 * four


def test_without_the_shared_work_eight_nodes_move_more_than_four():
    without = least("cluster_chunk_write_s", "cluster_request_write_s")
    system = replace(DBFS, parameters=PARAMETERS.changed(without))
    assert throughput(system, nodes=8, **HALF | {"cells": 14}) > 1.8 * throughput(nodes=4, **HALF)


def test_nodes_that_share_blocks_slow_each_other_down_at_small_blocks():
    asked = {"cells": 7, "users": 8, "block": 4 * KIB}
    one, four = (throughput(nodes=nodes, **asked) for nodes in (1, 4))
    assert four < 3.7 * one


def test_without_the_work_of_the_cluster_small_blocks_scale():
    asked = {"cells": 7, "users": 8, "block": 4 * KIB}
    system = replace(DBFS, parameters=PARAMETERS.changed(least("cluster_request_write_s")))
    one, four = (throughput(system, nodes=nodes, **asked) for nodes in (1, 4))
    assert four > 3.9 * one


def slower_work(times, *names):
    """The system whose work of these ``names`` takes ``times`` as long, whatever its bounds say."""

    def changed(parameters):
        return replace(parameters, **{name: times * getattr(parameters, name) for name in names})

    return replace(
        DBFS,
        build=lambda settings, parameters: DBFS.build(settings, changed(parameters)),
        fold=lambda settings, parameters: DBFS.fold(settings, changed(parameters)),
    )


def computed(system=DBFS, **settings):
    return predict(system, settings, RunOptions(engine="analytic"), intervals=False).throughput.value


@pytest.mark.parametrize(("work", "block", "published"), [("request", 4, 480), ("chunk", 128, 1500)])
def test_servers_of_their_own_would_slow_lone_users_of_four_nodes(work, block, published):
    """A quarter of them at each node, four times as long: the same for many users, and too much for one."""
    lone = {"cells": 7, "users": 1, "block": block * KIB}
    own = slower_work(4.0, f"cluster_{work}_write_s", f"cluster_{work}_read_s")
    assert computed(nodes=4, **lone) == pytest.approx(published, rel=PARAMETERS.scatter)
    assert 4 * computed(own, nodes=1, **lone) < 0.85 * published


def test_with_a_server_for_every_four_nodes_eight_would_move_twice_as_much():
    """The page says how much; no figure tells which is true."""
    names = [f"cluster_{work}_{op}_s" for work in ("request", "chunk") for op in ("write", "read")]
    two, rack = slower_work(0.5, *names), {"nodes": 8, "cells": 14, "users": 8}
    large, small = (
        [computed(two, op=op, block=size * KIB, **rack) for op in ("write", "read")] for size in (128, 8)
    )
    assert large == pytest.approx([6480, 7115], rel=0.01)
    assert small == pytest.approx([4765, 5503], rel=0.015)


def test_a_single_reader_gains_from_more_cells_as_a_read_is_striped():
    few, many = (throughput(op="read", cells=cells) for cells in (3, 7))
    assert 1.03 * few < many < 1.15 * few


def test_a_stripe_asks_no_cell_for_less_than_its_least():
    cells = tuple(Cell((Disk(f"{each}", 0.0, 1e9),), Buffer(f"{each} cache", 1), 0.5e9) for each in range(20))
    (choice,) = MirroredCells(cells).path(IO("read", 128 * KIB))
    assert len(choice.options) == 20
    assert {len(fork.branches) for _, (fork,) in choice.options} == {8}


def test_mirrored_writes_have_half_the_read_throughput_of_the_cells():
    cheap = least(
        *("cluster_chunk_write_s", "cluster_chunk_read_s", "cluster_request_write_s", "cluster_request_read_s"),
        *("node_serial_s_per_byte", "session_write_s", "session_read_s"),
    )
    system = replace(DBFS, parameters=PARAMETERS.changed(cheap))
    asked = {"nodes": 2, "cells": 2, "cell": "v1", "users": 8, "link": "edr"}
    write, read = (throughput(system, op=op, **asked) for op in ("write", "read"))
    assert write == pytest.approx(1000, rel=0.1)
    assert read > 1.7 * write


def test_a_cell_cache_that_fills_is_no_steady_state():
    """Four nodes write a little more than three old cells can put on disk; at first the caches hide it."""
    assert throughput(nodes=4, cells=3, cell="v1") == pytest.approx(3 * 1000 / 2, rel=0.01)


def test_written_pages_without_direct_io_make_more_requests_and_reads_do_not():
    assert [dd_requests("write", direct_io) for direct_io in (True, False)] == [1, 32]
    assert [dd_requests("read", direct_io) for direct_io in (True, False)] == [1, 1]
    assert mount_only(1, 128 * KIB, direct_io=False) < 0.5 * mount_only(1, 128 * KIB)


def dd_requests(op, direct_io):
    times, cores = RequestTimes(1e-6, 0.0, 0.0, 0.0), CopyingCores(Station("cpu"))
    requests = FuseRequests(times, Pool("threads"), Station("queue"), cores)
    (step,) = FuseMount(requests, direct_io, Nothing()).path(IO(op, 128 * KIB))
    assert isinstance(step, Repeat)
    return step.times


@pytest.mark.parametrize("block", [1 * KIB, 100_000, 1024 * KIB])
def test_buffered_reads_are_read_ahead_in_large_requests(block):
    """As fast as large direct ones: the stream behind the file limits both, and the copy more is beside it."""
    large = throughput(block=128 * KIB, op="read")
    assert throughput(block=block, op="read", direct_io=False) == pytest.approx(large, rel=0.02)


def test_read_ahead_page_by_page_would_be_much_slower(monkeypatch):
    monkeypatch.setattr(fuse, "REQUEST_BYTES", 4 * KIB)
    monkeypatch.setattr(dd_system, "_part", dd_system._part.__wrapped__)  # noqa: SLF001  (what it keeps is older)
    assert throughput(op="read", direct_io=False) < 0.6 * 380


def system_cpu(**settings):
    found = predict(DBFS, settings, RunOptions(engine="analytic"), intervals=False)
    return found.answers["system_cpu"].estimate.value


def test_system_time_of_large_transfers_is_higher_without_direct_io():
    """The paper's known issue; a written page is a request and two copies."""
    direct, paged = (system_cpu(block=128 * KIB, direct_io=choice) for choice in (True, False))
    assert 2.5 * direct < paged < 4.5 * direct
    values = by_operation(PARAMETERS.values, "write")
    requests, copied = values.request, values.copy_s_per_byte
    paged_s = 32 * requests.queued_s(4096 + 64) + 2 * 128 * KIB * copied + PARAMETERS["call_s"]
    assert paged == pytest.approx(paged_s * 1e9 / (128 * KIB))
    read, read_paged = (system_cpu(block=128 * KIB, op="read", direct_io=choice) for choice in (True, False))
    assert read < read_paged < 1.6 * read


def test_small_requests_cost_system_time():
    assert system_cpu(block=1 * KIB) > 8 * system_cpu(block=128 * KIB)
