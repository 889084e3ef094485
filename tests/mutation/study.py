"""`make mutation`: change one thing at a time, in a copy, and see whether a fast test fails (docs/testing.md)."""

from __future__ import annotations

import argparse
import os
import random
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

from cosmic_ray.work_db import WorkDB, use_db
from cosmic_ray.work_item import TestOutcome, WorkerOutcome, WorkResult

ROOT = Path(__file__).parents[2]
CONFIGURATION, SESSION = "tests/mutation/cosmic-ray.toml", "mutation.sqlite"
SEED = 1


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--mutants", type=int, default=200, help="drawn at random, always the same")
    asked = options.parse_args()
    with tempfile.TemporaryDirectory(prefix="mutation-") as folder:
        copy = Path(folder)
        _copy(copy)
        _run(copy, "cosmic-ray", "init", CONFIGURATION, SESSION)
        _run(copy, "cr-filter-operators", SESSION, CONFIGURATION)
        with use_db(copy / SESSION, WorkDB.Mode.open) as database:
            _sample(database, asked.mutants)
        _run(copy, "cosmic-ray", "baseline", CONFIGURATION)
        _run(copy, "cosmic-ray", "exec", CONFIGURATION, SESSION)
        with use_db(copy / SESSION, WorkDB.Mode.open) as database:
            _report(database)


def _copy(folder: Path) -> None:
    """What git knows: files are changed in place, and nobody else may be working in them."""
    known = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, check=True, capture_output=True, text=True).stdout
    for name in filter(None, known.split("\0")):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / name, folder / name)


def _run(folder: Path, *command: str) -> None:
    """No compiled files, for two changes within a second may have one size; no plugins, to be quick."""
    environment = os.environ | {
        "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONPATH": str(folder),
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
    }
    subprocess.run(command, cwd=folder, env=environment, check=True)


def _sample(database: WorkDB, mutants: int) -> None:
    """Leave ``mutants`` to be tried."""
    waiting = sorted(each.job_id for each in database.pending_work_items)
    places = {each.job_id: str(each.mutations) for each in database.work_items}
    waiting.sort(key=places.__getitem__)  # the numbers of the jobs are new each time
    chosen = set(random.Random(SEED).sample(waiting, min(mutants, len(waiting))))
    print(f"{len(chosen)} of {len(waiting)} mutants, seed {SEED}")
    for job in waiting:
        if job not in chosen:
            database.set_result(job, WorkResult(worker_outcome=WorkerOutcome.SKIPPED))


def _report(database: WorkDB) -> None:
    killed: Counter[str] = Counter()
    tried: Counter[str] = Counter()
    for job, result in database.completed_work_items:
        if result.worker_outcome == WorkerOutcome.SKIPPED:
            continue
        (mutation,) = job.mutations
        tried[str(mutation.module_path)] += 1
        if result.test_outcome == TestOutcome.SURVIVED:
            print(f"survived: {mutation.module_path}, line {mutation.start_pos[0]}, {mutation.operator_name}")
            print(result.diff)
        else:
            killed[str(mutation.module_path)] += 1
    for module, count in sorted(tried.items()):
        print(f"| `{module}` | {count} | {killed[module]} | {killed[module] / count:.0%} |")
    print(f"| all | {tried.total()} | {killed.total()} | {killed.total() / tried.total():.0%} |")


if __name__ == "__main__":
    main()
