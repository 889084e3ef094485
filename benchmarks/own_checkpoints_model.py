"""The stack ``postgresql-oltp`` beside pgbench over checkpoints: figures of each run, by the model and measured.

    python -m benchmarks.own_checkpoints_model predicted > before.csv

writes figures of one half of the runs of ``benchmarks.own_checkpoints`` by the model, with bands.
"""

from __future__ import annotations

import csv
import sys
from collections.abc import Mapping
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.own_rounds import RESULTS
from sim.engine.simulation.over_time import over_time
from sim.system import find
from sim.system.case import Case
from sim.system.what_if import with_set

FOLDER = RESULTS / "vm-2-cores-epyc" / "checkpoints"

FITTED = {"volume": "3.5MiB/s", "image": "6690B", "script": "tpcb-like", "scale": "50"}
PARAMETERS = {"record": 895.0, "wake": 280e-6, "cpu": 300e-6, "flush_cpu": 60e-6}
"""Least squares of the log's bytes on images and transactions of the fitted half give the bytes of an image and a
record; one client gives the processor time and the wake-up beside other work, and all six runs the volume."""

Series = NDArray[np.float64]

SHOWN = ("burst", "knee_s", "sustained", "lowest")

FALL, STALLED = 0.8, 0.1
"""The knee is where the rate falls below this share of the burst; a second below that of the mean is stalled."""


def settings(row: Mapping[str, str]) -> dict[str, str]:
    """Settings of the stack for a run."""
    sizes = {name: row[name].replace("B", "iB") for name in ("shared_buffers", "max_wal_size")}
    timeout = row["timeout"].replace("1h", "60min")
    return {"clients": row["clients"], "checkpoint_timeout": timeout, "data": "284MiB", **sizes, **FITTED}


def by_model(row: Mapping[str, str], seed: int = 1) -> tuple[Series, Series]:
    """Transactions in each second, and pages touched since a checkpoint began, at its edges."""
    case = Case.of(with_set(find("postgresql-oltp"), PARAMETERS), settings(row))
    run = over_time(case.scenario.model, float(row["seconds"]), resolution_s=1.0, seed=seed)
    return run.rates, run.levels["checkpoints pages touched"]


def figures(rates: Series) -> dict[str, float]:
    """Burst, knee, what lasts after it, lowest second and share of time stalled of one run."""
    smooth = np.convolve(rates, np.ones(3) / 3.0, "valid")
    burst = float(np.median(rates[:8]))
    low = np.flatnonzero(smooth[4:] < FALL * burst)
    knee = int(low[0]) + 5 if len(low) else len(rates)
    later = rates[knee:] if knee < len(rates) else rates
    return {
        "burst": float(rates[:knee].mean()),
        "knee_s": float(knee),
        "sustained": float(later.mean()),
        "lowest": float(rates.min()),
        "stalled": float((rates < STALLED * rates.mean()).mean()),
        "mean": float(rates.mean()),
    }


def first_checkpoint(run: Mapping[str, Series]) -> int:
    """Second in which the first checkpoint of a measured run begins; its length if none does."""
    some = np.flatnonzero(run["timed"] + run["requested"])
    return int(some[0]) if len(some) else len(run["tps"])


def runs(half: str) -> list[dict[str, str]]:
    """Conditions of the runs of a half."""
    with (FOLDER / "runs.csv").open() as file:
        return [row for row in csv.DictReader(file) if row["half"] == half]


def measured(run: str, folder: Path = FOLDER) -> dict[str, Series]:
    """Columns of a run, a value a second."""
    with (folder / "seconds.csv").open() as file:
        rows = [row for row in csv.DictReader(file) if row["run"] == run]
    return {name: np.array([float(row[name]) for row in rows]) for name in rows[0] if name != "run"}


def nearest(row: Mapping[str, str]) -> str:
    """The fitted run with the most alike settings, by the sum of their logarithms' differences."""

    def far(other: Mapping[str, str]) -> float:
        ours, theirs = (with_units(settings(each)) for each in (row, other))
        return float(np.abs(np.log(ours) - np.log(theirs)).sum())

    return min((other for other in runs("fitted") if other["run"] != "1"), key=far)["run"]


def with_units(values: Mapping[str, str]) -> Series:
    """The settings that differ between runs, as numbers."""
    names = ("clients", "shared_buffers", "max_wal_size", "checkpoint_timeout")
    return np.array([float(Case.of("postgresql-oltp", dict(values)).settings[name]) for name in names])


def table() -> list[str]:
    """Rows of the page: figures of each unseen run, as predicted before, measured, and of the nearest run."""
    with (FOLDER / "before" / "predicted.csv").open() as file:
        before = {(row["run"], row["figure"]): float(row["predicted"]) for row in csv.DictReader(file)}
    lines = []
    for row in runs("predicted"):
        seen = figures(measured(row["run"])["tps"])
        other = figures(measured(nearest(row))["tps"])
        shown = [f"{before[row['run'], name]:.0f}, {seen[name]:.0f}, {other[name]:.0f}" for name in SHOWN]
        stalled = f"{before[row['run'], 'stalled']:.0%}, {seen['stalled']:.0%}, {other['stalled']:.0%}"
        when = row["max_wal_size"] if row["timeout"] == "1h" else row["timeout"]
        lines.append(f"| {row['clients']} | {row['shared_buffers']} | {when} | {' | '.join(shown)} | {stalled} |")
    return lines


def main() -> None:
    """Print the figures of a half by the model."""
    out = csv.writer(sys.stdout)
    out.writerow(["run", "figure", "predicted", "low", "high"])
    for row in runs(sys.argv[1]):
        several = [figures(by_model(row, seed)[0]) for seed in (1, 2, 3)]
        for name in several[0]:
            values = np.array([each[name] for each in several])
            noise = 0.1 if name == "stalled" else {"lowest": 0.5, "knee_s": 0.25}.get(name, 0.15) * values.mean()
            out.writerow(
                [
                    row["run"],
                    name,
                    *(f"{x:.4g}" for x in (values.mean(), max(0.0, values.min() - noise), values.max() + noise)),
                ]
            )


if __name__ == "__main__":
    main()
