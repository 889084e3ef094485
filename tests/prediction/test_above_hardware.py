"""A report warns of a figure above what the hardware lets through that a stack file names."""

from __future__ import annotations

from dataclasses import replace

import pytest

from sim.data.importers import read
from sim.engine.simulation.options import RunOptions
from sim.prediction.report import report
from sim.system.stack.build import stack_system

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
        (ONE_LINK.replace("hardware", 'name = "a link"\nhardware'), [2]),
        (ONE_LINK.replace('hardware = "fc-2"', 'bandwidth = "212.5MB/s"'), []),
    ],
)
def test_report_warns_of_figures_above_the_hardware(tmp_path, stack_file, warned):
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


def test_no_model_is_built_if_nothing_exceeds_a_limit(tmp_path):
    (tmp_path / "ours.toml").write_text(ONE_LINK)
    (tmp_path / "own.csv").write_text("users,measure,value,unit\n16,throughput,100,MB/s\n8,throughput,90,MB/s\n")
    system, built = stack_system(tmp_path / "ours.toml"), []
    counted = replace(system, build=lambda *given: built.append(given) or system.build(*given))
    measured = read(tmp_path / "own.csv", system, {})
    report([measured], RunOptions("compiled", precision=0.05), refitted=counted)
    assert len(built) == 2


@pytest.mark.parametrize(
    ("layer", "figure", "says"),
    [
        ('kind = "limits"\nhardware = "gp3-base"', 135, "limits bandwidth lets 131.1 MB/s through (gp3-base: "),
        ('kind = "limits"\nhardware = "gp3-base"', 130, None),
        ('kind = "limits"\nhardware = "gp3-base"\nbandwidth = "125MiB/s"', 135, None),
        ('kind = "ssd"\nhardware = "intel-s3700"', 520, "ssd transfer lets 500 MB/s through (intel-s3700: "),
        ('kind = "ssd"\nunits = 1\nlatency = "5ms"\nhardware = "intel-s3700"', 490, None),
    ],
)
def test_only_limits_of_the_catalogue_are_reported(tmp_path, layer, figure, says):
    """The units of a drive, in the last case, are no figure of it, though they would be too slow for this."""
    device = '[[layer]]\nkind = "ssd"\nname = "device"\nbandwidth = "10GB/s"\n' if "limits" in layer else ""
    text = ONE_LINK.partition("[[layer]]")[0] + f"[[layer]]\n{layer}\n{device}"
    (tmp_path / "ours.toml").write_text(text)
    (tmp_path / "own.csv").write_text(f"users,measure,value,unit\n16,throughput,{figure},MB/s\n")
    system = stack_system(tmp_path / "ours.toml")
    made = report([read(tmp_path / "own.csv", system, {})], RunOptions("analytic"), refitted=system)
    warnings = [each for each in made.warnings if "lets" in each]
    assert [says in each for each in warnings] == [True] * bool(says)
