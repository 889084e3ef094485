"""`stacksim hardware`: tables of 80 columns, all limits of one entry, JSON."""

from __future__ import annotations

import json

import pytest

from refusals import refused
from sim.data.hardware import catalogue, kinds


def test_without_a_name_there_is_a_table_for_each_kind(run):
    status, out, err = run("hardware")
    lines = [line.rstrip() for line in out.splitlines()]
    assert (status, err) == (0, "")
    assert max(map(len, lines)) <= 80
    assert [line.split()[0] for line in lines if line.endswith("what it is")] == list(kinds())
    listed = {line.split()[0] for line in lines if line and not line.startswith(" ")}
    assert {*catalogue()} <= listed
    (row,) = (line for line in lines if line.startswith("fc-2 "))
    assert row.split(maxsplit=6)[1:] == ["212.5", "MB/s", "425", "MB/s", "2001", "Fibre Channel, 2 Gb/s"]


def test_one_kind_of_hardware_is_listed(run):
    out = run("hardware", "--kind", "memory")[1]
    assert out.startswith("memory ")
    assert "38,400 MB/s" in out
    assert "fc-2" not in out


def test_one_entry_is_shown_in_full(run):
    out = run("hardware", "gp3")[1]
    assert out.splitlines()[0] == "gp3: AWS EBS gp3 volume, fully provisioned (volume, 2020-12)"
    assert "iops       80,000 /s   since 2025-09   published  [2]" in out.splitlines()
    assert "[1] Amazon EBS user guide, 'General Purpose SSD volumes', gp3" in out.splitlines()
    assert "[2] Amazon EC2 API reference" in out, "a limit with a source of its own"
    assert "source: INCITS FC-PI: 2.125 Gb/s, 8b/10b" in run("hardware", "fc-2")[1].splitlines()


def test_all_entries_fit_into_80_columns(run):
    out = run("hardware", *catalogue())[1]
    assert max(len(line) for line in out.splitlines()) <= 80
    assert "line: 4 lanes of 2.5 Gb/s, 8 of 10 bits are data" in out.splitlines()
    assert "fc-2: Fibre Channel, 2 Gb/s (link, 2001; also 2gfc)" in out.splitlines()


def test_json_is_stable(run):
    made = json.loads(run("hardware", "2gfc", "gp3", "--json")[1])
    assert [each["name"] for each in made] == ["fc-2", "gp3"]
    assert list(made[0]) == ["name", "title", "kind", "since", "source", "limits", "aliases", "line"]
    stable = ["what", "value", "unit", "op", "basis", "source", "since", "until", "note"]
    assert [*made[0]["limits"][0]] == stable
    line, frame = made[0]["line"], {"payload": 2112, "around": 60, "headers": 0}
    assert line == {"bits_per_s": 2.125e9, "code": [8, 10], "lanes": 1, "frame": frame, "bytes_per_s": 212.5e6}
    assert made[1]["line"] is None
    assert len(json.loads(run("hardware", "--json")[1])) == len(catalogue())


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("fc-3",), "no hardware 'fc-3'; did you mean 'fc-"),
        (("fc-2", "oven"), "no hardware 'oven'; "),
        (("--kind", "lnk"), "no kind of hardware 'lnk'; did you mean 'link'? allowed: array, bus, "),
    ],
)
def test_a_wrong_word_is_one_line(run, words, message):
    refused(run("hardware", *words), message)
