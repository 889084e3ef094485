"""Each host has what is below for itself; processes are dealt to hosts in turn, and counted anew on each."""

from __future__ import annotations

import pytest

from layers import Below, engines_agree, layer_of, model_of, per_second
from models.io import FileIO
from models.parts.host.nodes import Nodes
from models.parts.link.link import Link
from sim import Station, Use


class Disk:
    def __init__(self, name, seen):
        self.station, self.seen = Station(f"{name}disk"), seen

    def path(self, io):
        self.seen.append((self.station.name, io.host, io.process))
        return (Use(self.station, 1e-3),)


def nodes(count, seen=None):
    seen = [] if seen is None else seen
    return Nodes(count=count).layer("nodes", lambda copy: Disk(copy, seen))


def io(number):
    return FileIO("read", 4096, process=number)


@pytest.mark.parametrize(("count", "processes", "busy"), [(1, 5, 1), (4, 1, 1), (4, 3, 3), (4, 9, 4)])
def test_hosts_have_their_own_devices(count, processes, busy):
    assert per_second(model_of(nodes(count), io, processes)) == pytest.approx(busy / 1e-3, rel=0.01)


def test_processes_are_dealt_in_turn_and_counted_anew():
    seen = []
    layer = nodes(2, seen)
    for number in range(5):
        layer.path(io(number))
    assert seen == [
        ("node 1 disk", 0, 0),
        ("node 2 disk", 1, 0),
        ("node 1 disk", 0, 1),
        ("node 2 disk", 1, 1),
        ("node 1 disk", 0, 2),
    ]


def test_hosts_of_hosts_have_numbers_of_their_own():
    seen = []
    racks = Nodes(count=2).layer(
        "racks", lambda rack: Nodes(count=3).layer("nodes", lambda copy: Disk(rack + copy, seen))
    )
    for number in range(12):
        racks.path(io(number))
    assert sorted({(name, host) for name, host, _ in seen}, key=str) == [
        *((f"node 1 node {node} disk", 2 * node - 2) for node in (1, 2, 3)),
        *((f"node 2 node {node} disk", 2 * node - 1) for node in (1, 2, 3)),
    ]


def test_global_process_number_is_passed_to_every_host():
    seen = []

    class Noted:
        def path(self, io):
            seen.append(io.process_of_all)
            return (Use(Station("disk"), 1e-3),)

    racks = Nodes(count=2).layer("racks", lambda _: Nodes(count=3).layer("nodes", lambda _: Noted()))
    for number in range(13):
        racks.path(io(number))
    assert seen == list(range(13))


def test_shared_layer_is_one_for_all_nodes():
    shared = layer_of(Link, Below(1e-3), bandwidth="100MB/s")
    layer = Nodes(count=3).layer("nodes", lambda _: shared)
    model = model_of(layer, lambda number: FileIO("read", 1_000_000, process=number), 6)
    assert per_second(model) == pytest.approx(100, rel=0.01)
    assert [place.name for place in model.places] == ["link out", "link back"]


def test_the_engines_agree():
    assert engines_agree(model_of(nodes(3), io, 5))
