"""The published figures of the replicated database: spot values typed by hand, counts, and arithmetic on them."""

from __future__ import annotations

from collections import Counter

import pytest

from models.systems.raft_sql import RAFT_SQL
from sim.data.package import DataPackage
from sim.system.settings import complete

TYPED = {
    "v5-v4 4.0, point_select/150 threads, QPS": 159_451.19,
    "v5-v4 5.0, update_non_index/300 threads, p95": 9.73e-3,
    "v5-v4 5.0, read_write/300 threads, QPS / 20": 84_639.48 / 20,
    "v4-v3 3.0, update_index/150 threads, QPS": 11_164.40571,
    "v4-v3 4.0, read_write/300 threads, p95": 97.555e-3,
    "v6 6.0, read_write/300 threads, TPS": 4_856.23,
    "v6 6.1, update_index/300 threads, p95": 23.95e-3,
}
"""Row/column and value, as the source prints them; p95 in seconds."""


@pytest.fixture(scope="module")
def figures(calibration_data):
    return DataPackage(calibration_data).read("raft-sql").measurements


@pytest.fixture(scope="module")
def runs(figures):
    """Rate and 95th percentile by settings."""
    found = {}
    for each in figures:
        found.setdefault(each.conditions, {})[each.measure] = each.value
    return found


def test_figures_typed_by_hand(figures):
    found = {each.name: each.value for each in figures}
    assert {name: found[name] for name in TYPED} == pytest.approx(TYPED, rel=1e-7)
    assert len(found) == len(figures) == 80


def test_each_test_was_run_with_both_numbers_of_threads_by_each_version(runs):
    counted = Counter((each["study"], each["version"], each["threads"]) for each in map(dict, runs))
    numbers = {"v4-v3": ("150", "300"), "v5-v4": ("150", "300"), "v6": ("300",)}
    versions = {"v4-v3": ("3.0", "4.0"), "v5-v4": ("4.0", "5.0"), "v6": ("6.0", "6.1")}
    assert counted == {
        (study, version, threads): 4
        for study in numbers
        for version in versions[study]
        for threads in numbers[study]
    }
    assert all(set(each) == {"throughput", "p95"} for each in runs.values())


def test_conditions_are_settings(figures):
    for each in figures:
        asked = complete(RAFT_SQL.settings, dict(each.conditions))
        assert each.row == f"{asked['study']} {asked['version']}, {asked['test']}"
        assert asked["nodes"] == 3


def test_a_transaction_takes_less_in_the_mean_than_the_95th_percentile(runs):
    """Little's law; of read_write only with 20 queries a transaction: with one, p95 were far above the mean."""
    for conditions, run in runs.items():
        mean_s = int(dict(conditions)["threads"]) / run["throughput"]
        assert 1.04 * mean_s < run["p95"] < 1.8 * mean_s
