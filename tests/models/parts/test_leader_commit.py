"""A leader flushes for all who have come by then: batches grow with the number of clients, by known limits."""

from __future__ import annotations

import pytest

from layers import engines_agree, layer_of, model_of
from models.io import FileIO
from models.parts.leader_commit import Commits
from sim import Closed, Delay, Model, ModelError, Station, Use, simulate
from sim.engine.analytic.solve import solve

WRITE_S, FLUSH_S = 50e-6, 1e-3
FIELDS = {"cpu": "100us", "cores": 64, "wake": 0}


class Disk:
    """Tells how many writes and flushes it does."""

    def __init__(self):
        self.places = {"write": Station("writes", 64), "flush": Station("flushes", 64)}
        self.ios = []

    def path(self, io):
        self.ios.append(io)
        if io.op == "read":
            return (Delay(WRITE_S),)
        return (Use(self.places[io.op], WRITE_S if io.op == "write" else FLUSH_S),)


def commit(number):
    return FileIO("write", 300, process=number, durable="data")


def model(clients, **fields):
    layer = layer_of(Commits, Disk(), **FIELDS | fields)
    return Model([Closed("commits", clients, layer.path(commit(0)), group="all")])


def ran(clients, *, precision=0.02, **fields):
    return simulate(model(clients, **fields), precision=precision, answers=("throughput",))


def rate(*args, **fields):
    return ran(*args, **fields).throughput.value


def flushes(result):
    """A second."""
    return result.places["flushes"].utilisation * 64 / FLUSH_S


@pytest.mark.parametrize(
    ("fields", "cycle_s"),
    [
        ({}, 100e-6 + WRITE_S + FLUSH_S),
        ({"delay": "2ms"}, 100e-6 + 2e-3 + WRITE_S + FLUSH_S),
        ({"wake": "1s"}, 100e-6 + WRITE_S + FLUSH_S),  # who never waited for anybody never slept
        ({"database": "mysql"}, 100e-6 + 2 * WRITE_S + 2 * FLUSH_S),
        ({"database": "mysql", "each": "1ms"}, 2.1e-3 + 2 * WRITE_S + 2 * FLUSH_S),
        ({"database": "mysql", "sync_binlog": 0}, 100e-6 + 2 * WRITE_S + FLUSH_S),
        ({"database": "mysql", "sync_binlog": 4}, 100e-6 + 2 * WRITE_S + 1.25 * FLUSH_S),
        ({"database": "mysql", "binary_log": "off"}, 100e-6 + WRITE_S + FLUSH_S),
        ({"database": "mysql", "delay": "2ms"}, 2.1e-3 + 2 * WRITE_S + 2 * FLUSH_S),
    ],
)
def test_one_client_pays_for_every_step_itself(fields, cycle_s):
    assert rate(1, **fields) == pytest.approx(1 / cycle_s, rel=0.01)


@pytest.mark.parametrize("clients", [2, 8, 32])
def test_clients_who_return_soon_take_turns_and_half_of_them_share_a_flush(clients):
    """A commit that comes during a flush is in the next.

    When a flush ends at t, those who waited are flushed until t + F, and those whom it served come back before:
    each commits once in two flushes, so with F the time to write and flush there are n / 2F commits a second.
    """
    result = ran(clients, cpu="1us")
    assert result.throughput.value == pytest.approx(clients / 2 / (WRITE_S + FLUSH_S), rel=0.02)
    assert result.throughput.value / flushes(result) == pytest.approx(clients / 2, rel=0.03)


def test_with_a_delay_longer_than_they_need_to_return_all_share_one_flush():
    """The first of n exponential times to return, the delay, the flush: n commits in each such cycle."""
    result = ran(16, cpu="10us", delay="1ms")
    cycle_s = 10e-6 / 16 + 1e-3 + WRITE_S + FLUSH_S
    assert result.throughput.value == pytest.approx(16 / cycle_s, rel=0.01)
    assert result.throughput.value / flushes(result) == pytest.approx(16, rel=0.01)


def test_processor_time_is_the_ceiling_in_the_end():
    assert rate(600, cores=2) == pytest.approx(2 / 100e-6, rel=0.02)


def test_batches_grow_with_the_clients():
    results = [ran(clients, cpu="1ms") for clients in (1, 4, 16, 64)]
    sizes = [result.throughput.value / flushes(result) for result in results]
    assert sizes[0] == pytest.approx(1.0, rel=0.02)
    assert sizes == sorted(sizes)
    assert sizes[-1] > 20


def test_the_log_is_free_while_the_next_leader_wakes_up():
    """Two quick clients: who has just flushed comes back first, takes the log, and flushes for both.

    The other finds the log taken when it is awake, and waits for that flush. While it wakes up again, the first
    flushes alone. So three commits take two flushes, and none waits for a wake-up. With MySQL the leader keeps the
    log while he wakes up, once in two flushes.
    """
    fast = 3 / (2 * WRITE_S + 2 * FLUSH_S)
    assert rate(2, cpu="1us", wake="200us") == pytest.approx(fast, rel=0.02)
    assert rate(2, cpu="1us", wake="200us", database="mysql") < fast


def test_slow_wake_up_does_not_delay_others():
    """One client flushes alone all the time."""
    assert rate(2, cpu="1us", wake="100ms", precision=0.05) == pytest.approx(1 / (WRITE_S + FLUSH_S), rel=0.03)


def test_mysql_flushes_the_next_batch_while_it_syncs_the_one_before():
    """Stages of about F each are a pipeline: both flushes of a commit are at work, one for each of two batches."""
    at_once = flushes(ran(32, cpu="1us", database="mysql")) * FLUSH_S
    assert 1.5 < at_once <= 2.0
    assert flushes(ran(32, cpu="1us")) * FLUSH_S < 1.0


def test_work_of_leaders_per_transaction_is_a_ceiling():
    """Half of the clients are in the batch that is flushed."""
    stage_s = 2 * WRITE_S + FLUSH_S + 200 * 100e-6
    assert rate(400, cpu="1us", database="mysql", each="100us") == pytest.approx(200 / stage_s, rel=0.01)


def test_only_durable_writes_are_commits_and_each_is_a_write_and_a_flush():
    disk = Disk()
    layer = layer_of(Commits, disk, **FIELDS)
    others = [FileIO("read", 100), FileIO("write", 100), FileIO("flush", 0)]
    assert [len(layer.path(io)) for io in others] == [1, 1, 1]
    assert disk.ios == others
    disk.ios.clear()
    layer.path(commit(3))
    assert [(io.op, io.size_bytes, io.durable, io.process) for io in disk.ios] == [
        ("write", 8192, "no", 3),
        ("flush", 0, "data", 3),
    ]


@pytest.mark.parametrize("database", ["postgresql", "mysql"])
def test_the_engines_agree_and_the_analytic_one_refuses(database):
    several = model_of(layer_of(Commits, Disk(), database=database, each="3us", delay="20us"), commit, 5)
    assert engines_agree(several)
    with pytest.raises(ModelError, match="asks whether anything is at"):
        solve(several)
