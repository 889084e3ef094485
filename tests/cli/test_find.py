"""`stacksim find`: texts in, a design out."""

from __future__ import annotations

import csv
import json

import pytest

from refusals import refused
from sim.decision.knee import Knee
from sim.output.views.finding import knee_text
from stack_files import DISK

QUICK = ("--precision=5%", "-q")
DESIGN = ("throughput>=20MB/s", "users=1..4", "block=64KiB,256KiB,1MiB")


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    (tmp_path / "disk.toml").write_text(DISK)
    (tmp_path / "prices.toml").write_text(
        'currency = "EUR"\n[users]\npurchase = 100\nmonth = 2\n[block]\nmonth = 1\n'
    )
    (tmp_path / "loads.toml").write_text('[[load]]\nname = "night"\nhours = "22-6"\nsettings = { op = "write" }\n')
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_design_in_words(run):
    """One user at 4 ms and 64 KiB reads 15 MB/s, at 256 KiB 45; two at 64 KiB are no faster: the arm is in use."""
    status, out, err = run("find", "disk.toml", *DESIGN, *QUICK)
    assert (status, err) == (0, "")
    assert out.splitlines()[0] == "disk  users=1 block=256KiB"
    assert [line.split()[0] for line in out.splitlines() if line and not line.startswith(" ")] == [
        "disk", "with", "extrapolated", "note", "goal", "throughput>=20MB/s", "load", "limit", "failures",
        "rejected", "12", "assumed",
    ]  # fmt: skip
    assert "missed    users=4 block=64KiB: throughput is " in out


def test_no_design_is_exit_status_one(run):
    status, out, _ = run("find", "disk.toml", "throughput>=200MB/s", "users=1..3", *QUICK)
    assert status == 1
    assert "no design keeps the goals; nearest: users=" in out


def test_json_is_stable(run):
    status, out, _ = run("find", "disk.toml", *DESIGN, *QUICK, "--json", "--cost", "prices.toml")
    made = json.loads(out)
    assert status == 0
    stable = "status design goals knee bottleneck next_bottleneck failures cost front rejected"
    assert list(made)[:10] == stable.split()
    assert {"goal", "value", "low", "high", "unit", "probability", "headroom"} <= set(made["goals"][0])
    assert made["cost"]["currency"] == "EUR"
    assert made["failures"] == []


def test_the_front_is_written_and_drawn(run, here):
    files = ("--cost", "prices.toml", "--csv", "front.csv", "--picture", "front.png")
    status, out, _ = run("find", "disk.toml", *DESIGN, *QUICK, *files)
    assert status == 0
    assert "designs that keep the goals, none of them cheaper and better than another" in out
    rows = list(csv.DictReader((here / "front.csv").read_text().splitlines()))
    assert list(rows[0]) == [
        "users", "block", "purchase", "month", "cost", "throughput (MB/s)", "low", "high", "engine"
    ]  # fmt: skip
    assert [float(row["cost"]) for row in rows] == sorted(float(row["cost"]) for row in rows)
    assert (here / "front.png").read_bytes().startswith(b"\x89PNG")


def test_a_table_may_go_to_standard_output_alone(run):
    status, out, err = run("find", "disk.toml", *DESIGN, *QUICK, "--csv", "-")
    assert (status, err) == (0, "")
    assert out.startswith("users,block,throughput (MB/s),low,high,engine\n1,256KiB,")


def test_loads_are_printed_with_name_and_hours(run):
    status, out, _ = run("find", "disk.toml", *DESIGN, *QUICK, "--loads", "loads.toml")
    assert status == 0
    assert "under night, 22-6 h" in out


def test_largest_load_of_a_design_is_found(run):
    status, out, _ = run("find", "disk.toml", "mean<=30ms", "users=1..64x2", "--largest", "users", *QUICK)
    assert status == 0
    assert out.splitlines()[0] == "disk  users=4"
    _, out, _ = run("find", "disk.toml", "mean<=30ms", "users=1,2", "--largest", "users", *QUICK)
    assert "users=2 is the end of the range; more may keep the goals, too" in out


def test_a_part_failed_in_advance_has_dashes_in_its_row(run, here):
    part = '[[failure]]\npart = "an arm"\nset = { users = 2 }\n\n[[layer]]'
    (here / "parts.toml").write_text(DISK.replace("[[layer]]", part, 1))
    _, out, _ = run("find", "parts.toml", "mean<=1s", "users=2", *QUICK)
    (row,) = (line for line in out.splitlines() if line.startswith("an arm"))
    assert row.split() == ["an", "arm", "mean<=1s", "–", "–"]
    assert "an arm: has failed already" in out


@pytest.mark.parametrize(
    ("load", "within", "said"),
    [
        (10.0, 0.1, "10 clients (±1), 5.00 times that (simulation)"),
        (50.0, 0.09, "50 clients (±9%), 25.00 times that (simulation)"),
        (50.0, 0.0, "50 clients, 25.00 times that (simulation)"),
    ],
)
def test_a_knee_says_how_far_off_it_may_be(load, within, said):
    bend = Knee(load, "clients", load / 2.0, 1.0, 1.0, "simulation", within)
    assert knee_text(bend) == f"knee at {said}"


BESIDE = """
[[load]]
name = "backup"
clients = 2
block = "1MiB"
"""


def test_output_names_the_watched_one_of_two_loads(run, here):
    both = DISK.replace("[load]", "[[load]]").replace("[[place]]", f"{BESIDE}\n[[place]]", 1)
    (here / "both.toml").write_text(both)
    goals = ("mean<=1s", "backup_throughput>=1MB/s", "users=1,2")
    _, out, _ = run("find", "both.toml", *goals, *QUICK)
    assert "beside it     backup, which stays as it is: load, knee and limits are those of clients" in out
    _, out, _ = run("find", "both.toml", *goals, *QUICK, "--json")
    (load,) = json.loads(out)["loads"]
    assert (load["group"], load["beside"], load["amount"]["value"]) == ("clients", ["backup"], 1)
    _, out, _ = run("find", "disk.toml", "mean<=1s", *QUICK)
    assert "beside it" not in out


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["users=1..4"], "no goal is given"),
        (["throughput", "users=1..4"], "'throughput' is neither a goal nor a setting"),
        (["p98<=2ms"], "did you mean 'p99'"),
        (["p99<=2MB/s"], "such as 2ms"),
        (["p99<=2ms", "user=1..4"], "did you mean 'users'"),
        (["p99<=2ms", "--picture", "a.png"], "give prices, too"),
        (["p99<=2ms", "--cost", "none.toml"], "cannot read price list"),
        (["p99<=2ms", "--loads", "prices.toml"], "allowed: [[load]] tables"),
        (["p99<=2ms", "op=read,write", "--loads", "loads.toml"], "load 'night' fixes op"),
        (["p99<=2ms", "users=1-4"], "did you mean 1..4?"),
        (["p99<=2ms", "users=1..4", "--largest", "user"], "'user' does not vary, so that none is the largest"),
        (["p99<=2ms", "--csv", "a.txt"], ".csv file"),
        (["p99<=2ms", "--csv", "-", "--json"], "more than one thing"),
    ],
)
def test_bad_input_is_one_line_and_exit_status_two(run, words, says):
    refused(run("find", "disk.toml", *words), says)


def test_a_design_is_as_wide_as_the_terminal(run, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    _, out, _ = run("find", "disk.toml", *DESIGN, *QUICK, "--cost", "prices.toml")
    assert max(map(len, out.splitlines())) <= 80
