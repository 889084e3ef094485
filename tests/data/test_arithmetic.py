"""Figures of one run that cannot all be right are found, and those that can are not."""

from __future__ import annotations

import pytest

from models import data_folder
from sim.data.arithmetic import contradictions, disagreements
from sim.data.dataset import Measurement
from sim.data.package import DataPackage


def figure(measure, value, unit, conditions="processes=4 depth=8 block=4KiB", line=2, half_width=None):
    return Measurement(
        dataset="own",
        source="S0",
        table="1",
        row=f"row {line}",
        column=measure,
        measure=measure,
        value=value,
        unit=unit,
        half_width=value / 1000 if half_width is None else half_width,
        conditions=conditions,
        quality="B",
        line=line,
    )


def said(*figures):
    return [*(why for _, why in contradictions(figures)), *map(str, disagreements(figures))]


@pytest.mark.parametrize(
    ("unit", "value", "agrees"),
    [("MB/s", 409.6, True), ("MiB/s", 390.6, True), ("MiB/s", 409.6, False), ("MB/s", 400, False)],
)
def test_a_bandwidth_is_the_ios_times_the_bytes_of_each(unit, value, agrees):
    lines = said(figure("iops", 100, "kIO/s"), figure("throughput", value, unit))
    assert bool(lines) != agrees
    assert agrees or lines[0].startswith("100 kIO/s of 4096 bytes are")


def test_rounding_leaves_room():
    assert not said(figure("iops", 100, "kIO/s", half_width=5), figure("throughput", 400, "MB/s"))


@pytest.mark.parametrize(("value", "unit", "agrees"), [(320, "µs", True), (0.3, "ms", True), (320, "ms", False)])
def test_ios_a_second_times_their_mean_latency_are_in_flight(value, unit, agrees):
    lines = said(figure("iops", 100, "kIO/s"), figure("mean", value, unit))
    assert bool(lines) != agrees
    assert agrees or "it leaves 3.2e+04 in flight, and conditions say 32" in lines[0]
    assert said(figure("throughput", 409.6, "MB/s"), figure("mean", value, unit)) == [
        line.replace("100 kIO/s", "409.6 MB/s") for line in lines
    ]
    assert not said(figure("iops", 100, "kIO/s"), figure("p99", value, unit))


def test_two_runs_of_the_same_agree_or_a_condition_is_missing():
    assert not said(figure("iops", 100, "kIO/s"), figure("iops", 115, "kIO/s", line=3))
    (line,) = said(figure("iops", 100, "kIO/s"), figure("iops", 180, "kIO/s", line=3))
    assert line.startswith("line 2 has 100 kIO/s under the same conditions; add the condition that differs")
    other = "processes=4 depth=8 block=4KiB host=b"
    assert not said(figure("iops", 100, "kIO/s"), figure("iops", 180, "kIO/s", conditions=other, line=3))


def test_runs_that_disagree_are_reported_together():
    figures = [figure("iops", value, "kIO/s", line=line) for line, value in enumerate((100, 180, 300, 101), 2)]
    (found,) = disagreements(figures)
    assert (found.first, found.other, found.runs) == (figures[0], figures[2], 4)
    assert str(found).startswith("line 2, the first of 4 runs, has 100 kIO/s under the same conditions")


def test_figures_in_other_units_or_without_a_block_are_not_checked():
    assert not said(figure("iops", 100, "kIO/s", "users=1"), figure("throughput", 1, "MB/s", "users=1"))
    assert not said(figure("throughput", 3, "reads/s"), figure("hit_ratio", 0.5, "1"))


@pytest.mark.parametrize("name", ["dbfs-dd", "direct-write-lock", "shared-file", "ext4-exclusive"])
def test_published_figures_agree(name):
    dataset = DataPackage(data_folder()).read(name)
    assert not list(contradictions(dataset.predicted()))
    assert not list(disagreements(dataset.predicted(), dataset.scatter))
