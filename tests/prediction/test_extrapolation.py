"""A prediction says which of its settings nobody has measured."""

from dataclasses import replace

import pytest

from models.systems.array import ARRAY
from models.systems.dbfs import DBFS
from sim.prediction.extrapolation import extrapolated
from sim.system.case import Case


def said(system=DBFS, **settings):
    return [str(each) for each in extrapolated(Case.of(system, settings))]


@pytest.mark.parametrize("users", [1, 3, 8])
def test_what_lies_between_figures_was_measured(users):
    assert said(users=users, nodes=4, cells=7, block="64KiB") == []


def test_numbers_beyond_the_range_and_words_that_no_figure_has_are_named():
    assert said(nodes=8, cells=14, direct_io="no", block="512B") == [
        "nodes=8 (measured: 1 … 4)",
        "cells=14 (measured: 3 … 7)",
        "block=512B (measured: 1KiB … 1MiB)",
        "direct_io=no (measured: yes)",
    ]


def test_of_a_system_that_nobody_measured_there_is_nothing_to_go_beyond():
    assert said(ARRAY, users=900) == []
    assert said(replace(DBFS, data_package=None), nodes=8) == []


def test_other_hardware_is_still_beyond_what_was_measured():
    faster = replace(DBFS, parameters=DBFS.parameters.changed({"node_serial_s_per_byte": 5e-10}))
    assert said(faster, nodes=8) == ["nodes=8 (measured: 1 … 4)"]
