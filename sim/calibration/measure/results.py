"""What a measurement leaves: a folder with raw results, facts of the machine, the stack, and tables of figures."""

from __future__ import annotations

import csv
import io
import json
import shutil
import statistics
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from sim.calibration.measure.contribution import RESULTS, meta_text, split_text
from sim.calibration.measure.jobs import Job
from sim.calibration.measure.plan import Plan
from sim.calibration.measure.rounds import Rounds
from sim.errors import InputError, shown
from sim.system.system import System

STACK, FITTED_STACK, FIT = "stack.toml", "fitted.toml", "fit.json"
MOST_HALF_WIDTH = 0.9
"""Of a half-width, as a share of the figure: a table takes none above 1, to two digits."""

TABLES = ("fitted", "held-out", "twice-the-load")
"""Names of tables, by what their figures are for: ``fitted.csv`` and so on, which `stacksim report` takes, too."""


def check_folder(folder: Path) -> None:
    """Refuse a folder that exists, or cannot be made, before anything is measured.

    Raises:
        InputError: says which.
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
    folder: Path, system: System, stack: str, plan: Plan, rounds: Rounds, machine: Mapping[str, Any]
) -> None:
    """Write ``folder``, whole or not at all: a contribution (if fio ran), ``machine.json`` and tables of figures.

    Raises:
        InputError: it cannot be written; or it is somebody else's by now, and says where the results are.
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
        made.rename(folder)
    except OSError as error:
        raise InputError(
            f"cannot write '{shown(folder)}': {error.strerror}; the results are in '{shown(made)}'"
        ) from None


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
        (folder / f"{name}.csv").write_text(_table(system, jobs, rounds), encoding="utf-8")


def _table(system: System, jobs: Sequence[Job], rounds: Rounds) -> str:
    """A row for each job: its settings, the median of its runs, and half of their range, up to that."""
    written = io.StringIO()
    rows = list(_rows(system, jobs, rounds))
    writer = csv.DictWriter(written, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return written.getvalue()


def _rows(system: System, jobs: Sequence[Job], rounds: Rounds) -> Iterator[dict[str, str]]:
    for job in jobs:
        values = rounds.values(job)
        settings = job.settings(system)
        median = statistics.median(values)
        half_width = min(max((max(values) - min(values)) / 2.0, 5e-5 * median), MOST_HALF_WIDTH * median)
        yield {
            **{each.name: each.show(settings[each.name]) for each in system.settings},
            "measure": "throughput",
            "value": f"{median:.5g}",
            "half_width": f"{half_width:.2g}",
            "unit": "MB/s",
        }
