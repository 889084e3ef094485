"""Long runs of the DBFS system at 1 KiB blocks with 8 users: memory, and a whole cell of the published table."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from time import perf_counter

from benchmarks import models
from benchmarks.table import Row
from sim import Model
from sim.engine.events.compiled import CompiledEngine

USERS = 8
CELL_IOS = 128 * 2**30 // 2**10
"""I/Os of one cell of the table: 128 GiB at 1 KiB."""

IOS = (1_000_000, 20_000_000)
WARM_IOS = 100_000

MAX_KIB = 1024
"""A growth that is not of the run: what Python and its libraries do meanwhile."""


def memory() -> Iterator[Row]:
    """How far the peak of resident memory rises during a run, in a process of its own each time."""
    grown = [_grown_kib(ios) for ios in IOS]
    for ios, kib in zip(IOS, grown, strict=True):
        yield Row(f"peak grown in {ios:,} I/Os", f"{kib:,} KiB")
    more = grown[1] - grown[0]
    yield Row("  difference", f"{more:+,} KiB", "", f"≤ {MAX_KIB} KiB", more <= MAX_KIB)


def whole_cell() -> Iterator[Row]:
    """One whole cell: as many I/Os as the 128 GiB that were moved."""
    model = models.dbfs("1KiB", USERS)
    engine = CompiledEngine(model, 1)
    start = perf_counter()
    done = run_until(engine, model, CELL_IOS)
    took = perf_counter() - start
    yield Row(f"whole cell: {done:,} I/Os", f"{took:.1f} s", f"{engine.now_ns / 1e9 / took:.3g} × real")


def run_until(engine: CompiledEngine, model: Model, ios: int) -> int:
    """Run until ``dd`` has completed ``ios`` I/Os; return how many it is (a thousandth more, at most)."""
    rows = model.rows("dd")

    def completed() -> int:
        return int(engine.snapshot().workloads[rows, 1].sum())

    engine.advance(engine.now_ns + 100_000_000)
    while (done := completed()) < ios:
        left_ns = int(engine.now_ns * (ios - done) / done)
        engine.advance(engine.now_ns + max(left_ns, engine.now_ns // 10_000))
    return done


def _grown_kib(ios: int) -> int:
    words = [sys.executable, "-m", "benchmarks.dbfs_run", str(ios)]
    return int(subprocess.run(words, check=True, capture_output=True, text=True).stdout)  # noqa: S603  (our own)


def forget_peak() -> None:
    """Let the peak begin anew at what is resident now: importing and compiling had peaks of their own."""
    Path("/proc/self/clear_refs").write_text("5", encoding="ascii")


def peak_kib() -> int:
    """The peak of this process; ``getrusage`` would count what its parent had, too."""
    status = Path("/proc/self/status").read_text(encoding="ascii")
    found = re.search(r"VmHWM:\s+(\d+)", status)
    if found is None:
        raise OSError("/proc/self/status has no VmHWM")
    return int(found[1])


def main() -> None:
    """Print by how many KiB the peak has grown after so many I/Os."""
    model = models.dbfs("1KiB", USERS)
    engine = CompiledEngine(model, 1)
    run_until(engine, model, WARM_IOS)
    forget_peak()
    before = peak_kib()
    run_until(engine, model, int(sys.argv[1]))
    sys.stdout.write(f"{peak_kib() - before}\n")


if __name__ == "__main__":
    main()
