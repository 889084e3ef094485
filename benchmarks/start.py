"""How long the first and the second ``stacksim predict dbfs`` take."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from resource import RUSAGE_CHILDREN, getrusage
from statistics import median
from time import perf_counter

from benchmarks.table import Row, at_most

PREDICT = ("-m", "sim.cli", "predict", "dbfs")
TIMES = 7


@dataclass(frozen=True)
class _Start:
    """What one command took; ``import_s`` is 0 unless Python was asked to time imports."""

    clock_s: float
    processor_s: float
    import_s: float


def starting() -> Iterator[Row]:
    """Cold: nothing compiled yet. Warm: compiled code is there; the share of imports is measured apart."""
    with tempfile.TemporaryDirectory() as folder:
        cold = _start(folder)
        warm = [_start(folder) for _ in range(TIMES)]
        timed = [_start(folder, "-X", "importtime") for _ in range(3)]
    compiling_s = cold.processor_s - median(each.processor_s for each in warm)
    yield at_most("cold: compilation, processor time", compiling_s, 6.0)
    yield from _predict("cold", [cold], None)
    yield from _predict("warm", warm, 1.5)
    yield Row("  of which imports", f"{median(each.import_s / each.processor_s for each in timed):.0%}")


def _predict(when: str, starts: Sequence[_Start], most: float | None) -> Iterator[Row]:
    what, seconds = f"{when}: predict dbfs, processor time", median(each.processor_s for each in starts)
    yield Row(what, f"{seconds:.2f} s") if most is None else at_most(what, seconds, most)
    yield Row("  on the clock, beside whatever else ran", f"{median(each.clock_s for each in starts):.2f} s")


def _start(folder: str, *options: str) -> _Start:
    """Run the command with compiled code kept in ``folder``."""
    words, environment = [sys.executable, *options, *PREDICT], os.environ | {"XDG_CACHE_HOME": folder}
    before, start = getrusage(RUSAGE_CHILDREN), perf_counter()
    done = subprocess.run(words, check=True, capture_output=True, text=True, env=environment)  # noqa: S603  (our own)
    clock_s, after = perf_counter() - start, getrusage(RUSAGE_CHILDREN)
    own_us = re.findall(r"^import time:\s+(\d+) \|", done.stderr, re.MULTILINE)
    processor_s = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return _Start(clock_s, processor_s, sum(map(int, own_us)) / 1e6)
