"""`make mutation`: change one thing at a time in a copy; does a fast test fail (docs/dev/testing.md)?"""

from __future__ import annotations

import argparse
import ast
import difflib
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import tomllib
from collections import Counter
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from booked import SECONDS
from changes import Change, drawn
from coverage import CoverageData

ROOT = Path(__file__).parents[2]
PACKAGES = Path(__file__).with_name("packages.toml")
COVERAGE = ".coverage-mutation"

PYTEST = ("-m", "pytest", "-q", "-x", "-m", "not slow and not browser")
PYTEST += ("-p", "no:cacheprovider", "-o", "addopts=--import-mode=importlib")

AT_ONCE = 2
"""Packages: each is changed in a copy of its own."""

SLOWER = 10.0
"""A change after which the tests take so many times as long, and a minute, is noticed."""


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
    """Try so many changes of ``package``, and print the survivors; return a table of all."""
    with tempfile.TemporaryDirectory(prefix="mutation-") as folder:
        copy = Path(folder).resolve()
        _copy(copy)
        files = [file for pattern in package["modules"] for file in sorted(copy.glob(pattern))]
        changes, number = drawn(files, mutants, seed)
        watchers = Watchers(copy, package["tests"], files)
        tried: Counter[str] = Counter()
        noticed: Counter[str] = Counter()
        for done, change in enumerate(changes, start=1):
            module = str(change.file.relative_to(copy))
            tried[module] += 1
            if _noticed(copy, change, tests := watchers.of(change), 60.0 + SLOWER * watchers.seconds_of(tests)):
                noticed[module] += 1
            else:
                print(f"survived: {module}, line {change.line}, {change.operator}", _difference(change), sep="\n")
            print(f"{name}: {noticed.total()} of {done} noticed", flush=True)
    lines = [f"{name}: {len(changes)} of {number} changes, seed {seed}"]
    lines += [f"| `{module}` | {count} | {noticed[module]} |" for module, count in sorted(tried.items())]
    share = noticed.total() / tried.total()
    return "\n".join([*lines, f"| all | {tried.total()} | {noticed.total()} ({share:.0%}) |"])


class Watchers:
    """Which of the test files ``tests`` run what of ``files``: they are run once, and have to pass."""

    def __init__(self, copy: Path, tests: Sequence[str], files: Sequence[Path]) -> None:
        traced = ",".join(str(file) for file in files)
        coverage = ("-m", "coverage", "run", f"--data-file={COVERAGE}", f"--include={traced}", *PYTEST)
        if _run(copy, 3600.0, *coverage, "-p", "booked", *tests):
            raise SystemExit(f"{' '.join(tests)}: fails without any change")
        self._lines = CoverageData(str(copy / COVERAGE))
        self._lines.read()
        self._seconds = json.loads((copy / SECONDS).read_text(encoding="utf-8"))

    def of(self, change: Change) -> list[str]:
        """Those that run the function around the line of ``change``, or else its module, quick ones first."""
        contexts = self._lines.contexts_by_lineno(str(change.file))
        inside = _around(change)
        files = {each for line, found in contexts.items() if line in inside for each in found if each}
        files = files or {each for found in contexts.values() for each in found if each}
        return sorted(files, key=self._seconds.__getitem__)

    def seconds_of(self, tests: Sequence[str]) -> float:
        """Seconds of each without a change."""
        return sum(self._seconds[each] for each in tests)


def _around(change: Change) -> range:
    """The lines of the innermost function around ``change``; none outside of functions."""
    spans = [
        range(node.body[0].lineno, (node.end_lineno or 0) + 1)
        for node in ast.walk(ast.parse(change.file.read_text(encoding="utf-8")))
        if isinstance(node, ast.FunctionDef)
    ]
    return min((each for each in spans if change.line in each), key=len, default=range(0))


def _copy(folder: Path) -> None:
    """Files known to git: they are changed in place, and nobody else may be working in them."""
    known = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, check=True, capture_output=True, text=True).stdout
    for name in filter(None, known.split("\0")):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / name, folder / name)


def _noticed(copy: Path, change: Change, tests: Sequence[str], seconds: float) -> bool:
    """True if one of ``tests`` fails with ``change``, or does not end in so many seconds."""
    original = change.file.read_text(encoding="utf-8")
    change.file.write_text(change.code, encoding="utf-8")
    try:
        return bool(tests) and _run(copy, seconds, *PYTEST, *tests) != 0
    finally:
        change.file.write_text(original, encoding="utf-8")


def _run(folder: Path, seconds: float, *arguments: str) -> int:
    """Run Python to its end, or to the end of so many seconds, with all that it started; return its exit status.

    No compiled files, for two changes within a second may have one size; no plugins, to be quick.
    """
    environment = os.environ | {
        "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONPATH": os.pathsep.join([str(folder), str(Path(__file__).parent)]),
    }
    process = subprocess.Popen(
        [sys.executable, *arguments],
        cwd=folder,
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        return process.wait(seconds)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        return process.wait()


def _difference(change: Change) -> str:
    """The lines that ``change`` changes, as they were and as they are."""
    before, after = change.file.read_text(encoding="utf-8").splitlines(), change.code.splitlines()
    return "\n".join(list(difflib.unified_diff(before, after, n=0, lineterm=""))[3:])


if __name__ == "__main__":
    main()
