"""Which jobs are chosen: those that tell most about all parameters; a third is held out, none serves two ends."""

from __future__ import annotations

import numpy as np
import pytest

import measured_machine
from sim.calibration.measure.jobs import Job, at_twice_the_load, candidates, other_kinds
from sim.calibration.measure.plan import most_telling, plan
from sim.errors import InputError
from sim.system.stack.build import stack_system


def system(tmp_path, text=measured_machine.STACK):
    path = tmp_path / "stack.toml"
    path.write_text(text)
    return stack_system(path)


@pytest.fixture(scope="module")
def planned(tmp_path_factory):
    return plan(system(tmp_path_factory.mktemp("stack")))


def test_a_third_of_what_may_be_fitted_is_held_out(planned):
    assert len(planned.held_out) == len(planned.fitted) // 2
    every = [*planned.fitted, *planned.held_out, *planned.twice]
    assert len(set(every)) == len(every)
    assert sorted(planned.jobs, key=str) == sorted(every, key=str)


def test_the_same_stack_has_the_same_plan(planned, tmp_path):
    assert plan(system(tmp_path)) == planned


def test_what_tells_access_command_and_bandwidth_is_among_them(planned):
    assert any(job.users == 1 and job.block == 4096 for job in planned.fitted)
    assert any(job.users >= 4 and job.block == 4096 for job in planned.fitted)
    assert any(job.users >= 4 and job.block == 1 << 20 for job in planned.fitted)


def test_twice_the_load_is_beyond_all_others(planned):
    most = max(job.users * job.depth for job in (*planned.fitted, *planned.held_out))
    assert {job.users * job.depth for job in planned.twice} == {2 * most}


def test_a_row_that_says_nothing_new_comes_last():
    told = np.array([[[1.0, 0.0], [1.0, 0.0], [0.0, 0.2]]])
    assert most_telling(told, 2) == [0, 2]


def test_a_row_that_tells_something_only_elsewhere_counts():
    told = np.array([[[1.0], [0.0]], [[0.0], [2.0]]])
    assert most_telling(told, 1) == [1]


def test_depth_is_asked_only_where_a_stack_has_it(tmp_path):
    text = measured_machine.STACK.replace("[parameters]", "depth = 1\n\n[parameters]")
    assert {job.depth for job in candidates(system(tmp_path))} == {1}
    assert {job.depth for job in candidates(system(tmp_path, text))} == {1, 4, 16}
    assert {(job.users, job.depth) for job in at_twice_the_load(system(tmp_path, text))} == {(8, 4)}


def test_a_stack_that_only_reads_is_only_read(tmp_path):
    assert {job.op for job in candidates(system(tmp_path))} == {"read"}


def test_the_settings_of_a_job(tmp_path):
    settings = Job("read", 65536, 4, 1).settings(system(tmp_path))
    assert settings == {"users": 4, "block": 65536, "op": "read"}


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("users =", "others =", "no setting for the number of processes"),
        ('block = "4KiB"\nop', "op", "no setting 'block'"),
        ('basis = "fitted"', 'basis = "derived"', "no parameter to fit"),
        ("[parameters]", 'depth = "4KiB"\n[parameters]', "'depth' of stack 'stack' is no count"),
    ],
)
def test_stacks_that_nothing_can_be_measured_for(tmp_path, old, new, message):
    text = measured_machine.STACK.replace(old, new)
    if old.startswith("users"):
        text = text.replace('"users"', '"others"')
    if old.startswith("block"):
        text = text.replace('block = "block"\n', "")
    with pytest.raises(InputError, match=message):
        plan(system(tmp_path, text))


KINDS = """order = { default = "random", options = ["random", "sequential"] }
durable = { default = "no", options = ["no", "data", "all"] }

[parameters]"""


def test_other_kinds_are_asked_where_a_stack_has_settings_for_them(tmp_path):
    """Flushes alone and shared, some for the fit and some kept apart; sequences and mixes only kept apart."""
    assert other_kinds(system(tmp_path)) == ([], [])
    text = measured_machine.STACK.replace("[parameters]", KINDS).replace(
        'options = ["read"]', 'options = ["read", "write", "mixed"]'
    )
    seen, apart = other_kinds(system(tmp_path, text))
    flushes = [(job.durable, job.users) for job in (*seen, *apart) if job.durable != "no"]
    assert sorted(flushes) == [(durable, users) for durable in ("all", "data") for users in (1, 4, 16)]
    assert {job.durable for job in seen} == {"data", "all"}
    assert {(job.op, job.order) for job in apart if job.durable == "no"} == {
        ("read", "sequential"),
        ("write", "sequential"),
        ("mixed", "random"),
    }
    planned = plan(system(tmp_path, text))
    assert {*seen} <= {*planned.fitted}
    assert {*apart} <= {*planned.held_out}
