"""Every system says where its assumed and derived parameters lie, and its answers say what that makes of them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from sim.prediction import RunOptions, predict
from sim.system import find, systems
from sim.system.derivation import REPEATS
from sim.system.parameters import DEVIATIONS

CERTAIN = {
    ("array", "controllers"): "mid-range arrays have two",
    ("array", "copies"): "the array that is described is mirrored; another one is another model",
    ("dbfs", "chunk_bytes"): "a constant of the kernel: 32 pages a FUSE request",
    ("dbfs", "wake_s"): "handler_s was fitted beside it; the figures know the sum of both alone",
    ("dbfs-files", "chunk_bytes"): "the same",
    ("dbfs-files", "wake_s"): "the same",
    ("dbfs-files", "map_extent_bytes"): "a constant of the database",
    ("dbfs-load", "chunk_bytes"): "the same",
    ("dbfs-load", "wake_s"): "the same",
    ("dbfs-load", "stdio_bytes"): "a constant of the mount",
    ("exadata-ctas", "io_bytes"): "a constant of the database",
    ("file-copy", "psfs_cluster_bytes"): "a constant of the kernel",
    ("file-sync", "tick_s"): "a constant of the kernel, of four that are usual",
    ("file-copy", "ufs_cluster_bytes"): "a constant of the file system, where nothing else was set",
    ("postgresql", "flush_cpu"): "0, as the flush of the sources has its processor time in it",
    ("redo", "run_s"): "the length of the report, known to seven digits",
    ("san", "array_cache_bytes"): "the array's data sheet",
    ("shared-file", "cluster_bytes"): "a constant of the kernel",
    ("shared-file", "duo_piece_bytes"): "a default, and where the measured times jump",
    **dict.fromkeys(
        [
            (stack, "variation")
            for stack in (
                "gp3",
                "innodb-oltp",
                "nfs-server",
                "nvme-xfs",
                "postgresql",
                "rocksdb",
                "shared-ext4",
                "ssd-preconditioned",
                "three-replicas",
            )
        ],
        "0, so that no percentile is answered until somebody says how times vary",
    ),
}
"""Assumed or derived, and yet no range: why."""

QUICK = RunOptions(precision=0.05, answers=("throughput",))
OPEN = [
    (system.name, each)
    for system in systems().values()
    for each in system.parameters.entries
    if each.basis in ("assumed", "derived")
]


def band(system, **settings):
    return predict(system, settings, QUICK).intervals["throughput"]


def without_ranges(system, *names):
    entries = tuple(
        replace(each, likely=None, follows={}) if each.name in names else each
        for each in system.parameters.entries
    )
    return replace(system, parameters=replace(system.parameters, entries=entries))


@pytest.mark.parametrize(("name", "entry"), OPEN, ids=[f"{name} {entry.name}" for name, entry in OPEN])
def test_assumed_and_derived_parameters_have_a_range_or_a_reason(name, entry):
    assert (entry.likely is None) == ((find(name).measured_as, entry.name) in CERTAIN)
    if entry.likely:
        assert entry.low <= entry.likely[0] <= entry.value <= entry.likely[1] <= entry.high
        assert entry.likely[0] < entry.likely[1]


def test_every_reason_is_needed():
    assert set(CERTAIN) <= {(name, entry.name) for name, entry in OPEN}


def test_a_range_taken_out_makes_the_band_narrower():
    system = find("shared-file")
    whole = band(system)
    assert whole.ranges > 1.1 * band(without_ranges(system, "host_s", "service_s")).ranges
    ranged = [each.name for each in system.parameters.entries if each.likely]
    certain = without_ranges(system, *ranged)
    certain = replace(certain, parameters=replace(certain.parameters, covariance=()))
    alone = band(certain)
    assert (alone.ranges, alone.parameters) == (0.0, 0.0)


@pytest.mark.parametrize(
    ("name", "settings"),
    [
        ("shared-file", {"writers": 1}),
        ("shared-file", {"writers": 2}),
        ("san", {"streams": 1, "sockets": 4}),
        ("file-copy", {"utility": "cp"}),
    ],
)
def test_a_published_sum_stays_as_certain_as_it_was_published(name, settings):
    """Each part of it is a difference and much more uncertain; what one has more, another has less."""
    assert band(find(name), **settings).ranges == pytest.approx(REPEATS, rel=0.4)


@pytest.mark.parametrize("name", ["dbfs-files", "dbfs-load"])
def test_inherited_parameters_keep_their_covariance(name):
    fitted, inherited = find("dbfs").parameters, find(name).parameters
    entries = {each.name: each for each in inherited.entries}
    numbers = [f"fit {number}" for number in range(len(fitted.free()))]
    rows = np.array([[entries[each.name].follows.get(cause, 0.0) for cause in numbers] for each in fitted.free()])
    assert rows @ rows.T == pytest.approx(np.array(fitted.covariance), rel=1e-6)


def test_derived_parameter_compensates_a_fitted_one():
    """Export on one node is what it was derived from, wherever in the fit the time of a request lies."""
    whole = band(find("dbfs-load"), cells=3, work="export")
    assert whole.ranges < 0.03
    parts = [each for each in find("dbfs-load").parameters.entries if each.name == "export_s_per_byte"]
    assert parts[0].likely[1] / parts[0].value > 1.0 + 0.03 * DEVIATIONS
