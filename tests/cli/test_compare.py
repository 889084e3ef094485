"""`stacksim compare A B`: how sides are written, what is printed, and the one line for what cannot be read."""

from __future__ import annotations

import json
import math
import re

import pytest

from refusals import refused
from sim.decision.difference import Difference
from sim.engine.statistics.estimates import Estimate
from sim.output.views.comparison import _row
from stack_files import DISK

QUICK = ("--precision", "20%", "--quiet")


@pytest.fixture
def compared(run, monkeypatch, tmp_path):
    """Run `stacksim compare` where there is a stack file, disk.toml."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "disk.toml").write_text(DISK)
    return lambda *words: run("compare", *words)


def test_options_outside_the_quotes_apply_to_both(compared):
    status, out, _ = compared("disk.toml", "disk.toml --set commands=4", "users=8", "--json", *QUICK)
    comparison = json.loads(out)
    assert status == 0
    assert comparison["a"]["settings"] == comparison["b"]["settings"]
    assert comparison["a"]["settings"]["users"] == 8
    assert (comparison["a"]["parameters"], comparison["b"]["parameters"]) == ({}, {"commands": 4.0})
    assert comparison["parameters"] == {"shared": ["access"], "a": [], "b": []}


def test_a_table_for_people(compared):
    status, out, _ = compared("disk.toml block=4KiB", "disk.toml block=1MiB", *QUICK)
    lines = out.splitlines()
    assert status == 0
    assert lines[0].startswith("A  disk")
    assert lines[1].startswith("B  disk")
    assert "B / A at 95%" in lines[3]
    assert "with parameters" in lines[3]
    assert any(line.startswith("difference    ") for line in lines)
    assert any(
        re.match(r"made by       tags: .* a MB in A, .* in B, -.* … -.* \w+ at 95% \(", line) for line in lines
    )
    assert any(line.startswith("parameters    drawn for both together access") for line in lines)


@pytest.mark.parametrize(
    ("a", "b", "shown"),
    [
        (1584.0, 2376.0, ("1584", "2376", "+792", "1.5")),
        (1234.56, 1234.91, ("1234.56", "1234.91", "+0.35", "1.00028")),
        (40050.0, 40049.0, ("40,050", "40,049", "-1", "0.999975")),
        (16220.0, 40050.0, ("16,220", "40,050", "+23,800", "2.469")),
        (0.0, 0.001, ("0", "0.001", "+0.001", "–")),
    ],
)
def test_values_are_shown_to_differ_as_the_difference_says(a, b, shown):
    between, ratio = b - a, b / a if a else math.nan
    estimates = (Estimate(each, each, each, 0.95) for each in (a, b, between, ratio))
    cells = _row(Difference("throughput", "MB/s", *estimates, 0.5), likely=False)
    assert (*cells[1:4], cells[5]) == shown


def test_picture_shows_both_sides(compared, tmp_path):
    status, out, _ = compared("disk.toml", "disk.toml users=8", "--picture", "both.svg", *QUICK)
    assert (status, out.splitlines()[0][:7]) == (0, "A  disk")
    assert (tmp_path / "both.svg").read_text().count("<svg") == 1


def test_equal_sides_have_no_difference(compared):
    _, out, _ = compared("disk.toml users=2", "disk.toml users=2", *QUICK)
    assert "difference    none: every answer is the same in all pairs" in out
    assert out.count("the same") >= 5


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("disk.toml", "users=2"), "B: 'users=2' names no system; put each side into quotes"),
        (("", "disk.toml"), "A: '' names no system"),
        (("disk.toml", 'disk.toml "users=2'), "no closing quotation; close every quote"),
        (
            ("disk.toml --seed 3", "disk.toml"),
            "A: '--seed' is no option of one side; allowed: --set, --hardware, --fitted",
        ),
        (("disk.toml --fitted", "disk.toml"), "A: --fitted names no file"),
        (("disk.toml --fitted=a --fitted=b", "disk.toml"), "A: --fitted is given 2 times; give it once"),
        (("disk.toml --fitted a.json", "disk.toml", "--fitted", "b.json"), "for this side and for both"),
        (("disk.toml users=2", "disk.toml", "users=3"), "A: setting 'users' is given twice ('2' and '3')"),
        (("disk.toml", "disk.toml --set acces=3ms"), "B: no parameter 'acces'; did you mean 'access'?"),
        (("disk.toml", "disk.toml user=3"), "B: no setting 'user'; did you mean 'users'?"),
        (("disk.toml", "postgresql"), "A answers in MB/s, and B in commits/s"),
        (("disk.toml",), "Missing argument 'B'"),
    ],
)
def test_invalid_arguments_get_one_line(compared, words, says):
    refused(compared(*words), says)


def test_caveats_are_printed_once(compared):
    _, out, _ = compared("postgresql drive=450us", "postgresql drive=10us", "clients=4", *QUICK)
    assert out.count("A: percentiles") == 1
