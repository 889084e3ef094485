"""A link takes a round trip and the bytes of each direction; what goes the other way is not in the way."""

from __future__ import annotations

import pytest

from layers import Below, engines_agree, layer_of, model_of, per_second
from models.io import FileIO
from models.parts.link.link import ETHERNET_PAYLOAD, PIECE_BYTES, Link
from sim import Closed, Model, simulate
from sim.engine.analytic.solve import solve

KIB = 1024
FIELDS = {"bandwidth": "1GB/s", "round_trip": "100us", "header": "1000B"}


def link(below=None, **fields):
    return layer_of(Link, below or Below(0.0), **FIELDS | fields)


def latency(layer, op, size):
    model = model_of(layer, lambda _: FileIO(op, size))
    return simulate(model, precision=0.1).groups["all"].latency.mean.value


@pytest.mark.parametrize(("op", "data"), [("read", 100_000), ("write", 100_000), ("flush", 0)])
def test_single_io_takes_round_trip_headers_bytes_and_the_layer_below(op, data):
    assert latency(link(Below(1e-3)), op, data) == pytest.approx(1e-3 + 100e-6 + 2e-6 + data / 1e9, abs=5e-9)


@pytest.mark.parametrize("op", ["read", "write"])
def test_one_direction_is_the_ceiling(op):
    model = model_of(link(), lambda number: FileIO(op, 100_000, process=number), 30)
    assert per_second(model) == pytest.approx(1e9 / 101_000, rel=0.01)


def test_reads_and_writes_do_not_wait_for_each_other():
    both = [
        Closed(op, 30, link().path(FileIO(op, 100_000, process=number)), group="all")
        for number, op in enumerate(("read", "write"))
    ]
    assert per_second(Model(both)) == pytest.approx(2 * 1e9 / 102_000, rel=0.02)


def test_a_small_message_waits_for_a_piece_of_a_large_one_and_not_for_all_of_it():
    large = Closed("large", 1, link().path(FileIO("write", 64 * PIECE_BYTES)))
    small = Closed("small", 1, link().path(FileIO("write", 0)))
    mean_s = simulate(Model([small, large]), watch="small", precision=0.05).groups["small"].latency.mean.value
    assert 102e-6 < mean_s <= 102e-6 + PIECE_BYTES / 1e9


@pytest.mark.parametrize(("links", "processes", "busy"), [(2, 1, 1), (2, 2, 2), (2, 6, 2), (4, 3, 3)])
def test_a_process_keeps_to_one_link(links, processes, busy):
    layer = link(count=links)
    loads = [
        Closed(f"process {number}", 20, layer.path(FileIO("read", 100_000, process=number)), group="all")
        for number in range(processes)
    ]
    assert per_second(Model(loads)) == pytest.approx(busy * 1e9 / 101_000, rel=0.01)


def test_hosts_begin_with_links_of_their_own():
    layer = link(count=2)
    first, second = (layer.path(FileIO("read", 4096, process=0, host=host)) for host in (0, 1))
    assert (first[0].steps[0].place.name, second[0].steps[0].place.name) == ("link 1 out", "link 2 out")


def test_default_bandwidth_is_the_tcp_payload_of_25_gigabits():
    assert Link().bandwidth == pytest.approx(2.942e9, rel=1e-3)
    assert pytest.approx(0.9415, abs=1e-4) == ETHERNET_PAYLOAD


def test_the_engines_agree_and_the_analytic_one_is_near():
    model = model_of(
        link(count=2), lambda number: FileIO("write" if number % 3 else "read", 90_000, process=number), 7
    )
    assert engines_agree(model)
    assert solve(model).groups["all"].throughput == pytest.approx(per_second(model), rel=0.1)


@pytest.mark.parametrize(("duplex", "rate"), [(True, 2.0), (False, 1.0)])
def test_one_bandwidth_for_both_directions_is_shared(duplex, rate):
    layer = link(duplex=duplex, header="0B", round_trip="0us")
    both = [Closed(op, 8, layer.path(FileIO(op, 100_000)), group="all") for op in ("read", "write")]
    assert per_second(Model(both)) == pytest.approx(rate * 1e4, rel=0.02)


def test_an_io_keeps_the_link_that_was_free_until_it_is_across():
    """One process over two links: pieces of one of its I/Os do not wait for those of two others."""
    path = link(count=2, turns="free", header="0B", round_trip="0us").path(FileIO("write", 4 * PIECE_BYTES))
    result = simulate(Model([Closed("w", 3, path)]), precision=0.02, answers=("throughput", "mean"))
    alone_s = 4 * PIECE_BYTES / 1e9
    assert result.throughput.value == pytest.approx(2 / alone_s, rel=0.01)
    assert result.places["link outbound"].utilisation == pytest.approx(1.0, abs=0.01)
    assert set(result.places) == {"link card", "link outbound"}


def test_bytes_cross_by_the_factors_sent_and_returned():
    kind = Link(bandwidth=1e9, round_trip=0.0, header=0)
    layer = kind.before(Below(0.0), "card", sent=2.0, returned=0.5)
    assert latency(layer, "write", 100_000) == pytest.approx(200e-6)
    assert latency(layer, "read", 100_000) == pytest.approx(50e-6)
