"""The output folder of a measurement: raw results, facts of the machine, the stack, and tables of figures."""

from __future__ import annotations

import csv
import io
import json
import shutil
import statistics
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from sim.data.importers.fio_results import P99
from sim.engine.errors import InputError, printable, shown
from sim.system.system import System
from stacksim.measuring.contribution import RESULTS, meta_text, split_text
from stacksim.measuring.jobs import Job
from stacksim.measuring.plan import Plan
from stacksim.measuring.rounds import Rounds

STACK, FITTED_STACK, FIT = "stack.toml", "fitted.toml", "fit.json"
MOST_HALF_WIDTH = 0.9
"""Largest half-width, as a share of the figure: a table takes none above 1, to two digits."""

TABLES = ("fitted", "held-out", "twice-the-load")
"""Names of tables, by the role of their figures: ``fitted.csv`` and so on; input of `stacksim report`, too."""

PERCENTILES = "percentiles"
"""Table of latencies of all jobs, never fitted: a fit that meets every throughput may miss them by far."""

_TOLD = {"mean": "", "p50": "50.000000", "p99": P99}
"""Latencies: names of answers, and fio's names of percentiles."""


def check_folder(folder: Path) -> None:
    """Refuse a folder that exists, or cannot be made, before anything is measured.

    Raises:
        InputError: the message says which.
    """
    if folder.exists() or folder.is_symlink():
        raise InputError(f"'{shown(folder)}' exists already; name another for the results: --output FOLDER")
    if not folder.absolute().parent.is_dir():
        raise InputError(f"there is no folder '{shown(folder.absolute().parent)}' for the results; make it")
    try:
        with tempfile.TemporaryFile(dir=folder.absolute().parent):
            pass
    except OSError as error:
        raise InputError(
            f"no results can be written beside '{shown(folder)}': {error.strerror}; name another"
        ) from None


def write(
    folder: Path,
    system: System,
    stack: str,
    plan: Plan,
    rounds: Rounds,
    machine: Mapping[str, Any],
    *,
    over: bool = False,
) -> None:
    """Write ``folder`` atomically: a contribution (if fio ran), ``machine.json`` and tables of figures.

    Args:
        over: True to replace each file of an earlier ``folder`` in turn.

    Raises:
        InputError: it cannot be written; or another process made it meanwhile: the message says where results are.
    """
    parent = folder.absolute().parent
    try:
        made = Path(tempfile.mkdtemp(prefix=".stacksim-", dir=parent))
        try:
            _fill(made, system, stack, plan, rounds, machine)
            made.chmod(0o755)
        except BaseException:
            shutil.rmtree(made, ignore_errors=True)
            raise
    except OSError as error:
        raise InputError(f"cannot write '{shown(folder)}': {error.strerror}; make room, or name another") from None
    try:
        if over:
            _replace(folder, made)
        else:
            made.rename(folder)
    except OSError as error:
        raise InputError(
            f"cannot write '{shown(folder)}': {error.strerror}; the results are in '{printable(str(made))}'"
        ) from None


def _replace(folder: Path, made: Path) -> None:
    """Move each file of ``made`` to its place in ``folder``."""
    for path in sorted(made.rglob("*")):
        place = folder / path.relative_to(made)
        if path.is_dir():
            place.mkdir(exist_ok=True)
        else:
            path.replace(place)
    shutil.rmtree(made)


def _fill(
    folder: Path, system: System, stack: str, plan: Plan, rounds: Rounds, machine: Mapping[str, Any]
) -> None:
    results = folder / RESULTS
    results.mkdir()
    for number, (job, result) in enumerate(rounds.results, 1):
        written = f"{json.dumps(result, indent=1)}\n"
        (results / f"{number:03}-{job.name}.json").write_text(written, encoding="utf-8")
    (folder / "machine.json").write_text(f"{json.dumps(machine, indent=2)}\n", encoding="utf-8")
    (folder / STACK).write_text(stack, encoding="utf-8")
    if machine["fio"]:
        (folder / "meta.toml").write_text(meta_text(machine, STACK), encoding="utf-8")
        (folder / "split.toml").write_text(split_text(system, plan), encoding="utf-8")
    for name, jobs in zip(TABLES, (plan.fitted, plan.held_out, plan.twice), strict=True):
        if not jobs:
            continue
        (folder / f"{name}.csv").write_text(_table(_rows(system, jobs, rounds)), encoding="utf-8")
    if percentiles := list(_latencies(system, plan.jobs, rounds)):
        (folder / f"{PERCENTILES}.csv").write_text(_table(percentiles), encoding="utf-8")


def _table(made: Iterable[dict[str, str]]) -> str:
    buffer = io.StringIO()
    rows = list(made)
    writer = csv.DictWriter(buffer, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return buffer.getvalue()


def _rows(system: System, jobs: Sequence[Job], rounds: Rounds) -> Iterator[dict[str, str]]:
    """Yield the throughput of each job."""
    for job in jobs:
        yield _row(system, job, "throughput", rounds.values(job), "MB/s")


def _latencies(system: System, jobs: Sequence[Job], rounds: Rounds) -> Iterator[dict[str, str]]:
    """Yield mean and percentiles of each job's latency, from submission to completion, where fio has them."""
    for job in (each for each in jobs if each.op != "mixed"):
        runs = [result["jobs"][0][job.op].get("lat_ns", {}) for each, result in rounds.results if each == job]
        for name, percent in _TOLD.items():
            values_ns = [
                run.get("percentile", {}).get(percent, 0) if percent else run.get("mean", 0) for run in runs
            ]
            if all(isinstance(each, int | float) and each > 0 for each in values_ns):
                yield _row(system, job, name, [each * 1e-3 for each in values_ns], "us")


def _row(system: System, job: Job, measure: str, values: Sequence[float], unit: str) -> dict[str, str]:
    """One table row: settings, median of the runs, and half of their range (at most the median)."""
    settings = job.settings(system)
    median = statistics.median(values)
    half_width = min(max((max(values) - min(values)) / 2.0, 5e-5 * median), MOST_HALF_WIDTH * median)
    return {
        **{each.name: each.show(settings[each.name]) for each in system.settings},
        "measure": measure,
        "value": f"{median:.5g}",
        "half_width": f"{half_width:.2g}",
        "unit": unit,
    }
