"""No band passes the published rate of the hardware, whatever the settings; without that, all of these would."""

from __future__ import annotations

import math
from itertools import product

import pytest

from sim.engine.simulation.options import RunOptions
from sim.engine.statistics.estimates import point
from sim.prediction.bands import bands_of
from sim.prediction.prediction import predict, predict_case
from sim.prediction.uncertainty import PredictionInterval
from sim.system.case import Case
from sim.system.installed import find
from sim.system.scenario import Answer
from sim.system.stack.job import job_of
from sim.system.what_if import with_set

ROUGH = RunOptions(precision=0.1, answers=("throughput",))
GIB = 1 << 30
WIDE = 0.3
"""Uncertainty assumed of parameters, a deviation of the logarithm: in one case of twenty 64 % more."""


def ends(name, settings, set_=None):
    """The prediction, and its bands of throughput and of the time of a job; parameters leave ``WIDE`` open."""
    system = with_set(find(name), set_ or {})
    prediction = predict(system, settings, ROUGH, intervals=False)
    names = [each for each in ("throughput", "elapsed") if each in prediction.answers]
    opened = {each: around(prediction.answers[each].estimate.value) for each in names}
    found = bands_of(Case.of(system, settings), prediction.answers, opened)
    return prediction, found


def around(value):
    return PredictionInterval(value * math.exp(-1.645 * WIDE), value * math.exp(1.645 * WIDE), 0.9, WIDE, 0.0)


RUNS = {"read": 100, "users": 64, "sequential": 100}
JOB = {"streams": 4, "data": 64 << 20, "drives": 64}
STATEMENT = {"statements": 1, "table": 1 << 28}

CASES = {
    "array, reads": ("array", {"read": 100, "users": 64}, 2 * 212.5e6 / 8192),
    "array, as many writes": ("array", {"read": 50, "users": 64, "skew": 3}, 2 * 212.5e6 / 8192 / 0.5),
    "array, runs": ("array", RUNS, 2 * 212.5e6 / 131072),
    "san, reads": ("san", {**JOB, "page_cache": False}, 425.0),
    "san, writes": ("san", {**JOB, "page_cache": False, "op": "write", "paths": 4}, 850.0),
    "san, one path lost": ("san", {**JOB, "page_cache": False, "paths_lost": 1}, 212.5),
    "san, faster": ("san", {**JOB, "page_cache": False, "fabric": "fc-8", "paths": 1}, 850.0),
    "exadata, from a file": ("exadata-ctas", {**STATEMENT, "read_from": "ext3"}, 1850 / 1024),
    "exadata, from cells": ("exadata-ctas", STATEMENT, 1850 / 1024 / 1.25),
    "exadata, two cards": ("exadata-ctas", {**STATEMENT, "paths": 2, "slaves": 64}, 2 * 1850 / 1024 / 1.25),
    "exadata, two cells": ("exadata-ctas", {**STATEMENT, "cells": 2, "read_from": "ext3"}, 2e9 / GIB),
    "an NFS server": ("nfs-server", {"clients": 16, "block": "1MiB", "depth": 16}, 1250.0),
    "an NFS server, two links": ("nfs-server", {"clients": 16, "block": "1MiB", "depth": 16, "links": 2}, 2500.0),
    "three replicas": ("three-replicas", {"jobs": 256, "block": "1MiB"}, 3125.0),
    "three replicas, read": ("three-replicas", {"jobs": 256, "block": "1MiB", "op": "read"}, 3125.0),
}


@pytest.mark.parametrize("name", CASES)
def test_a_band_ends_at_the_rate_of_the_hardware(name):
    system, settings, most = CASES[name]
    prediction, bands = ends(system, settings)
    value, band = prediction.throughput.value, bands["throughput"]
    assert value <= 1.03 * most
    assert band.low < value <= band.high <= max(value, 1.03 * most)
    if elapsed := bands.get("elapsed"):
        took = prediction.answers["elapsed"].estimate.value
        assert elapsed.low * band.high == pytest.approx(took * value, rel=1e-6)
        assert elapsed.high > took


@pytest.mark.parametrize("name", ["array, runs", "san, reads", "an NFS server", "three replicas, read"])
def test_where_the_hardware_is_the_limit_a_band_would_pass_it_otherwise(name):
    system, settings, most = CASES[name]
    prediction, bands = ends(system, settings)
    assert math.exp(1.645 * WIDE) * prediction.throughput.value > 1.1 * most
    assert bands["throughput"].high < 1.1 * most


LINE_MB_PER_S = {
    "fc-1": 106.25,
    "fc-2": 212.5,
    "fc-4": 425.0,
    "fc-8": 850.0,
    "gbe-1": 125.0,
    "ib-ddr": 1850 * 1.048576,
}


def high(system, settings, value, measure="throughput"):
    """The upper end of the band around such an answer."""
    answers = {measure: Answer(point(value), "any")}
    return bands_of(Case.of(find(system), settings), answers, {measure: around(value)})[measure].high


@pytest.mark.parametrize("fabric", ["fc-1", "fc-2", "fc-4", "fc-8"])
def test_all_paths_of_a_san_and_no_more(fabric):
    for paths, lost, op in product((1, 2, 8), (0, 1), ("read", "write")):
        if lost < paths:
            most = (paths - lost) * LINE_MB_PER_S[fabric]
            settings = {"fabric": fabric, "paths": paths, "paths_lost": lost, "op": op, "page_cache": False}
            assert high("san", settings, 0.9 * most) == pytest.approx(most)
            assert high("san", {**settings, "page_cache": True}, 0.9 * most) > most


@pytest.mark.parametrize("fabric", ["fc-4", "gbe-1", "ib-ddr"])
def test_all_cards_and_disks_of_exadata_and_no_more(fabric):
    for hosts, paths, cells, table in product((1, 4), (1, 3), (2, 14), ("ext3", "exadata")):
        read = 1.0 if table == "exadata" else 0.0
        returned = 0.5 * read if fabric == "ib-ddr" else 0.0  # one rate for both directions, and rows for blocks
        cards = hosts * paths * LINE_MB_PER_S[fabric] * 1e6 * 2 / (2 + returned)
        most = min(cards, cells * 1e9 * 2 / (2 + read)) / GIB
        settings = {"fabric": fabric, "hosts": hosts, "paths": paths, "cells": cells, "read_from": table}
        assert high("exadata-ctas", settings, 0.9 * most) == pytest.approx(most)
        both = most * (2 + read) / 2  # the blocks that are read count as well
        assert high("exadata-ctas", settings, 0.9 * both, "fabric") == pytest.approx(both)


@pytest.mark.parametrize(
    ("system", "settings", "set_"),
    [
        ("array", RUNS, {"path_bytes_per_s": 4e8}),
        ("nfs-server", {"clients": 16, "block": "1MiB", "depth": 16}, {"bandwidth": 2.9e9}),
    ],
)
def test_hardware_that_was_set_to_be_faster_is_other_hardware(system, settings, set_):
    prediction, bands = ends(system, settings, set_)
    assert bands["throughput"].high > 1.5 * prediction.throughput.value


def test_more_paths_that_were_set_carry_more():
    one, two = (ends("array", RUNS, {"paths": paths})[1] for paths in (1.0, 2.0))
    assert two["throughput"].high == pytest.approx(2 * one["throughput"].high, rel=0.02)


def test_cached_data_does_not_cross_the_fabric():
    prediction, bands = ends("san", {"streams": 2, "data": 64 << 20})
    assert bands["throughput"].high > 1.5 * prediction.throughput.value > 2 * 425


JOB_FILE = """
[global]
rw=randrw
rwmixread=80
bs=1m
iodepth=64
ioengine=libaio
direct=1
size=10g
time_based
runtime=60
[a]
[b]
"""


def test_rates_of_the_job_that_is_watched_end_with_its_throughput(tmp_path):
    """Four reads of five cross the link to the clients; further jobs have no part in its throughput."""
    file = tmp_path / "mixed.fio"
    file.write_text(JOB_FILE)
    case = Case.of(job_of(find("nfs-server"), file).systems[0], {})
    prediction = predict_case(case, ROUGH)
    answers = prediction.answers
    times = answers["throughput"].most / prediction.throughput.value
    assert 1.0 < times < 1.2
    for name in ("iops", "read", "write"):
        assert answers[name].most == pytest.approx(times * answers[name].estimate.value)
        assert answers[f"b {name}"].most == math.inf
