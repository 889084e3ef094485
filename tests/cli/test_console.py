"""The console kit: lines that are too long go on below their text, and progress says what is left."""

from __future__ import annotations

import pytest
from rich.text import Text

from sim.cli import console


@pytest.fixture
def printed(monkeypatch, capsys):
    """Lines printed on a terminal of 40 columns."""
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
def test_long_line_continues_below_its_text(printed, line, lines):
    assert printed(line) == lines


def test_bold_line_is_wrapped(printed):
    shown = Text.assemble(("dbfs", "bold"), "  nodes=1  cells=3  cells_lost=0  block=8KiB")
    assert printed(shown) == ["dbfs  nodes=1  cells=3  cells_lost=0", "      block=8KiB"]


def paced(monkeypatch, capsys, ends_s, points):
    """Last line where one point after the other ends so many seconds after the beginning."""
    now_s = [0.0]
    monkeypatch.setattr(console.clock, "monotonic", lambda: now_s[0])
    monkeypatch.setattr(console, "LINE_EVERY_S", 0.0)
    with console.count_done("simulating") as on_progress:
        for done, now_s[0] in enumerate(ends_s, 1):
            on_progress(done, points)
    return capsys.readouterr().err.splitlines()[-1].removeprefix(f"simulating: {len(ends_s)} of {points}")


@pytest.mark.parametrize(
    ("ends_s", "points", "says"),
    [
        ([2, 4, 6, 8], 49, ""),  # less than a tenth
        ([2, 4, 6, 8], 24, ", about 40 s left"),
        (
            [end for each in range(2, 18, 2) for end in (each, each + 0.2)],
            96,
            ", about 81 s left",
        ),  # by two workers
        ([60, 120, 180, 240, 300], 25, ", about 20 min left"),
        ([3600, 7200, 10800, 14400], 12, ", about 8 h left"),
        ([10], 10, ""),  # one tells nothing of others
        ([1, 2, 3, 4], 10, ""),
        ([600, 1200, 1800], 3, ""),
        ([*(0.01 * number for number in range(1, 501)), 25.0], 1000, ""),  # quick ones, and the first that is not
        ([20.0, *(20.0 + 0.01 * number for number in range(1, 501))], 1000, ""),
        ([2**number for number in range(8)], 10, ""),
    ],
)
def test_progress_says_how_long_the_rest_takes_where_points_take_equally_long(
    monkeypatch, capsys, ends_s, points, says
):
    assert paced(monkeypatch, capsys, ends_s, points) == says
