"""Answers over time to the runs of `benchmarks.own_page_cache`, and figures of measured and answered series.

python -m benchmarks.own_page_cache_answers FOLDER PHASE     writes before/PHASE.csv
"""

from __future__ import annotations

import csv
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.own_page_cache import MIB, PART_S, RUNS, Run
from sim.engine.simulation.over_time import STALLED, over_time
from sim.system.case import Case
from sim.system.stack.build import stack_system
from sim.system.stack.job import job_of

Series = NDArray[np.float64]

FALLEN = 0.7
"""Share of the first rate below which a burst is over."""


MANY = 1_000_000
"""I/Os a second that are no limit."""


BANDS = {"burst": 0.1, "knee": 0.2, "sustained": 0.1, "lowest": 0.25, "stalled": 0.1}
"""Share by which a measurement should differ at most, by the fitted runs; of ``stalled``, the difference."""

SYNCED = 20.0
"""Times as long as measured that fsyncs are answered for: which writes they follow is drawn at random."""


@dataclass(frozen=True)
class Figures:
    """One run in figures, in MiB/s and seconds.

    Attributes:
        burst: mean rate until the ``knee``, where the rate falls below ``FALLEN`` of what is offered; but for the
            first part, in which fio begins. Of reads, and with fsync, the mean, and the end.
        sustained: mean rate of the last third; with fsync, of all.
        lowest: that of the lowest second.
        stalled: share of the parts with hardly a call.
    """

    burst: float
    knee: float
    sustained: float
    lowest: float
    stalled: float

    @classmethod
    def of(cls, rates: Series, each: Run) -> Figures:
        """Figures of the series of a run in parts of ``PART_S``."""
        offered = float(each.offered * each.jobs)
        bursts = "write" in each.op and not each.fsync
        fallen = np.flatnonzero(rates[1:] < FALLEN * offered)
        end = 1 + int(fallen[0]) if bursts and len(fallen) else len(rates)
        left = rates[end] / offered if end < len(rates) else 0.0
        a_second = round(1.0 / PART_S)
        seconds = rates[: len(rates) // a_second * a_second].reshape(-1, a_second).mean(axis=1)
        return cls(
            float(rates[min(1, end - 1) : end].mean()),
            float(end + left) * PART_S,
            float(rates[0 if each.fsync else 2 * len(rates) // 3 :].mean()),
            float(seconds.min()),
            float((rates < STALLED * rates.mean()).mean()),
        )


def answered(each: Run, stack: Path) -> Series:
    """MiB/s in each part by the ``stack``."""
    job = ["[job]", f"rw={each.op}", f"bs={each.block}k", f"numjobs={each.jobs}", f"size={each.size}m"]
    job += ["ioengine=psync", "time_based=1", f"runtime={each.seconds}"]
    job += [f"rate={each.offered}m"] * bool(each.offered) + [f"fsync={each.fsync}"] * bool(each.fsync)
    settings: dict[str, object] = {"limit": each.limit * MIB, "background": each.limit * MIB // 2}
    settings |= {"data": each.size * MIB, "zipf": each.zipf, "storage": f"{each.storage or 10_000}MiB/s"}
    settings |= {"iops": each.iops or MANY, "memory": each.memory * MIB or 16 << 30}
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "job.fio")
        file.write_text("\n".join(job) + "\n")
        (system,) = job_of(stack_system(stack), file).systems
        model = Case.of(system, settings).scenario.model
    seconds = each.seconds * (SYNCED if each.fsync else 1.0)
    answer = over_time(model, seconds, resolution_s=PART_S, watch="job")
    return answer.rates * each.block / 1024


def measured(folder: Path) -> dict[str, Series]:
    """MiB/s in each part of the runs in ``folder``, by name."""
    rates: dict[str, list[float]] = {}
    with (folder / "series.csv").open(encoding="utf-8") as file:
        for row in csv.DictReader(file):
            rates.setdefault(row["run"], []).append(float(row["mib_per_s"]))
    return {name: np.array(each) for name, each in rates.items()}


def foretold(folder: Path, phase: str) -> Iterator[dict[str, str]]:
    """Yield the figures of all runs of ``phase`` as the stack answers them, with their bands."""
    for each in (each for each in RUNS if each.phase == phase and each.offered):
        found = asdict(Figures.of(answered(each, folder / "page-cache.toml"), each))
        for figure in figures_of(each):
            value = found[figure]
            width = BANDS[figure] * (1.0 if figure == "stalled" else value)
            ends = {"low": max(0.0, value - width), "high": value + width}
            row = {"value": value, **ends}
            yield {"run": each.name, "figure": figure, **{name: f"{number:.4g}" for name, number in row.items()}}


def figures_of(each: Run) -> tuple[str, ...]:
    """Figures that say something of a run: a burst ends only where dirty pages fill."""
    bursts = "write" in each.op and not each.fsync
    return (*(("burst", "knee") if bursts else ()), "sustained", "lowest", "stalled")


def main(folder: Path, phase: str) -> None:
    """Write the figures of a phase."""
    rows = list(foretold(folder, phase))
    with (folder / ("before" if phase == "unseen" else "after") / f"{phase}.csv").open(
        "w", encoding="utf-8", newline=""
    ) as file:
        writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2])
