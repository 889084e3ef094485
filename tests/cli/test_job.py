"""A job file of fio as the load of a stack, answered in the words of stacksim or of fio."""

from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

from sim.cli.app import app
from sim.data.importers import read
from sim.engine.errors import StacksimError
from sim.prediction import RunOptions, predict
from sim.system import find

JOBS = """\
[global]
ioengine=libaio
direct=1
bs=4k
time_based
runtime=30
size=1g

[reads]
rw=randread
iodepth=16
numjobs=4
group_reporting

[writes]
stonewall
rw=randwrite
iodepth=4
"""

QUICK = ("--precision", "10%", "--watch", "throughput", "--quiet")


@pytest.fixture
def jobs(tmp_path):
    path = tmp_path / "both.fio"
    path.write_text(JOBS)
    return path


def run(*words):
    result = CliRunner().invoke(app, ["predict", *map(str, words), *QUICK])
    if isinstance(result.exception, StacksimError):
        raise result.exception
    assert result.exit_code == 0, result.output
    return result.stdout


def test_groups_run_one_after_the_other(jobs):
    printed = run("nvme-xfs", "--job", jobs)
    assert printed.index("group 1 of 2") < printed.index("group 2 of 2")
    assert "jobs=4  depth=16  block=4KiB  op=read" in printed
    assert "jobs=1  depth=4  block=4KiB  op=write" in printed
    assert "scheduler=none" in printed


def test_a_job_is_the_load_that_it_describes(jobs):
    reads, writes = json.loads(run("nvme-xfs", "--job", jobs, "--json"))
    options = RunOptions(precision=0.1, answers=("throughput",))
    same = predict("nvme-xfs", {"jobs": 4, "depth": 16}, options, intervals=False)
    assert reads["throughput"]["value"] == pytest.approx(same.throughput.value, rel=0.05)
    assert writes["throughput"]["value"] < reads["throughput"]["value"]


def test_json_is_read_by_the_importer_of_fio(jobs, tmp_path):
    jobs.write_text(JOBS.replace("rand", ""))
    made = json.loads(run("nvme-xfs", "--job", jobs, "--output-format", "json"))
    assert [each["jobname"] for each in made["jobs"]] == ["reads", "writes"]
    file = tmp_path / "made.json"
    file.write_text(json.dumps(made))
    figures = read(file, find("nvme-xfs"), {}).measurements
    assert [dict(each.conditions) for each in figures] == [
        {"op": "read", "block": "4KiB", "depth": "16", "jobs": "4", "files": "each"},
        {"op": "write", "block": "4KiB", "depth": "4", "jobs": "1"},
    ]
    assert [each.value for each in figures] == pytest.approx(
        [made["jobs"][0]["read"]["bw_bytes"] / 1e6, made["jobs"][1]["write"]["bw_bytes"] / 1e6]
    )


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("dbfs", "--job", "{jobs}"), "system 'dbfs' has its own loads; give a stack file"),
        (("nvme-xfs", "--job", "{jobs}.toml"), r"is not a \.fio file"),
        (("nvme-xfs", "--job", "none.fio"), r"no job file 'none\.fio'"),
        (
            ("nvme-xfs", "--job", "{jobs}", "--explain"),
            "--job is given with --program, --explain or --profile; leave those out",
        ),
        (
            ("nvme-xfs", "--job", "{jobs}", "--profile"),
            "--job is given with --program, --explain or --profile; leave those out",
        ),
        (("nvme-xfs", "--job", "{jobs}", "--output-format", "jsn"), "did you mean 'json'"),
        (("nvme-xfs", "--output-format", "json"), "there is no job"),
    ],
)
def test_invalid_arguments_are_refused(jobs, words, message):
    with pytest.raises(StacksimError, match=message):
        run(*(word.format(jobs=jobs) for word in words))


def test_a_job_file_with_a_wrong_option_names_its_line(jobs):
    jobs.write_text(JOBS.replace("iodepth=4", "iodept=4"))
    with pytest.raises(StacksimError, match=r"both\.fio.*line 18.*iodept.*did you mean 'iodepth'"):
        run("nvme-xfs", "--job", jobs)


def test_a_stack_file_may_name_its_job_file(jobs, tmp_path):
    stack = tmp_path / "own.toml"
    layers = "\n".join(f'[[layer]]\nkind = "{kind}"\n' for kind in ("cores", "ssd"))
    stack.write_text(f'title = "own"\n[load]\nkind = "fio"\nfile = "{jobs}"\ngroup = 2\n{layers}')
    assert "own" in run(stack)
    stack.write_text(stack.read_text().replace("group = 2", "group = 3"))
    with pytest.raises(StacksimError, match=r"group is 3; .* has 2"):
        run(stack)
