"""`--for`: an answer over time as text, JSON and a picture, and goals over time."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

FILLING = f"{Path(__file__).parents[1] / 'filling.py'}:FILLING"


def lines_of(text):
    """The first column and the rest of each line."""
    return dict(line.split("  ", 1) for line in text.splitlines() if "  " in line)


def test_three_lines_stand_between_settings_and_limit(run, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    status, out, _ = run("predict", FILLING, "--for", "100s")
    assert status == 0
    order = "filling", "over 100 s", "burst", "sustained", "lowest second", "p99", "burst ends", "levels", "limit"
    assert tuple(lines_of(out))[: len(order)] == order
    shown = {name: text.strip() for name, text in lines_of(out).items()}
    assert re.match(r"65\d0 MB/s for 1[67]\.\d s +.* … .* MB/s, .* … .* s$", shown["burst"])
    assert re.match(r"26\d0 MB/s +.* … .* MB/s$", shown["sustained"])
    assert shown["burst ends"] == "when cache is full"
    assert shown["levels"] == "cache 0% … 100% full, 100% at the end"
    assert shown["limit"].startswith("at the end, saturated: disk")
    assert max(map(len, out.splitlines())) <= 80
    assert "expected if measured, 90%" in out


def test_time_too_short_says_which_would_do(run):
    _, out, _ = run("predict", FILLING, "--for", "10s")
    assert lines_of(out)["too short"].strip().endswith("ask for 25s")
    assert lines_of(out)["sustained"].strip() == "not known"
    assert "for 10 s or more" in lines_of(out)["burst"]


def test_json_has_rates_and_levels_of_each_part(run):
    _, out, _ = run("predict", FILLING, "--for", "2min", "--resolution", "2s", "--json")
    record = json.loads(out)
    assert (record["seconds"], record["resolution_s"], record["unit"]) == (120.0, 2.0, "MB/s")
    assert len(record["rates"]) == len(record["latencies_s"]) == len(record["levels"]["cache"]) == 60
    assert record["measures"]["burst_length"]["value"] == pytest.approx(record["phases"][0]["end_s"])
    assert record["bands"]["sustained"]["low"] < record["measures"]["sustained"]["value"]
    assert record["saw_tooth"] is None
    assert record["measures"]["period"]["value"] is None


def test_picture_is_drawn(run, tmp_path):
    target = tmp_path / "over.svg"
    assert run("predict", FILLING, "--for", "60s", "--picture", target)[0] == 0
    drawn = target.read_text("utf-8")
    assert drawn.startswith("<?xml")


def test_saw_tooth_is_told_with_its_period(run):
    words = ("low=30", "high=70", "--set", "out_s=6.25us", "--for", "5min")
    _, out, _ = run("predict", FILLING, *words)
    assert "a saw-tooth every " in lines_of(out)["lowest second"]
    assert "%)" in lines_of(out)["lowest second"]


@pytest.mark.parametrize("command", ["find", "growth"])
def test_goals_are_about_the_time(run, command):
    words = ["burst length>=5s", "blocks=600000,1200000"] if command == "find" else ["burst length>=5s"]
    load = ("--load", "blocks=600000", "--months", "2") if command == "growth" else ()
    status, out, _ = run(command, FILLING, *words, *load, "--for", "60s")
    assert status == 0
    assert "goals are about 60 s from the start on" in out


def test_failures_over_time_have_rates_of_their_own(run):
    _, out, _ = run("fail", FILLING, "disks=2", "--for", "30s", "--json")
    record = json.loads(out)
    before, after = record["before_over_time"], record["parts"][0]["over_time"]
    assert after["measures"]["sustained"]["value"] < 0.6 * before["measures"]["sustained"]["value"]


def test_plain_answer_of_a_level_that_moves_points_to_time(run):
    words = ("credits=full", "iops=16000", "block=4KiB", "--max-steps", "300000")
    _, out, _ = run("predict", "gp3", *words)
    assert lines_of(out)["over time"].strip().startswith("a level still moves when this run ends; ask for a time")
    assert "over time" not in run("predict", "gp3", "--precision", "10%")[1]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--for", "10"), "write its unit"),
        (("--for", "0s"), "allowed: a time from 1 ms to 3700 d"),
        (("--for", ""), "for is ''; allowed: a time from 1 ms"),
        (("--for", "10s", "--resolution", "9s"), "allowed: a time that parts 10s into 10 to 200,000 parts"),
        (("--resolution", "1s"), "give one, such as --for 2h"),
        (("--picture", "a.svg"), "say for how long"),
        (("--for", "10s", "--explain"), "has no details of that kind"),
        (("--for", "10s", "--engine", "analytic"), "choose engine auto"),
    ],
)
def test_wrong_words_are_refused_in_one_line(run, words, said):
    status, out, err = run("predict", "gp3", *words)
    assert (status, out) == (2, "")
    assert said in err
    assert len(err.splitlines()) == 1
