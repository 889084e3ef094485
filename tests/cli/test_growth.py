"""`stacksim growth`: what is printed, and the one line for what cannot be read."""

from __future__ import annotations

import json
from datetime import date

import pytest

from refusals import refused
from stack_files import DISK

QUICK = ("--precision", "20%", "--quiet")
GROWS = ("disk.toml", "mean<=100ms", "--load", "users=8", "--from", "2026-12")


@pytest.fixture
def grown(run, monkeypatch, tmp_path):
    """Run `stacksim growth` where there is a stack file, disk.toml."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "disk.toml").write_text(DISK)
    return lambda *words: run("growth", *words)


def test_a_sentence_for_each_goal_and_a_row_for_each_month(grown):
    status, out, _ = grown(*GROWS, "throughput>=1MB/s", "--by", "60%", "--months", "4", *QUICK)
    lines = out.splitlines()
    assert status == 0
    assert lines[0].startswith("disk  block=64KiB")
    assert lines[1] == "load          users=8 in 2026-12, 60% more each month, rounded to whole numbers"
    assert lines[3].startswith("mean<=100ms        breaks in 2027-03 (")
    assert lines[3].endswith("at 90%), at users=33")
    assert lines[4] == "throughput>=1MB/s  is kept to 2027-03, the last month"
    assert [line.split()[:2] for line in lines[7:]] == [
        ["2026-12", "8"],
        ["2027-01", "13"],
        ["2027-02", "20"],
        ["2027-03", "33"],
        ["extrapolated:", "no"],
        ["a", "number"],
        ["assumed:", "commands,"],
    ]


def test_json_has_sentences_and_months(grown):
    _, out, _ = grown(*GROWS, "--by=60%", "--months=4", "--json", *QUICK)
    growth = json.loads(out)
    assert growth["goals"][0]["date"] == "2027-03"
    assert [month["load"] for month in growth["table"]] == [8, 13, 20, 33]


def test_table_has_the_requested_number_of_months(grown):
    _, out, _ = grown(*GROWS, "--by=1%", "--months=3", "--json", *QUICK)
    growth = json.loads(out)
    assert growth["months"] == len(growth["table"]) == 3


def test_growth_begins_this_month_by_default(grown):
    _, out, _ = grown("disk.toml", "mean<=1ms", "--load", "users=8", "--months", "1", "--json", *QUICK)
    growth = json.loads(out)
    assert growth["from"] in (f"{date.today():%Y-%m}", growth["table"][0]["date"])  # noqa: DTZ011
    assert growth["goals"][0]["status"] == "broken already"


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (
            ("disk.toml", "mean<=1ms"),
            "no load is named; say which setting grows, and its value today: --load users=8",
        ),
        (
            ("disk.toml", "block=4KiB", "--load", "users=8"),
            "one in quotes, and the load that grows, such as stacksim growth dbfs 'p99<=2ms' --load users=8",
        ),
        (("disk.toml",), "no goal is given; give one in quotes"),
        ((*GROWS, "users=3"), "users is the load and a setting, too; give it once, behind --load"),
        ((*GROWS, "--by", "3"), "by is '3'; allowed: a share from 0.01% to 100%, such as 3% or 0.03"),
        ((*GROWS, "--by", "-3%"), "by is '-3%'"),
        ((*GROWS, "--months", "0"), "months is '0'; allowed: a whole number from 1"),
        ((*GROWS, "--months", "601"), "months is '601'; allowed: a whole number from 1 to 600"),
        ((*GROWS, "--from", "2026-13"), "from is '2026-13'; allowed: a year and a month, such as 2026-12"),
        ((*GROWS, "p98<=1ms"), "no answer 'p98'; did you mean 'p99'?"),
        (("disk.toml", "mean<=1ms", "--load", "op=write"), "load 'op' does not grow; allowed: users, block"),
    ],
)
def test_invalid_arguments_get_one_line(grown, words, says):
    refused(grown(*words), says)
