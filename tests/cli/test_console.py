"""The console kit: lines that are too long go on below their text, and progress says what is left."""

from __future__ import annotations

import pytest
from rich.text import Text

from sim.cli import console


@pytest.fixture
def printed(monkeypatch, capsys):
    """What is printed on a terminal of 40 columns."""
    monkeypatch.setenv("COLUMNS", "40")

    def lines(shown):
        console.out(shown)
        return capsys.readouterr().out.splitlines()

    return lines


@pytest.mark.parametrize(
    ("line", "lines"),
    [
        ("limited by  A: node 1, 99% reached", ["limited by  A: node 1, 99% reached"]),
        (
            "limited by  A: node * fuse queue (2 identical), which allows",
            ["limited by  A: node * fuse queue (2", "            identical), which allows"],
        ),
        (
            "            B: node * fuse queue (2 identical), which allows",
            ["            B: node * fuse queue (2", "            identical), which allows"],
        ),
        (
            "  missed    cells=1: throughput is 1800 MB/s (analytic)",
            ["  missed    cells=1: throughput is 1800", "            MB/s (analytic)"],
        ),
        (
            "warning: one sentence without any gap that is too long",
            ["warning: one sentence without any gap", "  that is too long"],
        ),
        (
            "a heading that has no end to it but the gap  text",
            ["a heading that has no end to it but the", " " * 20 + "gap  text"],
        ),
        ("\nbelow an empty line", ["", "below an empty line"]),
        ("x" * 50, ["x" * 40, "  " + "x" * 10]),
    ],
)
def test_what_is_too_long_goes_on_below_its_text(printed, line, lines):
    assert printed(line) == lines


def test_what_is_bold_is_broken_as_well(printed):
    shown = Text.assemble(("dbfs", "bold"), "  nodes=1  cells=3  cells_lost=0  block=8KiB")
    assert printed(shown) == ["dbfs  nodes=1  cells=3  cells_lost=0", "      block=8KiB"]


@pytest.mark.parametrize(
    ("past_s", "done", "says"),
    [
        (10.0, 1, ", about 90 s left"),
        (60.0, 1, ", about 9 min left"),
        (3600.0, 2, ", about 4 h left"),
        (10.0, 10, ""),
        (10.0, 0, ""),
        (4.9, 5, ""),
        (600.0, 0.9, ""),
    ],
)
def test_progress_says_how_long_the_rest_may_take(monkeypatch, capsys, past_s, done, says):
    now_s = [0.0]
    monkeypatch.setattr(console.clock, "monotonic", lambda: now_s[0])
    monkeypatch.setattr(console, "LINE_EVERY_S", 0.0)
    with console.count_done("simulating") as on_progress:
        now_s[0] = past_s
        on_progress(done, 10)
    assert capsys.readouterr().err == f"simulating: {done} of 10{says}\n"
