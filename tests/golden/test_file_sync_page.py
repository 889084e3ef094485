"""The predictions of benchmarks/unseen/file-sync.md. Run as a script, this file writes its tables."""

from __future__ import annotations

from pathlib import Path

import pytest

from models.systems.file_sync import FILE_SYNC
from page_tables import banded, between, head, row, write, written
from sim.prediction import RunOptions, predict

PAGE = Path(__file__).parents[2] / "benchmarks" / "unseen" / "file-sync.md"
MARKS = ("<!-- tables of 4 to 32 jobs -->\n", "<!-- end of the tables -->\n")

HOSTS = (
    *(("dell32", "ext4"), ("socket2", "ext4"), ("hetz", "ext4")),
    *((host, filesystem) for host in ("gcpL", "gcpR") for filesystem in ("ext4", "xfs")),
)
JOBS = (4, 8, 16, 32)
SYNCS = ("none", "fdatasync", "fsync")
BLOCKS = {"16KiB": "Blocks of 16 KiB", "2MiB": "Blocks of 2 MiB"}
MEASURES = {"throughput": "writes a second", "sync_latency": "mean sync latency, µs"}
OPTIONS = RunOptions(precision=0.02, answers=("throughput",))


def tables():
    """Predictions of each host with more jobs, and the band of nine of ten measurements."""
    for block, title in BLOCKS.items():
        lines = {measure: [] for measure in MEASURES}
        for host, filesystem in HOSTS:
            for sync in SYNCS:
                cells = [cells_of(host, filesystem, block, sync, jobs) for jobs in JOBS]
                for measure in MEASURES if sync != "none" else ("throughput",):
                    line = (f"{host} {filesystem}", sync, *(each[measure] for each in cells))
                    lines[measure].append(line)
        for measure, rows in lines.items():
            yield from (f"{title}, {MEASURES[measure]}:", "")
            yield from head("host", "sync", *(f"{jobs} jobs" for jobs in JOBS))
            yield from (row(*each) for each in rows)
            yield ""


def cells_of(host, filesystem, block, sync, jobs):
    """The prediction and its band of each measure."""
    settings = {"host": host, "filesystem": filesystem, "block": block, "sync": sync, "jobs": jobs}
    prediction = predict(FILE_SYNC, settings, OPTIONS)
    return {name: banded(prediction, name) for name in prediction.intervals if name in MEASURES}


@pytest.mark.parametrize("sync", SYNCS)
@pytest.mark.parametrize(("host", "filesystem"), HOSTS)
def test_the_page_has_each_host_and_sync_for_both_blocks(host, filesystem, sync):
    found = [
        line for line in written(PAGE, MARKS).splitlines() if line.startswith(f"| {host} {filesystem} | {sync} |")
    ]
    assert len(found) == (2 if sync == "none" else 4)


def test_row_equals_the_prediction():
    cells = [cells_of("socket2", "ext4", "16KiB", "none", jobs)["throughput"] for jobs in JOBS]
    assert row("socket2 ext4", "none", *cells) in written(PAGE, MARKS)


@pytest.mark.slow
def test_all_rows_equal_predictions():
    assert written(PAGE, MARKS) == between(tables())


if __name__ == "__main__":
    write(PAGE, MARKS, tables())
