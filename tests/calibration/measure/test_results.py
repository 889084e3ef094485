"""Tables of figures: medians, half of the range of the runs, and never more than a table takes."""

from __future__ import annotations

import pytest

import measured_machine
from sim.data.importers import read
from sim.system.stack.build import stack_system
from stacksim.measuring.jobs import Job
from stacksim.measuring.results import _rows
from stacksim.measuring.rounds import Rounds

JOB = Job("read", 4096, 2, 1)


def row(tmp_path, values):
    """The row of a job whose runs have these values, and the figure that the importer makes of it."""
    (tmp_path / "stack.toml").write_text(measured_machine.STACK)
    system = stack_system(tmp_path / "stack.toml")
    runs = [(JOB, {"jobs": [{"read": {"bw_bytes": int(value * 1e6)}}]}) for value in values]
    (written,) = _rows(system, [JOB], Rounds(runs))
    (tmp_path / "table.csv").write_text(f"{','.join(written)}\n{','.join(written.values())}\n")
    (figure,) = read(tmp_path / "table.csv", system, {}).measurements
    return written, figure


def test_the_median_and_half_of_the_range(tmp_path):
    written, figure = row(tmp_path, [90.0, 100.0, 130.0])
    assert (figure.value, figure.half_width) == (100.0, 20.0)
    assert (written["users"], written["block"], written["op"]) == ("2", "4KiB", "read")


@pytest.mark.parametrize("median", [1.065, 7.0106, 9.96, 0.1055])
def test_a_range_that_is_wider_than_the_figure_is_cut(tmp_path, median):
    _, figure = row(tmp_path, [median / 2.0, median, 40.0 * median])
    assert 0.8 * median < figure.half_width < figure.value
