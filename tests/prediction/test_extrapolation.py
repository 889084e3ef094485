"""A prediction says which of its settings nobody has measured."""

from dataclasses import replace

import pytest

from models.systems.array import ARRAY
from models.systems.dbfs import DBFS
from sim.prediction.extrapolation import apart, beyond, extrapolated
from sim.system.case import Case
from sim.system.installed import find


def said(system=DBFS, **settings):
    return [str(each) for each in extrapolated(Case.of(system, settings))]


@pytest.mark.parametrize("users", [1, 3, 8])
def test_settings_between_figures_count_as_measured(users):
    assert said(users=users, nodes=4, cells=7, block="64KiB") == []


def test_numbers_beyond_the_range_and_words_that_no_figure_has_are_named():
    assert said(nodes=8, cells=14, direct_io="no", block="512B") == [
        "nodes=8 (measured: 1 … 4)",
        "cells=14 (measured: 3 … 7)",
        "block=512B (measured: 1KiB … 1MiB)",
        "direct_io=no (measured: yes)",
    ]


def test_unmeasured_system_has_no_extrapolation():
    assert said(ARRAY, users=900) == []
    assert said(replace(DBFS, data_package=None), nodes=8) == []


def test_changed_hardware_keeps_the_measured_range():
    faster = replace(DBFS, parameters=DBFS.parameters.changed({"node_serial_s_per_byte": 5e-10}))
    assert said(faster, nodes=8) == ["nodes=8 (measured: 1 … 4)"]


def apart_of(system, **settings):
    return [str(each) for each in apart(Case.of(system, settings))]


@pytest.mark.parametrize(("nodes", "cells"), [(1, 3), (4, 7)])
def test_settings_measured_together_are_not_called_separate(nodes, cells):
    assert apart_of("dbfs", nodes=nodes, cells=cells, users=3, block="24KiB") == []


def test_numbers_that_were_measured_but_never_together_are_named():
    """The eight devices of the study were read by one process, at depth 128."""
    assert apart_of("nvme", devices=8, processes=4, depth=128) == ["devices=8 and processes=4 together"]
    assert apart_of("nvme", devices=8, depth=64) == ["devices=8 and depth=64 together"]
    assert apart_of("nvme", devices=8, depth=128) == apart_of("nvme", processes=3, depth=200) == []


def test_a_number_that_was_measured_with_another_word_is_named():
    """Kyber was measured at depth 128 alone, and XFS of redo without a logical volume."""
    assert apart_of("nvme", scheduler="kyber", depth=64) == ["depth=64 and scheduler=kyber together"]
    assert "filesystem=xfs and lvm=yes together" in apart_of("redo", filesystem="xfs", lvm="yes")


def test_setting_out_of_range_by_itself_is_named_once():
    assert apart_of("nvme", devices=16, processes=4) == []
    assert [beyond(Case.of("nvme", {"devices": each})) for each in (1, 16)] == [False, True]


def test_a_number_as_near_as_figures_are_rounded_was_measured():
    """Redo on a logical volume was published with 571 bytes a transaction; 572, the default, is the same."""
    assert apart_of("redo", lvm="yes") == []
    assert apart_of("redo", redo="577B") == said(find("redo"), redo="577B") == []
    assert "lvm=yes and redo=577B together" in apart_of("redo", lvm="yes", redo="577B")
    assert said(DBFS, nodes=5, cells=7) == ["nodes=5 (measured: 1 … 4)"]
