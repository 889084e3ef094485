"""Tables of numbers with long names: in a narrow terminal every number and every name is whole."""

from __future__ import annotations

import pytest

from sim.cli import console
from sim.cli.show import Named

NAME = "log file parallel write: share of background time"
TABLE = Named(
    "redo",
    ("row", "column", "published", "predicted", "95% interval", "error", "role"),
    [
        ("XFS 4096", NAME, "3917.3 transactions/s", "3988", "3980 … 3996", "+1.8%", "predicted"),
        ("", "waits", "2.36711e+06 waits", "2.408e+06", "2.404e+06 … 2.412e+06", "+1.7%", "restated"),
    ],
    keys=2,
)


@pytest.fixture
def printed(monkeypatch, capsys):
    """Its lines on a terminal of so many columns."""

    def lines(width):
        monkeypatch.setenv("COLUMNS", str(width))
        console.out(TABLE)
        return [line.rstrip() for line in capsys.readouterr().out.splitlines()]

    return lines


def test_rows_are_lines_on_a_wide_terminal(printed):
    lines = printed(200)
    assert len(lines) == 4
    assert lines[2].split("  ")[:2] == ["XFS 4096", NAME]


@pytest.mark.parametrize("width", [138, 80, 60, 40])
def test_names_are_above_their_numbers_on_a_narrow_terminal(printed, width):
    lines = printed(width)
    assert max(map(len, lines)) <= width
    assert "…" not in "".join(lines).replace(" … ", "")
    said = " ".join(" ".join(lines).split())
    for row in TABLE.rows:
        assert " ".join(cell for cell in row if cell) in said


def test_numbers_stand_below_their_headings(printed):
    lines = printed(80)
    assert len(lines) == 1 + 2 * 3
    assert lines[3] == f"XFS 4096  {NAME}"
    assert len({len(line) for line in lines[2::2]}) == 1
    assert lines[2].index("predicted") + len("predicted") == lines[4].index("3988") + len("3988")
