"""The published figures of the redo logs, held against the text of their source."""

from __future__ import annotations

import re
from collections import Counter

import pytest

from sim.data.package import DataPackage

SECTIONS = {
    "XFS 4096": "Baseline… XFS bsize=4096",
    "EXT4": "EXT4\n\nLoad Profile",
    "XFS 512": "XFS with blocksize 512",
    "EXT4 LVM": "EXT4 with LVM\n\nOn previous tests",
}
END = "The important bits"
NUMBER = re.compile(r"(?<![\w.])(\d[\d,]*(?:\.\d+)?|\.\d+)(ms|us)?(?![\w.])")
TITLES = ("Load Profile", "Event", "%Time", "On previous tests", *SECTIONS.values())


@pytest.fixture(scope="module")
def dataset(calibration_data):
    return DataPackage(calibration_data).read("redo-filesystems")


def section(text, row):
    starts = sorted(text.index(begin) for begin in (*SECTIONS.values(), END))
    begin = text.index(SECTIONS[row])
    return text[begin : starts[starts.index(begin) + 1]].removeprefix(SECTIONS[row])


def printed(text, row):
    """Every number above 0 of the section's tables, waits in µs."""
    for line in section(text, row).splitlines():
        if not line.strip().startswith(TITLES):
            for digits, unit in NUMBER.findall(line):
                value = float(digits.replace(",", "")) * (1000 if unit == "ms" else 1)
                if value:
                    yield round(value, 6)


@pytest.mark.parametrize("row", SECTIONS)
def test_figures_are_exactly_the_printed_numbers_above_zero(dataset, source_text, row):
    figures = Counter(round(each.value, 6) for each in dataset.measurements if each.row == row)
    assert figures == Counter(printed(source_text("S3"), row))


@pytest.mark.parametrize(
    ("row", "column", "line"),
    [
        ("EXT4", "transactions per second", "Transactions:           7,264.7"),
        ("XFS 512", "log file sync: mean wait", "log file sync                    4,354,303     3127.9  718.34us"),
        (
            "XFS 4096",
            "log file parallel write: waits",
            "log file parallel write      1,182,647",
        ),
        (
            "EXT4 LVM",
            "LGWR worker group ordering: mean wait",
            "LGWR worker group ordering     310,863     0       66  210.95us",
        ),
        (
            "EXT4 LVM",
            "DB CPU: share of DB time",
            "DB CPU                                          423.9             11.8",
        ),
    ],
)
def test_figures_stand_in_the_line_and_place_that_their_names_say(dataset, source_text, row, column, line):
    (figure,) = [each for each in dataset.measurements if (each.row, each.column) == (row, column)]
    assert line in section(source_text("S3"), row)
    digits, unit = NUMBER.findall(line)[-1]
    assert figure.value == pytest.approx(float(digits.replace(",", "")) * (1000 if unit == "ms" else 1))


def test_half_widths_are_half_of_the_last_printed_digit(dataset, source_text):
    for figure in dataset.measurements:
        widths = set()
        for digits, unit in NUMBER.findall(section(source_text("S3"), figure.row)):
            scale = 1000 if unit == "ms" else 1
            if float(digits.replace(",", "")) * scale == pytest.approx(figure.value):
                widths.add(0.5 * 10 ** -len(digits.partition(".")[2]) * scale)
        assert any(figure.half_width == pytest.approx(width) for width in widths), figure.cell


def test_a_figure_either_has_a_measure_or_says_why_not(dataset):
    for figure in dataset.measurements:
        assert (figure.measure == "none") == bool(dataset.why_unpredicted(figure)), figure.cell
