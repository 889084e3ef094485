"""The predictions of benchmarks/unseen/tpcc.md. Run as a script, this file writes its tables."""

from __future__ import annotations

from pathlib import Path

import pytest

from models.systems.tpcc import TPCC
from page_tables import banded, between, head, row, write, written
from sim.prediction import RunOptions, predict

PAGE = Path(__file__).parents[2] / "benchmarks" / "unseen" / "tpcc.md"
MARKS = ("<!-- tables of unseen settings -->\n", "<!-- end of the tables -->\n")

ENGINES = {"innodb": "InnoDB", "myrocks": "MyRocks"}
IO1 = (9000, 10_000, 12_000, 15_000, 20_000, 25_000, 30_000)
GP2 = (500, 1000, 1334, 2000, 2667, 3334, 4000, 5334)
POOLS = (5, 15, 25, 35, 45, 55, 75, 95, 115)
DRIVES = {"850pro": "850 PRO", "pm1725": "PM1725", "sm863": "SM863"}
BINLOG_POOLS = (10, 20, 30, 40, 50, 60, 70, 80, 100)
SYNCS = {"no binary log": "off", "sync_binlog=1": 1, "0": 0, "100": 100, "1000": 1000}
OPTIONS = RunOptions(precision=0.05, answers=("throughput",))


def predicted(**settings):
    return banded(predict(TPCC, settings, OPTIONS), "throughput")


def volume(engine, **settings):
    return predicted(study="volumes", threads=72, storage_engine=engine, pool="200GiB", **settings)


def by_pool(drive, page, pool):
    return predicted(study="drives", drive=drive, page=f"{page}KiB", pool=f"{pool}GiB")


def synced(pool, sync):
    """The rate with a binary log, or without one."""
    log = {"binary_log": "off"} if sync == "off" else {"binary_log": "on", "sync_binlog": sync}
    return predicted(study="binlog", drive="unnamed", pool=f"{pool}GiB", **log)


def tables():
    """A table for each study."""
    yield from ("io1, mean of the last half of an hour, by provisioned IOPS:", "")
    yield from head("IOPS", *ENGINES.values())
    for iops in IO1:
        yield row(f"{iops:,}", *(volume(engine, drive="io1", iops=iops) for engine in ENGINES))
    yield from ("", "gp2, the same, by size of the volume:", "")
    yield from head("GiB", *ENGINES.values())
    for gib in GP2:
        yield row(f"{gib:,}", *(volume(engine, drive="gp2", volume=f"{gib}GiB") for engine in ENGINES))
    yield from ("", "Drives, by buffer pool in GB and size of a page in KiB:", "")
    kinds = [(drive, page) for drive in DRIVES for page in (16, 8, 4) if (drive, page) != ("sm863", 16)]
    yield from head("pool", *(f"{DRIVES[drive]}, {page}" for drive, page in kinds))
    for pool in POOLS:
        yield row(pool, *(by_pool(drive, page, pool) for drive, page in kinds))
    yield from ("", "Binary log, by buffer pool in GB:", "")
    yield from head("pool", *SYNCS)
    for pool in BINLOG_POOLS:
        yield row(pool, *(synced(pool, sync) for sync in SYNCS.values()))
    yield ""


def test_the_page_has_a_line_for_each_setting():
    lines = written(PAGE, MARKS).splitlines()
    first = [line.split(" | ")[0].removeprefix("| ") for line in lines if line.startswith("| ")]
    expected = ["IOPS", *(f"{iops:,}" for iops in IO1), "GiB", *(f"{gib:,}" for gib in GP2)]
    assert first == [*expected, "pool", *map(str, POOLS), "pool", *map(str, BINLOG_POOLS)]


def test_a_cell_equals_the_prediction():
    assert f"| 10,000 | {volume('innodb', drive='io1', iops=10_000)} | " in written(PAGE, MARKS)


@pytest.mark.slow
def test_all_rows_equal_predictions():
    assert written(PAGE, MARKS) == between(tables())


if __name__ == "__main__":
    write(PAGE, MARKS, tables())
