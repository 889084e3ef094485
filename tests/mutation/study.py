"""`make mutation`: change one thing at a time, in a copy, and see whether a fast test fails (docs/testing.md)."""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections import Counter
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from cosmic_ray.work_db import WorkDB, use_db
from cosmic_ray.work_item import TestOutcome

ROOT = Path(__file__).parents[2]
PACKAGES = Path(__file__).with_name("packages.toml")
CONFIGURATION, SESSION = "mutation.toml", "mutation.sqlite"

PYTEST = "python -m pytest -q -x -m 'not slow' -p no:cacheprovider -o addopts=--import-mode=importlib"

NOBODY_RUNS = "core/(ReplaceBinaryOperator_BitOr_|ReplaceTrueWithFalse)"
"""Operators that change what nobody runs: unions of types, and dataclass(frozen=True)."""

AT_ONCE = 2
"""Packages: each is changed in a copy of its own."""


def main() -> None:
    packages = tomllib.loads(PACKAGES.read_text(encoding="utf-8"))
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--package", action="append", choices=packages, help="all unless given")
    options.add_argument("--mutants", type=int, default=100, help="of each package, drawn at random")
    options.add_argument("--seed", type=int, default=1, help="the same ones are drawn again with the same seed")
    asked = options.parse_args()
    with ThreadPoolExecutor(AT_ONCE) as pool:
        names = asked.package or packages
        for each in [pool.submit(study, name, packages[name], asked.mutants, asked.seed) for name in names]:
            print(each.result(), flush=True)


def study(name: str, package: Mapping[str, Sequence[str]], mutants: int, seed: int) -> str:
    """Try so many changes of ``package``: the survivors, and a table of all."""
    with tempfile.TemporaryDirectory(prefix="mutation-") as folder:
        copy = Path(folder)
        _copy(copy)
        (copy / CONFIGURATION).write_text(_configuration(**package), encoding="utf-8")
        _run(copy, "cosmic-ray", "init", CONFIGURATION, SESSION)
        with use_db(copy / SESSION, WorkDB.Mode.open) as database:
            drawn = _sample(database, mutants, seed)
        _run(copy, "cosmic-ray", "baseline", CONFIGURATION)
        _run(copy, "cosmic-ray", "exec", CONFIGURATION, SESSION)
        with use_db(copy / SESSION, WorkDB.Mode.open) as database:
            return "\n".join([f"{name}: {drawn}", *_report(database)])


def _copy(folder: Path) -> None:
    """What git knows: files are changed in place, and nobody else may be working in them."""
    known = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, check=True, capture_output=True, text=True).stdout
    for name in filter(None, known.split("\0")):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / name, folder / name)


def _configuration(modules: Sequence[str], tests: Sequence[str]) -> str:
    files = [str(file.relative_to(ROOT)) for pattern in modules for file in sorted(ROOT.glob(pattern))]
    return f"""
        [cosmic-ray]
        module-path = {json.dumps(files)}
        timeout = 150.0
        excluded-modules = []
        test-command = {json.dumps(" ".join([PYTEST, *tests]))}
        [cosmic-ray.distributor]
        name = "local"
        """


def _run(folder: Path, *command: str) -> None:
    """No compiled files, for two changes within a second may have one size; no plugins, to be quick."""
    environment = os.environ | {
        "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONPATH": str(folder),
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
    }
    subprocess.run(command, cwd=folder, env=environment, check=True, stdout=subprocess.DEVNULL)


def _sample(database: WorkDB, mutants: int, seed: int) -> str:
    """Leave ``mutants`` to be tried, the same ones with the same seed: their numbers are new each time."""
    run = [each for each in database.work_items if not re.match(NOBODY_RUNS, each.mutations[0].operator_name)]
    run.sort(key=lambda each: str(each.mutations))
    chosen = random.Random(seed).sample(run, min(mutants, len(run)))
    database.clear()
    database.add_work_items(chosen)
    return f"{len(chosen)} of {len(run)} changes, seed {seed}"


def _report(database: WorkDB) -> list[str]:
    """Every survivor, and a row for each module: how many were tried, how many noticed."""
    lines: list[str] = []
    noticed: Counter[str] = Counter()
    tried: Counter[str] = Counter()
    for job, result in database.completed_work_items:
        (mutation,) = job.mutations
        module = str(mutation.module_path)
        tried[module] += 1
        noticed[module] += result.test_outcome != TestOutcome.SURVIVED
        if result.test_outcome == TestOutcome.SURVIVED:
            lines.append(f"survived: {module}, line {mutation.start_pos[0]}, {mutation.operator_name}")
            lines.append(result.diff or "")
    lines += [f"| `{module}` | {count} | {noticed[module]} |" for module, count in sorted(tried.items())]
    share = noticed.total() / tried.total()
    return [*lines, f"| all | {tried.total()} | {noticed.total()} ({share:.0%}) |"]


if __name__ == "__main__":
    main()
