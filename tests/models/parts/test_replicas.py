"""Every copy has every write; a write waits for as many as must acknowledge it, a read for one."""

from __future__ import annotations

import pytest

from layers import engines_agree, model_of, per_second
from models.io import FileIO
from models.parts.replicas import Replicas
from sim import Closed, Exponential, InputError, Model, ModelError, Station, Use, simulate
from sim.engine.analytic.solve import solve

MEAN_S = 1e-3


class Disk:
    """Exponential, so that the times of copies have order statistics."""

    def __init__(self, name, servers):
        self.station = Station(f"{name}disk", servers)

    def path(self, _io):
        return (Use(self.station, Exponential(MEAN_S)),)


def replicas(servers=1, **fields):
    return Replicas(**fields).layer("replicas", lambda copy: Disk(copy, servers))


def model(op, processes=1, think_s=None, **fields):
    layer = replicas(**fields)
    return Model(
        Closed(f"process {n}", 1, layer.path(FileIO(op, 4096, process=n)), think=think_s, group="all")
        for n in range(processes)
    )


def ran(*args, precision=0.02, **options):
    return simulate(model(*args, **options), precision=precision)


def harmonic(n):
    return sum(1 / k for k in range(1, n + 1))


@pytest.mark.parametrize(("copies", "acknowledged"), [(3, 1), (3, 2), (3, 0), (5, 3)])
def test_at_light_load_a_write_takes_the_order_statistic_of_its_copies(copies, acknowledged):
    """The k-th of n exponential times has the mean H(n) - H(n-k) of one (David and Nagaraja 2003)."""
    # Servers so many that late writes are in nobody's way.
    latency = ran("write", copies=copies, acknowledged=acknowledged, servers=1000).groups["all"].latency.mean
    needed = acknowledged or copies
    assert latency.value == pytest.approx(MEAN_S * (harmonic(copies) - harmonic(copies - needed)), rel=0.03)


def test_requests_in_flight_together_do_not_count_each_others_acknowledgements():
    latency = ran("write", 8, acknowledged=2, servers=1000).groups["all"].latency.mean
    assert latency.value == pytest.approx(MEAN_S * (1 / 3 + 1 / 2), rel=0.03)


@pytest.mark.parametrize("writes", ["parallel", "chain"])
@pytest.mark.parametrize("acknowledged", [0, 1, 2])
def test_every_copy_has_every_write(writes, acknowledged):
    result = ran("write", 2, think_s=5e-3, precision=0.05, writes=writes, acknowledged=acknowledged)
    each = result.throughput.value * MEAN_S
    assert [result.places[f"copy {n} disk"].utilisation for n in (1, 2, 3)] == pytest.approx([each] * 3, rel=0.1)


@pytest.mark.parametrize("acknowledged", [1, 2, 3])
def test_a_chain_takes_as_long_as_the_copies_that_acknowledge(acknowledged):
    latency = ran("write", writes="chain", acknowledged=acknowledged, servers=1000).groups["all"].latency.mean
    assert latency.value == pytest.approx(acknowledged * MEAN_S, rel=0.02)


HOP_S = 20e-3


@pytest.mark.parametrize(
    ("op", "fields", "expected_s"),
    [
        ("read", {"reads": "random"}, MEAN_S),
        ("write", {"acknowledged": 1}, MEAN_S),
        ("write", {"acknowledged": 2}, HOP_S + MEAN_S / 2),
        ("write", {"acknowledged": 3}, HOP_S + MEAN_S * harmonic(2)),
        ("write", {"writes": "chain", "acknowledged": 1}, MEAN_S),
        ("write", {"writes": "chain", "acknowledged": 3}, 2 * HOP_S + 3 * MEAN_S),
    ],
)
def test_copies_but_the_first_are_a_hop_away_from_writes(op, fields, expected_s):
    """The hop is so long that the leader is always the first to have a write."""
    latency = ran(op, hop=HOP_S, servers=1000, **fields).groups["all"].latency.mean
    assert latency.value == pytest.approx(expected_s, rel=0.02)


def test_a_late_copy_is_still_in_the_way_of_the_next_write():
    """With one server a copy that nobody waits for is busy still: slower than at light load, not faster."""
    free, busy = (ran("write", acknowledged=2, think_s=1e-3, servers=n).throughput.value for n in (1000, 1))
    assert busy < 0.97 * free


@pytest.mark.parametrize(
    ("reads", "used"), [("leader", [1, 0, 0]), ("process", [0.5, 0.25, 0.25]), ("random", [1 / 3] * 3)]
)
def test_reads_go_to_the_stated_copies(reads, used):
    result = ran("read", 4, precision=0.05, reads=reads, servers=1000)
    each = result.throughput.value * MEAN_S / 1000
    places = {name: place.utilisation for name, place in result.places.items()}
    assert [places.get(f"copy {n} disk", 0.0) / each for n in (1, 2, 3)] == pytest.approx(used, abs=0.04)


def test_hosts_with_one_process_each_read_from_different_copies():
    layer = replicas(reads="process")
    read = [layer.path(FileIO("read", 4096, host=host))[0].station.name for host in range(4)]
    assert read == ["copy 1 disk", "copy 2 disk", "copy 3 disk", "copy 1 disk"]


def test_a_flush_is_acknowledged_as_a_write_is():
    (fork,) = replicas(acknowledged=2).path(FileIO("flush", 0))
    assert (len(fork.branches), fork.needed) == (3, 2)


def test_more_acknowledgements_than_copies_are_refused():
    with pytest.raises(InputError, match="acknowledged is 4 of 3 copies; allowed: at most as many as copies"):
        replicas(acknowledged=4)


@pytest.mark.parametrize(
    "fields", [{"acknowledged": 2}, {"writes": "chain", "acknowledged": 2}, {"acknowledged": 0}]
)
def test_the_engines_agree(fields):
    assert engines_agree(model_of(replicas(**fields), lambda n: FileIO("write", 4096, process=n), 3))


def test_the_analytic_engine_answers_for_all_and_refuses_a_quorum():
    for fields in ({}, {"writes": "chain"}, {"writes": "chain", "acknowledged": 2}):
        few = model("write", 2, think_s=5e-3, **fields)
        assert solve(few).groups["all"].throughput == pytest.approx(per_second(few, precision=0.02), rel=0.13)
    with pytest.raises(ModelError, match="waits for 2 of 3 branches"):
        solve(model("write", acknowledged=2))
