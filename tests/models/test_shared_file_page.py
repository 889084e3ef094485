"""benchmarks/unseen/shared-file.md lists predictions of runs that nobody here has seen; a script prints them."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from models.systems.shared_file import SHARED_FILE
from sim.prediction import RunOptions, predict

PAGE = Path(__file__).parents[2] / "benchmarks" / "unseen" / "shared-file.md"
OPTIONS = RunOptions(precision=0.01, answers=("throughput",))
BLOCKS = [f"{1 << power}KiB" for power in range(10)] + [f"{1 << power}MiB" for power in range(4)]
DUO = {"device": "iodrive-duo", "mount": "direct", "kernel": "2.6", "threads": 8}
NVME = {
    "device": "nvme",
    "filesystem": "ext4",
    "mount": "direct",
    "kernel": "6.3",
    "extents": "preallocated",
    "writers": 10,
    "depth": 10,
}


def cell(settings, measure):
    """An answer and its band, as the page writes them."""
    prediction = predict(SHARED_FILE, settings, OPTIONS)
    band = prediction.intervals[measure]
    numbers = [prediction.answers[measure].estimate.value, band.low, band.high]
    value, low, high = (f"{number:.3g}" if number < 1000 else f"{number:.0f}" for number in numbers)
    return f"{value} ({low} … {high})"


def rows():
    """The lines of both tables, without heads."""
    for block in BLOCKS:
        cells = [cell({**DUO, "filesystem": name, "block": block}, "throughput") for name in ("xfs", "ext4")]
        yield f"| {block} | {' | '.join(cells)} |"
    for block in ("4KiB", "16KiB", "64KiB"):
        cells = [cell({**NVME, "block": block}, measure) for measure in ("iops", "throughput")]
        yield f"| {block} | {' | '.join(cells)} |"


def numbers(line):
    return [float(number) for number in re.findall(r"(?<![\w.])\d+(?:\.\d+)?(?![\w.])", line)]


def test_page_shows_predictions_for_eight_threads_and_the_shared_lock():
    shown = re.findall(r"^\| \d+[KM]iB \|.*$", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    expected = list(rows())
    assert [line.split("|")[1] for line in shown] == [line.split("|")[1] for line in expected]
    for line, wanted in zip(shown, expected, strict=True):
        assert len(numbers(line)) == 6
        assert numbers(line) == pytest.approx(numbers(wanted), rel=0.01)


if __name__ == "__main__":
    sys.stdout.write("\n".join(rows()) + "\n")
