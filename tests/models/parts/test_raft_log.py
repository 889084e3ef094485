"""Raft logs: a batch takes a round and its entries, and whoever comes meanwhile waits for the next."""

from __future__ import annotations

import pytest

from layers import engines_agree
from models.parts.raft_log import RaftLogs
from sim import Closed, Exponential, Model, simulate

ROUND_S, EACH_S = 1e-3, 10e-6


def model(clients, nodes=1, think_s=None, **logs):
    raft = RaftLogs(nodes, **{"round_s": ROUND_S, "each_s": EACH_S, **logs})
    return Model([Closed("writers", clients, raft.written(), think=think_s, group="all"), *raft.stores()])


def per_second(*args, **options):
    return simulate(model(*args, **options), watch="all", precision=0.02).throughput.value


def test_a_single_writer_has_each_round_alone():
    assert per_second(1) == pytest.approx(1 / (ROUND_S + EACH_S), rel=0.01)


def test_writers_that_come_back_at_once_share_each_round():
    """All of them are gathered, as they return together."""
    assert per_second(50) == pytest.approx(50 / (ROUND_S + 50 * EACH_S), rel=0.01)


def test_entries_limit_a_store_and_nodes_multiply_it():
    for nodes in (1, 3):
        found = per_second(3000 * nodes, nodes)
        assert found == pytest.approx(nodes * 3000 / (ROUND_S + 3000 * EACH_S), rel=0.03)


def test_random_arrival_waits_half_a_round():
    """Few writers who think for long: the round under way, if any, is half over on average."""
    clients, think_s = 20, 0.1
    latency_s = clients / per_second(clients, think_s=Exponential(think_s), each_s=1e-9) - think_s
    busy = 1 - 2.718281828 ** (-clients * ROUND_S / think_s)
    assert ROUND_S < latency_s < ROUND_S * (1 + busy)


def test_the_engines_agree():
    assert engines_agree(model(7, 3))
