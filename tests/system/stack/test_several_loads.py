"""Several loads of a stack file at the same time."""

from __future__ import annotations

import pytest

from sim.engine.errors import InputError
from sim.engine.simulation.options import RunOptions
from sim.prediction import predict
from sim.system import find
from sim.system.case import Case
from stack_files import DISK

BESIDE = """
[[load]]
clients = "users"
block = "block"
op = "op"

[[load]]
name = "night backup"
clients = 3
block = "64KiB"
op = "read"
think = "1ms"
"""
HOSTS = """\
[[layer]]
kind = "nodes"
name = "host"
count = 2

[[layer]]
kind = "cores"
name = "cpu"
count = 9
time = "1us"

"""
OLD = DISK[DISK.index("[load]") : DISK.index("[[place]]")]


@pytest.fixture
def stack(tmp_path):
    def made(loads=BESIDE, text=DISK):
        path = tmp_path / "disk.toml"
        path.write_text(text.replace(OLD, loads.lstrip() + "\n"))
        return find(str(path))

    return made


def test_the_first_load_is_watched_and_the_others_are_measures(stack):
    scenario = Case.of(stack(), {}).scenario
    assert [(each.name, each.group) for each in scenario.model.workloads] == [
        *((f"client {number}", "clients") for number in range(1, 5)),
        *((f"night backup {number}", "night backup") for number in range(1, 4)),
    ]
    assert scenario.watch == "clients"
    assert scenario.units["night_backup_throughput"] == "MB/s"
    assert scenario.units["night_backup_p99"] == "s"


def test_two_equal_loads_share_the_throughput_of_one(stack):
    """The arm serves one request at a time, whoever asks."""
    options = RunOptions(precision=0.02, answers=("throughput",))
    equal = BESIDE.replace("clients = 3", "clients = 4").replace('think = "1ms"\n', "")
    both = predict(stack(equal), {}, options, intervals=False).answers
    alone = predict(stack(OLD), {"users": 8}, options, intervals=False).answers["throughput"].estimate.value
    halves = both["throughput"].estimate.value, both["night_backup_throughput"].estimate.value
    assert sum(halves) == pytest.approx(alone, rel=0.03)
    assert halves[0] == pytest.approx(halves[1], rel=0.06)


ON_ONE_CORE = """\
title = "transactions and a batch job on two cores"

[[load]]
name = "transactions"
clients = 3
depth = 4

[[load]]
name = "batch"
clients = 3
depth = 8
block = "256KiB"

[[layer]]
kind = "cores"
count = 2
time = "20us"
copy = "1us"
interrupt = "0us"

[[layer]]
kind = "steps"
steps = [{ delay = "1us" }]
"""


def test_loads_share_the_cores_by_time(tmp_path):
    """Three processes on each core, two of one load on the first: each has a third of its time."""
    path = tmp_path / "cores.toml"
    path.write_text(ON_ONE_CORE)
    options = RunOptions(precision=0.01, answers=("throughput",))
    answers = predict(find(str(path)), {}, options, intervals=False).answers
    rates = answers["throughput"].estimate.value, answers["batch_throughput"].estimate.value
    of_each = [io_bytes / (3 * (20 + io_bytes / 1024) * 1e-6) / 1e6 for io_bytes in (4096, 256 * 1024)]
    assert rates == pytest.approx([3 * each for each in of_each], rel=0.02)


def test_one_load_in_a_list_is_that_load(stack):
    one, listed = Case.of(stack(OLD), {}).scenario, Case.of(stack(OLD.replace("[load]", "[[load]]")), {}).scenario
    assert [each.name for each in one.model.workloads] == [each.name for each in listed.model.workloads]
    assert not listed.measures


def test_processes_and_files_of_two_loads_are_different_ones(stack):
    """On two hosts, the third process of all is the second of the first host."""
    above = DISK.index("[[layer]]")
    loads = '[[load]]\nclients = 1\n[[load]]\nname = "other"\nclients = 1\n'
    scenario = Case.of(stack(loads, DISK[:above] + HOSTS + DISK[above:]), {}).scenario
    assert {place.name[: len("node 1")] for place in scenario.model.places} == {"node 1", "node 2"}


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (('name = "night backup"', 'name = "clients"'), "the name 'clients' is taken"),
        (("clients = 3", "client = 3"), "line 20: 'night backup' .* has no field 'client'"),
        (("clients = 3", 'kind = "fio"\nfile = "no.fio"'), "cannot stand beside others|no job file|file"),
    ],
)
def test_a_wrong_load_is_refused_with_its_line(stack, change, says):
    with pytest.raises(InputError, match=says):
        Case.of(stack(BESIDE.replace(*change)), {}).scenario  # noqa: B018


def test_a_load_that_is_no_table_is_refused(stack):
    with pytest.raises(InputError, match=r"line 1.*load"):
        stack(text="load = 5\n" + DISK.replace(OLD, ""))
