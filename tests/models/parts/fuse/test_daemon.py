"""The kind ``fuse``: copies beside the queue, requests, locks, read-ahead, and a daemon that sleeps when idle."""

from __future__ import annotations

import pytest

from layers import Below, engines_agree, layer_of, model_of, per_second
from models.io import FileIO
from models.parts.fuse.daemon import Fuse
from models.parts.host.nodes import Nodes
from sim import InputError, ModelError, simulate
from sim.engine.analytic.solve import solve
from sim.engine.units import KIB

BELOW_S, QUEUE_S, HANDLER_S, BYTES_PER_S = 1e-4, 2e-6, 5e-6, 1e9
TIMES = {"queue": QUEUE_S, "handler": HANDLER_S, "copy": BYTES_PER_S, "wake": 0.0}


def fuse(below=None, **fields):
    """A daemon that never sleeps."""
    return layer_of(Fuse, below or Below(BELOW_S), **{**TIMES, **fields})


def call(op="write", size_bytes=4096, *, shared=False, **changes):
    return lambda process: FileIO(op, size_bytes, process=process, file=0 if shared else process, **changes)


def rate(io=None, processes=1, **fields):
    below = fields.pop("below_s", BELOW_S)
    return per_second(model_of(fuse(Below(below), **fields), io or call(), processes), precision=0.02)


def request_s(size_bytes, copies=1):
    return QUEUE_S + HANDLER_S + copies * size_bytes / BYTES_PER_S + BELOW_S


@pytest.mark.parametrize("op", ["read", "write"])
@pytest.mark.parametrize(("direct_io", "copies"), [(True, 1), (False, 2)])
def test_a_single_call_takes_the_sum_of_its_requests(op, direct_io, copies):
    expected = 1 / request_s(4096, copies)
    assert rate(call(op), direct_io=direct_io) == pytest.approx(expected, rel=0.01)


def test_requests_of_a_call_are_limited_in_size_and_sequential():
    below = Below(BELOW_S)
    layer = fuse(below, direct_io=True, max_write="128KiB")
    model = model_of(layer, call(size_bytes=KIB * KIB))
    assert {io.size_bytes for io in below.seen} == {128 * KIB}
    assert per_second(model, precision=0.02) == pytest.approx(1 / (8 * request_s(128 * KIB)), rel=0.01)
    assert rate(call(size_bytes=KIB * KIB), direct_io=True) == pytest.approx(1 / request_s(KIB * KIB), rel=0.01)


@pytest.mark.parametrize(("op", "asked"), [("write", 1), ("read", 0), ("flush", 0)])
def test_daemon_gets_one_attribute_request_per_write_call(op, asked):
    call_s, plain_s = (1 / rate(call(op), direct_io=True, attributes=each) for each in (True, False))
    assert call_s - plain_s == pytest.approx(asked * (QUEUE_S + HANDLER_S), abs=0.01 * plain_s)
    fields = {"direct_io": True, "max_write": "128KiB"}
    large_s, cut_s = (1 / rate(call(op, KIB * KIB), attributes=each, **fields) for each in (True, False))
    assert large_s - cut_s == pytest.approx(asked * (QUEUE_S + HANDLER_S), abs=1e-3 * cut_s)


def test_copies_do_not_occupy_the_queue():
    """Many large requests: cores limit them, and the queue is hardly used."""
    layer = fuse(Below(1e-6), direct_io=True, cores=4, threads=16)
    result = simulate(model_of(layer, call(size_bytes=128 * KIB), 16), watch="all", answers=("throughput",))
    each_s = HANDLER_S + 128 * KIB / BYTES_PER_S
    assert result.throughput.value == pytest.approx(4 / each_s, rel=0.02)
    assert result.places["fuse queue"].utilisation == pytest.approx(4 * QUEUE_S / each_s, rel=0.05)


def test_a_queue_serves_one_request_at_a_time():
    fields = {"direct_io": True, "queue": 5e-5, "below_s": 1e-6, "cores": 8, "threads": 100}
    assert rate(processes=8, **fields) == pytest.approx(1 / 5e-5, rel=0.02)
    own_s = 5e-5 + HANDLER_S + 4096 / BYTES_PER_S + 1e-6
    assert rate(processes=8, queues="each core", **fields) == pytest.approx(8 / own_s, rel=0.02)
    assert rate(processes=8, **{**fields, "queues": "each core", "cores": 2}) == pytest.approx(2 / own_s, rel=0.02)


def test_threads_of_the_daemon_limit_concurrency():
    assert rate(processes=12, threads=3) == pytest.approx(3 / request_s(4096), rel=0.05)
    assert rate(processes=12, threads=12, cores=12) > 10 / request_s(4096, 2)


@pytest.mark.parametrize(
    ("fields", "changes", "at_once"),
    [
        ({"direct_io": True, "parallel_direct_writes": True}, {}, 2),
        ({"direct_io": True, "parallel_direct_writes": True}, {"appends": True}, 1),
        ({"direct_io": True}, {}, 1),
        ({"direct_io": False, "parallel_direct_writes": True}, {}, 1),
    ],
)
def test_writers_of_one_file(fields, changes, at_once):
    one, both, apart = (
        rate(call(shared=shared, **changes), processes, below_s=1e-3, **fields)
        for shared, processes in ((True, 1), (True, 2), (False, 2))
    )
    assert both == pytest.approx(at_once * one, rel=0.02)
    assert apart == pytest.approx(2 * one, rel=0.02)


def test_readers_of_one_file_do_not_wait():
    one, both = (rate(call("read", shared=True), processes, below_s=1e-3) for processes in (1, 2))
    assert both == pytest.approx(2 * one, rel=0.02)


def test_reads_in_sequence_are_fetched_ahead_in_windows():
    """32 calls of 4 KiB a window: while they copy, the next one is fetched."""
    below = Below(1e-6)
    layer = fuse(below)
    model = model_of(layer, call("read", sequential=True))
    assert {io.size_bytes for io in below.seen} == {128 * KIB}
    fetch_s = QUEUE_S + HANDLER_S + 128 * KIB / BYTES_PER_S + 1e-6
    assert per_second(model, precision=0.02) == pytest.approx(32 / fetch_s, rel=0.03)
    slow = rate(call("read", sequential=True), below_s=1e-2)
    assert slow == pytest.approx(32 / (1e-2 + fetch_s), rel=0.03)


def test_two_processes_are_two_wherever_they_run():
    """Each has a window of its own of the file that both read; on one window they would take turns."""
    io = call("read", sequential=True, shared=True)
    together, one = (model_of(fuse(Below(1e-2)), io, processes) for processes in (2, 1))
    apart = model_of(layer_of(Nodes, fuse(Below(1e-2))), io, 2)
    assert (
        len([place for place in apart.places if "read ahead" in place.name]) == 4
    )  # a window and its calls, each
    assert per_second(apart) == pytest.approx(per_second(together), rel=0.01)
    assert per_second(apart) == pytest.approx(2 * per_second(one), rel=0.05)


@pytest.mark.parametrize(("size_bytes", "windows"), [(128 * KIB, 1), (KIB * KIB, 8), (100 * KIB, 1)])
def test_large_reads_go_window_by_window(size_bytes, windows):
    below = Below(1e-3)
    model = model_of(fuse(below), call("read", size_bytes, sequential=True))
    window = min(size_bytes, 128 * KIB)
    assert {io.size_bytes for io in below.seen} == {window}
    fetch_s = 1e-3 + QUEUE_S + HANDLER_S + window / BYTES_PER_S
    assert per_second(model, precision=0.02) == pytest.approx(1 / (windows * fetch_s), rel=0.02)


def test_reads_at_random_fetch_whole_pages_and_wait():
    below = Below(BELOW_S)
    model = model_of(fuse(below), call("read", 1024))
    assert {io.size_bytes for io in below.seen} == {4096}
    each_s = request_s(4096) + 1024 / BYTES_PER_S
    assert per_second(model, precision=0.02) == pytest.approx(1 / each_s, rel=0.01)


def test_daemon_and_caller_wake_up_and_several_clients_keep_the_daemon_awake():
    one, two, four = (rate(call(), n, direct_io=True, wake="50us", below_s=1e-6) for n in (1, 2, 4))
    assert one == pytest.approx(1 / (1e-4 + request_s(4096) - BELOW_S + 1e-6), rel=0.02)
    assert two > 2.1 * one
    assert four > 4.5 * one


def test_a_reader_that_waits_for_a_window_wakes_up_and_so_does_the_daemon():
    awake_s, wake_s = 1e-2 + request_s(128 * KIB) - BELOW_S, 5e-3
    io = call("read", 128 * KIB, sequential=True)
    assert rate(io, wake=wake_s, below_s=1e-2) == pytest.approx(1 / (awake_s + 2 * wake_s), rel=0.03)


def test_a_writer_that_waits_for_the_file_wakes_up_and_so_do_daemon_and_caller():
    awake_s, wake_s = 1e-3 + request_s(4096) - BELOW_S, 1e-3
    fields = {"wake": wake_s, "below_s": 1e-3, "direct_io": True}
    assert rate(call(shared=True), 3, **fields) == pytest.approx(1 / (awake_s + 3 * wake_s), rel=0.03)


def test_a_flush_is_a_request_without_bytes_and_alone_at_its_file():
    below = Below(1e-3)
    asked = FileIO("flush", 0, process=1, durable="data")
    layer = fuse(below, direct_io=True, parallel_direct_writes=True)
    model = model_of(layer, lambda _: asked, 2)
    assert set(below.seen) == {asked}
    assert per_second(model) == pytest.approx(1 / (1e-3 + QUEUE_S + HANDLER_S), rel=0.01)


@pytest.mark.parametrize(
    ("fields", "flushes"), [({}, 1), ({"direct_io": True}, 0), ({"direct_io": True, "syncs": "always"}, 1)]
)
def test_a_durable_write_ends_with_a_sync_request_if_the_daemon_caches_pages(fields, flushes):
    below = Below(BELOW_S)
    model = model_of(fuse(below, **fields), call(durable="data"))
    assert [io.op for io in below.seen] == ["write"] + flushes * ["flush"]
    expected_s = request_s(4096, 1 if fields else 2) + flushes * request_s(0)
    assert per_second(model, precision=0.02) == pytest.approx(1 / expected_s, rel=0.01)


@pytest.mark.parametrize(
    ("io", "fields"),
    [
        (call(), {}),
        (call(size_bytes=200 * KIB, shared=True), {"direct_io": True, "max_write": "128KiB"}),
        (call("read", sequential=True), {"cores": 2}),
        (call("read", 300 * KIB, sequential=True), {"queues": "each core", "cores": 2}),
    ],
)
def test_engines_agree(io, fields):
    assert engines_agree(model_of(layer_of(Fuse, Below(1e-5), **fields), io, 3), (10**5, 10**7))


def test_the_analytic_engine_knows_daemons_that_sleep_and_refuses_writers_who_do():
    for processes in (1, 4, 16):
        model = model_of(fuse(direct_io=True), call(), processes)
        answer = solve(model).result("all", seed=1).throughput
        simulated = per_second(model, precision=0.02)
        assert answer.low * 0.98 <= simulated <= answer.high * 1.02
    asleep = model_of(fuse(direct_io=True, wake="5us"), call("read"))
    each_s = request_s(4096) + 2 * 5e-6
    assert solve(asleep).result("all", seed=1).throughput.value == pytest.approx(1 / each_s, rel=1e-3)
    with pytest.raises(ModelError, match=r"lock 'fuse inode 0' \(IfAny\)"):
        solve(model_of(fuse(direct_io=True, wake="5us"), call()))
    with pytest.raises(ModelError, match="buffer 'fuse read ahead of process 0 in file 0"):
        solve(model_of(fuse(), call("read", sequential=True)))


@pytest.mark.parametrize(
    ("fields", "line"),
    [
        ({"queues": "many"}, "queues is 'many'; .*allowed: each core, one"),
        ({"max_write": "1KiB"}, "max_write is '1KiB'; allowed: .* from 4KiB"),
        ({"threads": 0}, "threads is '0'; allowed: a whole number from 1"),
        ({"copy": "fast"}, "copy is 'fast'; allowed: bytes/s"),
    ],
)
def test_a_wrong_field_is_refused_in_one_line(fields, line):
    with pytest.raises(InputError, match=line):
        layer_of(Fuse, **fields)
