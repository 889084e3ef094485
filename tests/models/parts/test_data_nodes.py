"""Data nodes: what cards, copies and sleep take, in closed forms, and what goes when each is taken out."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from layers import engines_agree, per_second
from models.parts.data_nodes.node import DataNode, Disks, Handling, NodeTimes
from models.parts.data_nodes.volume import Asker, ReplicatedVolume
from models.parts.flash import Flash
from models.parts.host.asleep import Depth, SleepingMachine
from models.parts.link.messages import Card, Network
from sim import Closed, Delay, Model, Open, Poisson, Station, simulate
from sim.system.quantities import TimeTable, linear

BYTE_S = 1e-8
SIZE = 10_000
TIMES = NodeTimes(request_s=1e-5, byte_s=0.0)


def ssd(read_s=1e-4, write_s=1e-9):
    access = TimeTable(linear(read_s).read, linear(write_s).write)
    return Flash(latency=access, access=access, units=1, placement="free", variation=1.0, bandwidth=math.inf)


def machine(name, *depths):
    return SleepingMachine(name, depths or (Depth(1e-3, 0.0),))


def node(number, times=TIMES, device=None, **kept):
    name = f"node {number}"
    return DataNode(
        **{
            "machine": machine(name),
            "card": Card.of(name),
            "cpu": Station(f"{name} cpu", 4),
            "ssds": Disks.of(name, 1, device or ssd()),
            "times": times,
            **kept,
        }
    )


def volume(nodes=3, times=TIMES, replicas=3, *, device=None, follower_read=False):
    network = Network(1 / BYTE_S, one_way_s=0.0, header_bytes=0)
    return ReplicatedVolume(
        network, tuple(node(each, times, device) for each in range(nodes)), replicas, follower_read
    )


ASKER = Asker(machine("client"), Card.of("client"))


def loaded(path, clients=1):
    return Model([Closed("clients", clients, path, group="all")])


def rate(path, clients=1):
    return per_second(loaded(path, clients), precision=0.01)


def test_a_message_takes_the_time_of_one_card_and_keeps_both_busy():
    network = Network(1 / BYTE_S, one_way_s=2e-5, header_bytes=1000)
    cards = [Card.of(name) for name in ("here", "there", "elsewhere")]
    message = network.message(cards[0], cards[1], SIZE)
    assert rate(message) == pytest.approx(1 / (2e-5 + (SIZE + 1000) * BYTE_S), rel=1e-3)
    to_both = [Closed(str(at), 8, network.message(cards[0], cards[at], SIZE), group="all") for at in (1, 2)]
    assert per_second(Model(to_both), precision=0.01) == pytest.approx(1 / ((SIZE + 1000) * BYTE_S), rel=0.01)


def test_writes_and_overwrites_of_three_copies_leave_the_leaders_card_twice():
    silent = replace(TIMES, request_s=0.0)
    once, thrice = (volume(times=silent, replicas=replicas) for replicas in (1, 3))
    for how in (Handling(3), Handling(2)):
        path = thrice.write(ASKER, 0, SIZE, how)
        assert rate(path, clients=16) == pytest.approx(0.5 / (SIZE * BYTE_S), rel=0.05)
    assert rate(once.write(ASKER, 0, SIZE, Handling(1)), clients=16) == pytest.approx(
        1 / (SIZE * BYTE_S), rel=0.02
    )


def test_an_append_waits_for_the_slowest_copy_and_an_overwrite_for_the_second():
    """Means of the largest and of the second of three exponential times: 11/6 and 5/6 of one."""
    stored = volume(times=NodeTimes(0.0, 0.0), device=ssd(write_s=1e-4))
    all_copies, majority = (rate(stored.write(ASKER, 0, 0, Handling(needed))) for needed in (3, 2))
    assert all_copies == pytest.approx(1 / (11 / 6 * 1e-4), rel=0.03)
    # An SSD that is behind with the last write holds up the next one a little.
    assert 1 / (11 / 6 * 1e-4) < majority < 1 / (5 / 6 * 1e-4)


def test_work_of_the_log_is_done_on_the_leader_and_on_a_follower():
    stored = volume()
    plain, logged = (1 / rate(stored.write(ASKER, 0, 0, Handling(2, work_s=work_s))) for work_s in (0.0, 1e-4))
    assert logged - plain == pytest.approx(2e-4, rel=0.02)


def test_followers_share_the_reads_of_one_leader_where_they_may():
    leader, all_copies = (volume(follower_read=each).read(ASKER, 0, 0) for each in (False, True))
    assert rate(all_copies, clients=64) > 2 * rate(leader, clients=64)


def test_a_node_that_sleeps_costs_its_wake_up_and_more_threads_more_of_them():
    sleepy = SleepingMachine("node 0", (Depth(1e-9, 3e-4), Depth(1e-9, 5e-4)))
    for threads, wake_s in ((1.0, 8e-4), (2.0, 11e-4)):
        path = (*sleepy.message(threads), Delay(1e-4))
        assert rate(path) == pytest.approx(1 / (wake_s + 1e-4), rel=0.01)


def test_a_machine_is_asleep_as_often_as_a_queue_without_end_of_servers_is_empty():
    """Messages that come at random at rate r find it asleep with probability exp(-r after)."""
    machine_ = SleepingMachine("node 0", (Depth(1e-3, 1e-5),))
    model = Model([Open("all", Poisson(700.0), machine_.message())])
    mean_s = simulate(model, answers=("mean",), precision=0.03, watch="all").groups["all"].latency.mean.value
    assert mean_s == pytest.approx(math.exp(-0.7) * 1e-5, rel=0.05)


def test_an_ssd_has_accesses_in_parallel_and_bytes_one_after_the_other():
    """100 µs of each access, 40 of each request's bytes; in sequence the bytes alone."""
    byte_s = 40e-6 / SIZE
    device = Flash(
        latency=linear(100e-6, byte_s), access=linear(100e-6), units=2, placement="free", bandwidth=1 / byte_s
    )
    here = node(0, device=device)
    random, sequence = (here.stored("read", SIZE, sequential=each) for each in (False, True))
    assert [rate(random, clients=each) for each in (1, 2, 16)] == pytest.approx(
        [1 / 140e-6, 2 / 140e-6, 2e4], rel=0.02
    )
    assert [rate(sequence, clients=each) for each in (1, 16)] == pytest.approx([25e3, 25e3], rel=0.01)


def test_engines_agree():
    sleepy = machine("node 0", Depth(2e-4, 1e-4), Depth(1e-3, 1e-4))
    nodes = volume(follower_read=True)
    nodes = replace(nodes, nodes=(replace(nodes.nodes[0], machine=sleepy), *nodes.nodes[1:]))
    for path in (
        nodes.read(ASKER, 0, SIZE),
        nodes.random_read(ASKER, SIZE),
        nodes.write(ASKER, 0, SIZE, Handling(2, work_s=1e-5, threads=2.0)),
    ):
        assert engines_agree(loaded(path, clients=5))
