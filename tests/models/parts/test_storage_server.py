"""Servers of copies: what goes through their cards and their threads, by hand, and how copies lie over servers."""

from __future__ import annotations

import pytest

from layers import Below, engines_agree, made, model_of
from models.io import FileIO
from models.parts.replicas import Replicas
from sim import InputError, simulate

BYTES, CARD = 1_000_000, 1e9
TAKES_S = BYTES / CARD
"""1 ms on one way of a card."""


def layer(**fields):
    return made(Replicas, card="1GB/s", header=0, **fields).layer("replicas", lambda _copy: Below(1e-3))


def ran(op="write", processes=1, **fields):
    model = model_of(layer(**fields), lambda n: FileIO(op, BYTES, process=n), processes)
    return simulate(model, watch="all", precision=0.02)


def mean_s(*args, **fields):
    return ran(*args, **fields).groups["all"].latency.mean.value


def test_a_read_goes_out_through_the_card_of_its_copy_and_a_write_comes_in():
    assert mean_s("read") == pytest.approx(TAKES_S + 1e-3)
    assert mean_s(copies=1) == pytest.approx(TAKES_S + 1e-3)


@pytest.mark.parametrize(("copies", "out"), [(2, 1), (3, 2), (5, 4)])
def test_a_leader_sends_copies_through_its_card_one_after_the_other(copies, out):
    assert mean_s(copies=copies) == pytest.approx(TAKES_S + out * TAKES_S + 1e-3)


def test_in_a_chain_each_copy_forwards_a_write_once():
    result = ran(copies=3, writes="chain")
    assert result.groups["all"].latency.mean.value == pytest.approx(3 * (TAKES_S + 1e-3))
    used = [result.places[f"replicas machine {n} out"].utilisation for n in (1, 2)]
    assert used == pytest.approx([TAKES_S / (3 * (TAKES_S + 1e-3))] * 2, rel=0.02)


def test_a_header_goes_with_each_message():
    """There with the write and back, and there with the copy and back."""
    fields = {"card": "1GB/s", "header": 100_000, "copies": 2}
    model = model_of(
        made(Replicas, **fields).layer("replicas", lambda _copy: Below(1e-3)), lambda _n: FileIO("write", BYTES)
    )
    found = simulate(model, watch="all", precision=0.02).groups["all"].latency.mean.value
    assert found == pytest.approx(2 * TAKES_S + 1e-3 + 4 * 0.1e-3)


def test_a_leader_works_on_a_write_before_he_hands_it_on_and_each_copy_after():
    server = {"read": "2ms", "write": {"0B": "3ms", "1MB": "4ms"}}
    assert mean_s(copies=2, server=server) == pytest.approx(TAKES_S + 4e-3 + TAKES_S + 4e-3 + 1e-3)
    assert mean_s("read", copies=2, server=server) == pytest.approx(2e-3 + TAKES_S + 1e-3)


def test_threads_of_a_server_work_side_by_side():
    """Ten reads, of which so many threads take 10 ms each; the card is far from full."""
    for threads in (1, 2):
        rate = ran("read", 10, server="10ms", threads=threads).groups["all"].throughput.value
        assert rate == pytest.approx(threads * 100, rel=0.02)


def test_servers_have_equal_shares_of_all_copies():
    result = ran("write", 12, copies=2, servers=6, machines=3, server="1ms")
    rate = result.groups["all"].throughput.value
    used = [result.places[f"replicas server {n} threads"].utilisation for n in range(1, 7)]
    assert used == pytest.approx([rate * 2 / 6 * 1e-3] * 6, rel=0.05)


@pytest.mark.parametrize(("op", "into", "out"), [("read", 0.0, 1.0), ("write", 2.0, 1.0)])
def test_cards_carry_the_traffic_of_their_servers(op, into, out):
    """Of two copies each written byte comes in twice and goes out once; a read one goes out."""
    result = ran(op, 12, copies=2, servers=6, machines=3)
    rate = result.groups["all"].throughput.value
    for way, share in (("in", into), ("out", out)):
        used = [result.places[f"replicas machine {n} {way}"].utilisation for n in (1, 2, 3)]
        assert used == pytest.approx([rate * share * TAKES_S / 3] * 3, rel=0.06, abs=1e-9)


def test_a_flush_goes_to_all_servers():
    (fork,) = layer(copies=2, servers=6).path(FileIO("flush", 0))
    assert len(fork.branches) == 6


@pytest.mark.parametrize(
    ("fields", "refused"),
    [
        ({"servers": 2}, "servers is 2, and copies 3; allowed: 0, or at least as many as copies"),
        ({"servers": 6, "lost": 1}, "lost is 1 with 6 servers; allowed: 0 where servers are more than copies"),
        (
            {"parity": True, "writes": "chain"},
            "parity is on with copies lost, read or written in a chain; allowed",
        ),
        ({"servers": 6, "machines": 4}, "machines is 4 of 6 servers; allowed: 0, or as many as have equally many"),
    ],
)
def test_contradictory_fields_are_refused(fields, refused):
    with pytest.raises(InputError, match=refused):
        layer(**fields)


@pytest.mark.parametrize("copies", [2, 3])
def test_a_write_with_parity_reads_data_and_parity_before(copies):
    """Read beside each other, each 1 ms; then parity comes in, one copy after the other, as do those written."""
    server = {"read": "2ms", "write": "3ms"}
    others = copies - 1
    came_in_s, written_s = TAKES_S, others * TAKES_S + 3e-3 + 1e-3
    old_s = 2e-3 + 1e-3 + others * TAKES_S
    assert mean_s(copies=copies, parity=True, server=server) == pytest.approx(came_in_s + 3e-3 + old_s + written_s)
    assert mean_s("read", copies=copies, parity=True) == mean_s("read", copies=copies)


@pytest.mark.parametrize("op", ["read", "write"])
def test_the_engines_agree(op):
    fields = {"copies": 2, "servers": 4, "machines": 2, "server": "50us", "hop": "20us"}
    assert engines_agree(model_of(layer(**fields), lambda n: FileIO(op, 4096, process=n), 3))
