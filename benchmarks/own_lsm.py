"""Writes of db_bench over time: ``python -m benchmarks.own_lsm FOLDER PHASE``; the phase ``before`` predicts them.

Runs the rows of ``runs.csv`` in FOLDER that have this PHASE, one after the other, and appends to ``series.csv``
the writes of each second, and to ``stalls.csv`` the share of time that RocksDB counts as stalled, its compaction
writes in GB, and the load average before. Others who measure hold the same lock.
"""

from __future__ import annotations

import csv
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

from sim import over_time
from sim.system.case import Case
from sim.system.stack.build import stack_system

SECONDS, SEED = 110, 41
PASSED = 0.953
"""Share of their rates that rate limiters of RocksDB passed in the runs f1 and f2 before writes were delayed: they
refill every 100 ms, which took 105 ms."""

SLOW = 0.6
"""Share of the first ten seconds' rate below which a second counts as slow."""
LOCK = Path(tempfile.gettempdir()) / "measure.lock"


def command(run: dict[str, str], database: Path, report: Path) -> list[str]:
    """The command line of db_bench (RocksDB 7.8.3) for ``run``; files of all levels are as large as a memtable."""
    mib = {name: int(run[name]) << 20 for name in ("memtable_mib", "write_mib_s", "limit_mib_s")}
    options = {
        "benchmarks": "fillrandom",
        "db": database,
        "num": run["keys"],
        "duration": SECONDS,
        "seed": SEED,
        "value_size": run["value"],
        "compression_type": "none",
        "write_buffer_size": mib["memtable_mib"],
        "target_file_size_base": mib["memtable_mib"],
        "max_bytes_for_level_base": 4 * mib["memtable_mib"],
        "benchmark_write_rate_limit": mib["write_mib_s"],
        "rate_limiter_bytes_per_sec": mib["limit_mib_s"],
        "report_interval_seconds": 1,
        "report_file": report,
        "statistics": 1,
        "stats_interval_seconds": 10,
        "stats_per_interval": 1,
    }
    return ["flock", "-x", str(LOCK), "db_bench", *(f"--{name}={value}" for name, value in options.items())]


def measured(run: dict[str, str], folder: Path) -> None:
    """Measure ``run`` and append its series."""
    with tempfile.TemporaryDirectory() as place:
        database, report = Path(place) / "db", Path(place) / "report.csv"
        before = os.getloadavg()[0]
        line = command(run, database, report)
        told = subprocess.run(line, capture_output=True, text=True, check=True).stdout  # noqa: S603  (own command)
        shutil.rmtree(database)
        rates = [row["interval_qps"] for row in csv.DictReader(report.open(encoding="utf-8"))]
    stalled_us, written = (
        int(re.findall(rf"rocksdb.{name} COUNT : (\d+)", told)[0])
        for name in ("stall.micros", "compact.write.bytes")
    )
    counts = [f"{stalled_us / 1e4 / SECONDS:.1f}", f"{written / 1e9:.2f}", f"{before:.1f}"]
    _append(folder / "series.csv", [[run["run"], second, rate] for second, rate in enumerate(rates, 1)])
    _append(folder / "stalls.csv", [[run["run"], *counts]])


def answers(writes: np.ndarray) -> dict[str, float]:
    """Writes a second before the first slow second and from it on, its number, share of slow ones, fewest."""
    slow = np.flatnonzero(writes < SLOW * writes[:10].mean())
    knee = int(slow[0]) if len(slow) else len(writes)
    later = writes[knee:] if len(slow) else writes
    return {
        "burst": float(writes[:knee].mean()),
        "knee_s": knee + 1,
        "sustained": float(later.mean()),
        "slow_share": len(slow) / len(writes),
        "lowest": float(writes.min()),
    }


def predicted(run: dict[str, str], stack: Path) -> np.ndarray:
    """Writes of each second by the model."""
    record, memtable = int(run["value"]) + 16, int(run["memtable_mib"]) << 20
    settings = {
        "memtable": memtable,
        "level1": 4 * memtable,
        "record": record,
        "data": max(2 * memtable, int(run["keys"]) * record),
        "pace": PASSED * (int(run["write_mib_s"]) << 20),
        "limit": PASSED * (int(run["limit_mib_s"]) << 20),
    }
    scenario = Case.of(stack_system(stack), settings).scenario
    rates = over_time(scenario.model, float(SECONDS - 1), resolution_s=1.0, skip=False).rates
    return rates * (16 << 10) / record


def _append(path: Path, rows: list[list[object]]) -> None:
    with path.open("a", encoding="utf-8", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows(rows)


def main() -> None:
    """Measure all runs of a phase, or predict all runs."""
    folder, phase = Path(sys.argv[1]), sys.argv[2]
    with (folder / "runs.csv").open(encoding="utf-8") as file:
        runs = list(csv.DictReader(file))
    for run in runs:
        if phase == "before":
            told = answers(predicted(run, folder / "db_bench.toml"))
            _append(folder / "before.csv", [[run["run"], *(f"{each:.4g}" for each in told.values())]])
        elif run["phase"] == phase:
            measured(run, folder)


if __name__ == "__main__":
    main()
