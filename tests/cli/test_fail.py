"""`stacksim fail`: every part in a table, one of them as a timeline, and the same as JSON and as a picture."""

from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

from sim.cli.app import app
from sim.engine.errors import StacksimError
from stack_files import DISK

FAILING = DISK.replace(
    'block = "64KiB"',
    'block = "64KiB"\nslow = { default = "4ms", help = "access" }',
).replace('time = "access"', 'time = "slow"')
PARTS = """
[[failure]]
part = "the arm, slow"
set = { slow = "8ms" }

[[failure]]
part = "the bus"
set = { block = "128KiB" }
"""


@pytest.fixture
def disk(tmp_path):
    path = tmp_path / "disk.toml"
    path.write_text(FAILING.replace("[[layer]]", f"{PARTS}\n[[layer]]", 1))
    return str(path)


def ran(*words):
    result = CliRunner().invoke(app, ["fail", *words, "--precision", "10%", "--quiet"], env={"COLUMNS": "80"})
    if result.exception and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result.output


def test_each_part_has_a_line(disk):
    text = ran(disk, "block=4KiB")
    assert "the arm, slow" in text
    assert " 50%" in text
    assert all(len(line) <= 80 for line in text.splitlines())
    assert "timeline of the phases" not in text


def test_one_part_has_a_timeline_that_fits_into_80_columns(disk):
    text = ran(disk, "block=4KiB", "--part", "the arm, slow", "--each", "2s")
    assert "timeline of the phases, each 2 s" in text
    assert text.count("█\n") + text.count("█ ") >= 25
    assert [name in text for name in ("before", "the arm, slow", "after")] == [True] * 3
    assert all(len(line) <= 80 for line in text.splitlines())


def test_phases_are_shortened_unless_their_length_is_given(disk):
    assert "timeline of the phases, each long enough to be seen" in ran(
        disk, "block=4KiB", "--part", "the arm, slow"
    )


def test_json_has_table_and_timeline(disk, tmp_path):
    picture = tmp_path / "fail.svg"
    words = ("--part", "the arm, slow", "--part", "users=1", "--each", "1s", "--json", "--picture", str(picture))
    record = json.loads(ran(disk, "block=4KiB", *words))
    assert set(record) == {
        "system",
        "settings",
        "before",
        "parts",
        "timeline",
        "timeline_reason",
        "before_over_time",
    }
    assert [part["part"] for part in record["parts"]] == ["the arm, slow", "users=1"]
    assert record["parts"][0]["set"] == {"slow": 8e-3}
    assert record["parts"][0]["status"] == "answered"
    assert len(record["timeline"]) == 40
    assert set(record["timeline"][0]) == {"part", "begin_s", "end_s", "throughput", "mean_s", "p99_s"}
    assert picture.read_text().startswith("<?xml")


def test_loss_of_the_only_part_is_reported_as_refused(tmp_path):
    path = tmp_path / "link.toml"
    path.write_text(
        'title = "a link"\n[settings]\nlost = { default = 0, range = [0, 1] }\n'
        '[[layer]]\nkind = "link"\nlost = "lost"\n[[layer]]\nkind = "ssd"\n'
        '[[failure]]\npart = "the link"\nset = { lost = 1 }\n'
    )
    text = ran(str(path))
    assert "the link         refused" in text
    assert "lost is 1 of 1 links" in text
    (part,) = json.loads(ran(str(path), "--json"))["parts"]
    assert (part["status"], part["rebuild"]) == ("refused", None)
    with pytest.raises(StacksimError, match=r"the link: .*lost is 1 of 1 links"):
        ran(str(path), "--part", "the link")


def test_table_replaces_an_impossible_timeline(tmp_path):
    words = ("san", "data=1MiB", "--part", "a path")
    text = ran(*words)
    assert "no timeline: " in text
    assert "a path" in text
    with pytest.raises(StacksimError, match=r"no timeline to draw: .*; leave --picture out"):
        ran(*words, "--picture", str(tmp_path / "x.png"))
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--part", "arm"), "no part 'arm'"),
        (("--part", "users=0"), "users is '0'; allowed"),
        (("--part", "users=1", "--part", "users=1"), "a part is given twice"),
        (("--each", "1s"), "a timeline needs a part; give --part"),
        (("--picture", "x.png"), "a timeline needs a part; give --part"),
        (("--part", "users=1", "--each", "0s"), "each is '0s'; allowed: a time from"),
        (("--part", "users=1", "--picture", "x.gif"), "x.gif"),
        (("--data", "4 apples"), "data is '4 apples'"),
        (("--data", "4TB"), "data is '4TB', and nothing is rebuilt in disk under these settings"),
        (("--part", "users=1", "--engine", "analytic"), "choose engine auto"),
    ],
)
def test_invalid_arguments_are_refused_in_one_line(disk, words, message):
    with pytest.raises(StacksimError, match=message) as refused:
        ran(disk, *words)
    assert len(str(refused.value).splitlines()) == 1


def test_rebuild_time_is_bytes_over_rate():
    text = ran("three-replicas", "jobs=4", "op=read", "--data", "4TB")
    assert "rebuild: a replica, while another is filled: 4TB take 5." in text


def test_a_system_without_parts_says_so():
    assert "no part can be lost in this model" in ran("redo")


def test_table_marks_sampled_jobs():
    assert "sampled: of jobs too long to simulate, one of " in ran("zfs-ufs", "phase=load", "rows=1")
    assert "sampled" not in ran("zfs-ufs", "phase=load", "rows=6400")
