"""A report warns of a figure above what the hardware lets through that a stack file names."""

from __future__ import annotations

import pytest

from sim.data.importers import read
from sim.prediction.report import report
from sim.simulation.options import RunOptions
from sim.system.stack import stack_system

ONE_LINK = """\
title = "a link"
[settings]
users = 16
[load]
clients = "users"
block = "1MiB"
[[layer]]
kind = "link"
hardware = "fc-2"
[[layer]]
kind = "ssd"
"""


@pytest.mark.parametrize(
    ("stack_file", "warned"),
    [
        (ONE_LINK, [2]),
        (ONE_LINK.replace("hardware", "count = 2\nhardware"), [2]),
        (ONE_LINK.replace("hardware", "count = 3\nhardware"), []),
        (ONE_LINK.replace("hardware", 'bandwidth = "212.5MB/s"\nhardware'), []),
        (ONE_LINK.replace('hardware = "fc-2"', 'bandwidth = "212.5MB/s"'), []),
    ],
)
def test_a_report_warns_of_it(tmp_path, stack_file, warned):
    """450 MB/s are more than one link carries, and than two; three carry it. A figure of the file may be wrong."""
    (tmp_path / "ours.toml").write_text(stack_file)
    (tmp_path / "own.csv").write_text("users,measure,value,unit\n16,throughput,450,MB/s\n8,throughput,200,MB/s\n")
    system = stack_system(tmp_path / "ours.toml")
    measured = read(tmp_path / "own.csv", system, {})
    warnings = [
        each for each in report([measured], RunOptions("analytic"), refitted=system).warnings if "lets" in each
    ]
    assert [int(each.split("line ")[1].split(":")[0]) for each in warnings] == warned
    assert all("450 MB/s" in each and "fc-2: INCITS" in each for each in warnings)
