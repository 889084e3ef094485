"""Other hardware of the catalogue in the place of that of a stack file."""

from __future__ import annotations

import math

import pytest

from models import data_folder
from models.systems.dbfs import DBFS
from sim.cli.report import OfSystem
from sim.cli.report import _own as of_report
from sim.data.hardware import catalogue, hardware
from sim.engine.errors import InputError
from sim.prediction import predict
from sim.prediction.extrapolation import unmeasured
from sim.prediction.report import system_of
from sim.system.case import Case
from sim.system.installed import find
from sim.system.priors import prior
from sim.system.stack.build import names_of, stack_system
from sim.system.stack.hardware import with_hardware

STACK = """\
title = "a link with a card, and a drive"

[settings]
users = 1
op = { default = "read", options = ["read", "write"] }

[parameters]
rate = { value = "1GB/s", bounds = ["0.1GB/s", "2GB/s"], range = ["0.9GB/s", "1.1GB/s"] }
drive = { value = "80us", range = ["70us", "90us"] }
flush = { value = "300us", range = ["200us", "400us"] }

[load]
clients = "users"
op = "op"

[[layer]]
kind = "link"
bandwidth = "rate"
round_trip = "0us"
header = 0

[[layer]]
kind = "replicas"
copies = 2
card = "rate"

[[layer]]
kind = "ssd"
latency = "drive"
units = 8
flush = "flush"
"""


@pytest.fixture
def stack(tmp_path):
    path = tmp_path / "ours.toml"
    path.write_text(STACK)
    return stack_system(path)


def layer(system, name):
    """The layer of this name, with all values by default."""
    settings = {each.name: each.default for each in system.settings}
    names = names_of(system.settings.record(**settings), system.parameters.values)
    (entry,) = (each for each in system.build.layers if each.name == name)
    return entry.made("stacksim.layers", names)


def of_one_layer(tmp_path, fields):
    """The system of a stack file with one layer of these fields."""
    path = tmp_path / "one.toml"
    path.write_text(f'title = "one layer"\n[[layer]]\n{fields}')
    return stack_system(path)


def test_a_drive_takes_the_place_of_that_of_the_file(stack):
    drive = hardware("optane-p4800x")
    ssd = layer(with_hardware(stack, ["optane-p4800x"]), "ssd")
    assert (ssd.iops, ssd.write_iops) == (550_000, 500_000)
    assert (ssd.bandwidth, ssd.write_bandwidth) == (2.4e9, 2.0e9)
    assert ssd.latency.at("read", 4096) == drive.limit("typical_latency", "read").value
    assert ssd.flush == 300e-6, "of which the catalogue says nothing"
    # one alone takes 10 us: 1.818 us of command, 1.707 us of bytes, and a unit for 0.86 of what is left
    assert ssd.units == math.ceil(550_000 * 0.86 * (10e-6 - 1 / 550_000 - 4096 / 2.4e9)) == 4


def test_single_io_takes_the_latency_of_the_data_sheet(tmp_path):
    drive = of_one_layer(tmp_path, 'kind = "ssd"\nlatency = "80us"\n')
    latencies = [predict(each, {}).latency.mean.value for each in (drive, with_hardware(drive, ["optane-p4800x"]))]
    assert latencies == pytest.approx([80e-6, 10e-6], rel=1e-3)


def test_a_drive_without_a_latency_has_that_of_its_kind(stack):
    changed = with_hardware(stack, ["crucial-t500"])
    _, of_kind = prior("ssd.read")
    (read,) = (each for each in changed.parameters.entries if each.name == "ssd.read")
    assert (read.value, read.likely, read.basis) == (of_kind.value, of_kind.likely, "assumed")
    assert layer(changed, "ssd").latency.at("read", 4096) == of_kind.value
    assert "drive" not in changed.parameters.names(), "nothing uses it any more"


def test_hardware_changes_every_layer_that_shares_a_parameter(stack):
    changed = with_hardware(stack, ["100gbe"])
    assert layer(changed, "link").bandwidth == layer(changed, "replicas").card == 12.5e9
    (rate,) = (each for each in changed.parameters.entries if each.name == "rate")
    assert (rate.basis, rate.likely) == ("published", None)


def test_changed_hardware_is_another_unmeasured_machine(stack):
    changed = with_hardware(stack, ["100gbe", "ssd=crucial-t500"])
    assert changed.name == "ours with 100gbe and crucial-t500"
    measured, other = find("nvme-xfs"), with_hardware(find("nvme-xfs"), ["crucial-t500"])
    assert not unmeasured(measured)
    assert unmeasured(other)
    notes = Case.of(changed, {}).scenario.notes
    assert "the catalogue has no flush of crucial-t500; ssd keeps what the file says" in notes


def test_no_hardware_leaves_the_system_unchanged(stack):
    assert with_hardware(stack, []) is stack


@pytest.mark.parametrize(
    ("word", "says"),
    [
        (
            "crucial-t5000",
            "no hardware 'crucial-t5000' for link or ssd; did you mean 'crucial-t500'? allowed: fc-1, ",
        ),
        (
            "ssd=fc-2",
            "no hardware 'fc-2' for ssd; it is for layers of kind link; allowed: iodrive-duo, intel-s3700, ",
        ),
        ("drive=fc-2", "hardware is 'drive=fc-2'; allowed before =: link, ssd"),
        ("", "no hardware '' for link or ssd; allowed: fc-1, "),
    ],
)
def test_unknown_hardware_is_one_line_with_names_of_the_catalogue(stack, word, says):
    with pytest.raises(InputError) as caught:
        with_hardware(stack, [word])
    assert str(caught.value).startswith(says)
    assert "\n" not in str(caught.value)


def test_several_layers_that_may_be_meant_are_reported():
    with pytest.raises(
        InputError, match=r"several layers may be; write 'instance=m5.xlarge' or 'volume=m5.xlarge'"
    ):
        with_hardware(find("gp3"), ["m5.xlarge"])
    iops = hardware("m5.xlarge").limit("iops").value
    assert layer(with_hardware(find("gp3"), ["instance=m5.xlarge"]), "instance").iops == iops


def test_a_system_in_python_has_no_such_layer():
    with pytest.raises(InputError, match="'dbfs' is written in Python: its parameters say what it runs on"):
        with_hardware(DBFS, ["100gbe"])


def test_a_stack_without_such_a_layer_says_which_kinds_take_it(tmp_path):
    with pytest.raises(InputError, match="no layer of 'one' takes it; those of kind disk, limits, link, ssd do"):
        with_hardware(of_one_layer(tmp_path, 'kind = "copy"\n'), ["fc-2"])


def test_a_disk_turns_as_fast_as_its_data_sheet_says(tmp_path):
    disk = layer(with_hardware(of_one_layer(tmp_path, 'kind = "disk"\nrpm = 5400\n'), ["cheetah-15k5"]), "disk")
    assert (disk.rpm, disk.bandwidth) == (15_000, 125e6)


@pytest.mark.parametrize("drive", [each.name for each in catalogue().values() if each.kind == "ssd"])
@pytest.mark.parametrize("system", ["postgresql", "nvme-xfs"])
def test_each_drive_of_the_catalogue_takes_its_place(system, drive):
    changed = with_hardware(find(system), [drive])
    assert Case.of(changed, {}).scenario.model.workloads


def test_flush_time_of_a_setting_is_noted_as_kept():
    changed = with_hardware(find("postgresql"), ["intel-p5600"])
    notes = Case.of(changed, {}).scenario.notes
    assert any("no flush of intel-p5600; ssd keeps drive (" in note for note in notes)


def test_a_layer_is_given_one_kind_of_hardware():
    with pytest.raises(
        InputError, match="hardware of 'ssd' is given twice, samsung-980-pro and intel-s3700; keep one"
    ):
        with_hardware(find("nvme-xfs"), ["samsung-980-pro", "ssd=intel-s3700"])


def test_a_report_holds_figures_against_the_changed_stack():
    file = data_folder() / "examples" / "t500-writes.csv"
    words = [str(file), "extents=preallocated"]
    (dataset,), changed = of_report(words, OfSystem("shared-ext4", None, [], ["crucial-t500"]))
    assert changed.name == "shared-ext4 with crucial-t500"
    assert system_of(dataset, changed) is changed
