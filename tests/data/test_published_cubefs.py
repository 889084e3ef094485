"""The published figures of CubeFS: spot values typed by hand, counts, and their arithmetic."""

from __future__ import annotations

import re
from collections import Counter

import pytest

from sim.data.package import DataPackage
from sim.engine.units import KIB, bytes_of

MIB = KIB * KIB
LOADS = (("read", "sequential"), ("write", "sequential"), ("read", "random"), ("write", "random"))


@pytest.fixture(scope="module")
def older(calibration_data):
    return DataPackage(calibration_data).read("cubefs")


@pytest.fixture(scope="module")
def newer(calibration_data):
    return DataPackage(calibration_data).read("cubefs-anchors")


def runs(dataset):
    """Bandwidth and latency of each run, by its settings."""
    found: dict[tuple[tuple[str, str], ...], dict[str, float]] = {}
    for figure in dataset.measurements:
        found.setdefault(figure.conditions, {})[figure.measure] = figure.value
    return {conditions: (each["throughput"], each["mean"]) for conditions, each in found.items()}


def test_each_load_has_each_number_of_clients_and_processes_once(older, newer):
    for dataset, clients, processes in ((older, "1248", (1, 4, 16, 64)), (newer, "1", (1, 16))):
        keys = Counter(
            (named["op"], named["order"], named["clients"], named["processes"])
            for named in map(dict, runs(dataset))
        )
        assert keys == Counter(
            (*load, client, str(process)) for load in LOADS for client in clients for process in processes
        )
        assert Counter(each.measure for each in dataset.measurements) == {
            "throughput": len(keys),
            "mean": len(keys),
        }


def test_bandwidth_times_latency_equals_bytes_in_flight(older, newer):
    for dataset, most in ((older, 0.042), (newer, 0.007)):
        for conditions, (mib_per_s, latency_s) in runs(dataset).items():
            named = dict(conditions)
            in_flight = int(named["clients"]) * int(named["processes"]) * bytes_of("block", named["block"])
            assert mib_per_s * MIB * latency_s == pytest.approx(in_flight, rel=most)


@pytest.mark.parametrize(
    ("row", "column", "value", "half_width"),
    [
        ("Sequential read 128k, 1 client", "1 process throughput", 148, 0.5),
        ("Sequential read 128k, 8 clients", "64 processes throughput", 9034, 0.5),
        ("Sequential write 128k, 1 client", "1 process latency", 2385.4e-6, 0.05e-6),
        ("Sequential write 128k, 8 clients", "64 processes throughput", 3608, 0.5),
        ("Random read 4k, 8 clients", "64 processes throughput", 2369, 0.5),
        ("Random write 4k, 2 clients", "16 processes latency", 539.525e-6, 0.0005e-6),
        ("Random write 4k, 8 clients", "1 process throughput", 39.274, 0.0005),
    ],
)
def test_spot_values_of_the_older_cluster(older, row, column, value, half_width):
    (figure,) = (each for each in older.measurements if (each.row, each.column) == (row, column))
    assert figure.value == pytest.approx(value, rel=1e-12)
    assert figure.half_width == pytest.approx(half_width, rel=1e-12)


@pytest.mark.parametrize(
    ("row", "column", "value"),
    [
        ("Sequential read 128k, 1 client", "16 processes throughput", 3496),
        ("Sequential write 128k, 1 client", "1 process latency", 1053.24e-6),
        ("Random read 4k, 1 client", "1 process latency", 250.72e-6),
        ("Random write 4k, 1 client", "16 processes throughput", 164),
    ],
)
def test_spot_values_of_the_newer_cluster(newer, row, column, value):
    (figure,) = (each for each in newer.measurements if (each.row, each.column) == (row, column))
    assert figure.value == pytest.approx(value, rel=1e-12)


def test_no_client_gets_more_than_its_card_and_the_data_nodes_no_more_than_theirs(older):
    """A card of 10 Gb/s carries at most 1460 of 1538 bytes of each frame as data."""
    card = 10e9 / 8 * 1460 / 1538 / MIB
    for conditions, (mib_per_s, _) in runs(older).items():
        named = dict(conditions)
        copies = int(named["replicas"]) if named["op"] == "write" else 1
        assert mib_per_s <= card * min(int(named["clients"]), int(named["data_nodes"]) / copies)


def test_conditions_say_which_cluster_it_was(older, newer):
    for dataset, nic, nodes, hardware in ((older, "10Gb/s", "10", "older"), (newer, "50Gb/s", "5", "newer")):
        for figure in dataset.measurements:
            named = dict(figure.conditions)
            assert (named["nic"], named["data_nodes"], named["hardware"]) == (nic, nodes, hardware)
            assert re.fullmatch(rf"{named['clients']} clients?", figure.row.partition(", ")[2])
