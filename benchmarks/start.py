"""How long the first and the second ``stacksim predict dbfs`` take."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from statistics import median
from time import perf_counter

from benchmarks.table import Row, at_most

PREDICT = ("-m", "sim.cli", "predict", "dbfs")
TIMES = 7


def starting() -> Iterator[Row]:
    """Cold: nothing compiled yet. Warm: compiled code is there; the share of imports is measured apart."""
    with tempfile.TemporaryDirectory() as folder:
        home = os.environ | {"XDG_CACHE_HOME": folder}
        cold = _run(home).seconds
        warm = [_run(home).seconds for _ in range(TIMES)]
        imports = [_run(home, "-X", "importtime").import_share for _ in range(3)]
    yield at_most("cold: compilation", cold - median(warm), 10.0)
    yield Row("cold: predict dbfs, in all", f"{cold:.2f} s")
    yield at_most("warm: predict dbfs", median(warm), 1.5)
    yield Row("  of which imports", f"{median(imports):.0%}")


class _run:  # noqa: N801  (a call with two answers)
    """One command: its seconds, and which share of them its imports say they took."""

    def __init__(self, environment: dict[str, str], *options: str) -> None:
        words = [sys.executable, *options, *PREDICT]
        start = perf_counter()
        done = subprocess.run(words, check=True, capture_output=True, text=True, env=environment)  # noqa: S603  (our own)
        self.seconds = perf_counter() - start
        own_us = re.findall(r"^import time:\s+(\d+) \|", done.stderr, re.MULTILINE)
        self.import_share = sum(map(int, own_us)) / 1e6 / self.seconds
