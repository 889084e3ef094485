"""``python -m benchmarks``: measure everything but the whole cell, or what is named, and print one table."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterable, Sequence
from importlib import import_module

from benchmarks.accuracy import accuracy
from benchmarks.analytic import analytic
from benchmarks.cache_library import against_library
from benchmarks.caches import caches
from benchmarks.commits import commits
from benchmarks.dbfs_run import memory, whole_cell
from benchmarks.engines import against_pending, against_reference
from benchmarks.native import against_native
from benchmarks.others import against_others
from benchmarks.scale import scale
from benchmarks.stacks import stacks
from benchmarks.start import starting
from benchmarks.sweeps import sweeps
from benchmarks.table import Row, machine, section

Part = tuple[str, Callable[[], Iterable[Row]]]
"""A title, and what measures."""

PARTS: dict[str, Part] = {
    "engines": ("Visits a second, compiled : reference", against_reference),
    "caches": ("Caches, visits or look-ups a second, compiled : reference", caches),
    "library": ("Look-ups a second on one trace, the compiled engine : libCacheSim", against_library),
    "native": ("Closed model, the compiled loop : C++ -O3", against_native),
    "others": ("Other simulators, visits a second; customers a simulated second, ours ± 3 %", against_others),
    "pending": ("Events pending, visits a second", against_pending),
    "memory": ("Memory of the compiled engine, dbfs block=1KiB users=8", memory),
    "scale": ("More nodes: processor time of a request of dd, against that with one node", scale),
    "start": ("Starting", starting),
    "stacks": ("Processor time, a stack file : the same layers in Python", stacks),
    "sweeps": ("Sweeps of dbfs into a store", sweeps),
    "analytic": ("The analytic engine against simulation, errors of the throughput", analytic),
    "accuracy": ("The analytic engine by mechanism: throughput and latency, nine of ten within", accuracy),
}
APART = {"blind": "benchmarks.blind.__main__", "house": "benchmarks.house"}
"""Modules with tables and options of their own, each the first word: ``python -m benchmarks blind --seed 3``."""

WHOLE_CELL = ("One cell of the published table, dbfs block=1KiB users=8 op=write", whole_cell)


def main(words: Sequence[str]) -> int:
    """Measure and print; the exit status says whether all targets are met."""
    if words and words[0] in APART:
        import_module(APART[words[0]]).main(words[1:])
        return 0
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("parts", nargs="*", metavar="PART", help=", ".join((*PARTS, *APART)))
    parser.add_argument("--whole-cell", action="store_true", help="all 134 million I/Os of a cell, too")
    parser.add_argument(
        "--against", metavar="STACKSIM", help="compare with the command of another checkout, alone"
    )
    given = parser.parse_args(words)
    if given.against:
        return _measure([("Processor seconds, this checkout : the other", lambda: commits(given.against))])
    unknown = [part for part in given.parts if part not in PARTS]
    if unknown:
        parser.error(f"no part '{unknown[0]}'; allowed: {', '.join((*PARTS, *APART))}")
    asked = [PARTS[part] for part in given.parts or ([] if given.whole_cell else PARTS)]
    return _measure([*asked, WHOLE_CELL] if given.whole_cell else asked)


def _measure(parts: Iterable[Part]) -> int:
    sys.stdout.write(machine())
    missed = 0
    for title, measure in parts:
        rows = list(measure())
        missed += sum(row.met is False for row in rows)
        sys.stdout.write(section(title, rows))
        sys.stdout.flush()
    return int(missed > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
