"""Which jobs are chosen: those that tell most about all parameters; a third is held out, none serves two ends."""

from __future__ import annotations

import re

import numpy as np
import pytest

import measured_machine
from sim.engine.errors import InputError
from sim.system.stack.build import stack_system
from stacksim.measuring.jobs import Job, at_twice_the_load, candidates, other_kinds, own_jobs
from stacksim.measuring.plan import most_telling, plan, plan_of


def system(tmp_path, text=measured_machine.STACK):
    path = tmp_path / "stack.toml"
    path.write_text(text)
    return stack_system(path)


@pytest.fixture(scope="module")
def planned(tmp_path_factory):
    return plan(system(tmp_path_factory.mktemp("stack")))


def test_third_of_the_jobs_is_held_out(planned):
    assert len(planned.held_out) == len(planned.fitted) // 2
    every = [*planned.fitted, *planned.held_out, *planned.twice]
    assert len(set(every)) == len(every)
    assert sorted(planned.jobs, key=str) == sorted(every, key=str)


def test_equal_stacks_have_equal_plans(planned, tmp_path):
    assert plan(system(tmp_path)) == planned


def test_fitted_jobs_separate_access_command_and_bandwidth(planned):
    assert any(job.users == 1 and job.block == 4096 for job in planned.fitted)
    assert any(job.users >= 4 and job.block == 4096 for job in planned.fitted)
    assert any(job.users >= 4 and job.block == 1 << 20 for job in planned.fitted)


def test_twice_the_load_is_beyond_all_others(planned):
    most = max(job.users * job.depth for job in (*planned.fitted, *planned.held_out))
    assert {job.users * job.depth for job in planned.twice} == {2 * most}


def test_a_row_that_says_nothing_new_comes_last():
    told = np.array([[[1.0, 0.0], [1.0, 0.0], [0.0, 0.2]]])
    assert most_telling(told, 2) == [0, 2]


def test_row_that_matters_in_one_stack_alone_counts():
    told = np.array([[[1.0], [0.0]], [[0.0], [2.0]]])
    assert most_telling(told, 1) == [1]


def test_depth_varies_only_where_the_stack_has_it(tmp_path):
    text = measured_machine.STACK.replace("[parameters]", "depth = 1\n\n[parameters]")
    assert {job.depth for job in candidates(system(tmp_path))} == {1}
    assert {job.depth for job in candidates(system(tmp_path, text))} == {1, 4, 16}
    assert {(job.users, job.depth) for job in at_twice_the_load(system(tmp_path, text))} == {(8, 4), (32, 1)}


def test_a_stack_that_only_reads_is_only_read(tmp_path):
    assert {job.op for job in candidates(system(tmp_path))} == {"read"}


def test_the_settings_of_a_job(tmp_path):
    settings = Job("read", 65536, 4, 1).settings(system(tmp_path))
    assert settings == {"users": 4, "block": 65536, "op": "read"}


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('clients = "users"', "clients = 4", "no setting for the number of processes"),
        ('block = "4KiB"\nop', "op", "no setting 'block'"),
        ('basis = "fitted"', 'basis = "derived"', "no parameter to fit"),
        ("[parameters]", 'depth = "4KiB"\n[parameters]', "'depth' of stack 'stack' is no count"),
    ],
)
def test_stacks_that_nothing_can_be_measured_for(tmp_path, old, new, message):
    text = measured_machine.STACK.replace(old, new)
    if old.startswith("clients"):
        text = re.sub("users = .*\n", "", text)
    if old.startswith("block"):
        text = text.replace('block = "block"\n', "")
    with pytest.raises(InputError, match=message):
        plan(system(tmp_path, text))


KINDS = """order = { default = "random", options = ["random", "sequential"] }
durable = { default = "no", options = ["no", "data", "all"] }

[parameters]"""


def test_further_kinds_of_jobs_need_settings_of_the_stack(tmp_path):
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


def files(tmp_path, *texts):
    paths = [tmp_path / f"{number}.fio" for number in range(len(texts))]
    for path, text in zip(paths, texts, strict=True):
        path.write_text(f"[a]\ndirect=1\nruntime=9\nsize=1m\nioengine=psync\n{text}\n")
    return paths


def test_job_files_of_a_user_are_the_plan(tmp_path):
    texts = [f"rw=randread\nbs={block}k\nnumjobs={users}" for block in (4, 8) for users in (1, 2, 3)]
    jobs = own_jobs(system(tmp_path), files(tmp_path, *texts, texts[0]))
    assert jobs == [Job("read", block << 10, users, 1) for block in (4, 8) for users in (1, 2, 3)]
    planned = plan_of(jobs)
    assert planned.held_out == (jobs[2], jobs[5])
    assert {*planned.fitted} == {*jobs} - {*planned.held_out}


def test_a_plan_of_few_jobs_is_refused(tmp_path):
    with pytest.raises(InputError, match="jobs that differ in the job files: 1; at least 6 are needed"):
        plan_of(own_jobs(system(tmp_path), files(tmp_path, "rw=randread\nbs=4k")))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("rw=randread\nbssplit=4k/50:64k/50", "for block, which a measured job cannot"),
        ("rw=randread\nrate_iops=100", "says '100/s' for pace, which a measured job cannot"),
        ("rw=read", "says 'sequential' for order, which a measured job cannot"),
        ("rw=randread\ndirect=0", "needs a page cache"),
    ],
)
def test_unsupported_job_options_are_refused_with_the_file(tmp_path, text, message):
    with pytest.raises(InputError, match=message):
        own_jobs(system(tmp_path), files(tmp_path, text))


def test_the_only_job_of_a_kind_is_for_the_fit():
    """Of three reads two are held out, and the one write never."""
    reads, write = [Job("read", block, 1, 1) for block in (512, 1024, 2048, 4096, 8192)], Job("write", 512, 1, 1)
    planned = plan_of([*reads[:2], write, *reads[2:]])
    assert write in planned.fitted
    assert planned.held_out == (reads[4],)
