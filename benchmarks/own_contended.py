"""Measure processes that contend on this machine: for a file's lock, a device's queue, and commits of a journal.

Needs fio and, below the folder for temporary files, ext4. Each round measures all cells of a phase, one after the
other, and appends them to ``contended.csv``, a row a run:

    python -m benchmarks.own_contended FOLDER PHASE [ROUNDS]

Other work may go on: fio, and the thread of the journal, run before it in real-time class (``chrt -r 1``, slices
of 4 ms), and so should `stacksim stack host`. How busy others were, what the hypervisor kept and the load
average stand in the row; what the hypervisor disturbed is measured again, up to four times. Commits are those of
ext4 on a device in memory (zram), whose journal has a thread of its own.
"""

from __future__ import annotations

import csv
import json
import os
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, fields
from pathlib import Path

from benchmarks.own_machine import STOLEN, TRIES, run
from benchmarks.own_rounds import RESULTS

RUNTIME, RAMP = "800ms", "200ms"

REAL_TIME, SLICE_MS = ("chrt", "-r", "1"), "4"

TICKS = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True)
class Cell:
    """What is measured.

    Attributes:
        part: ``buffered`` random overwrites; ``exclusive`` direct writes to blocks not allocated yet; ``direct``
            overwrites; ``append``, each write followed by ``sync``; ``overwrite``, the same with blocks that are
            written already.
        block: KiB.
        files: a file for ``each`` job, or one ``shared``.
        sync: none, fdatasync or fsync.
    """

    part: str
    block: int
    jobs: int
    files: str = "shared"
    sync: str = "none"


NUMBERS = ("rate", "user_us", "busy_us", "others", "stolen", "load")


@dataclass(frozen=True)
class Run:
    """One run of a cell.

    Attributes:
        rate: writes a second.
        user_us: of fio's own code, for each write.
        busy_us: of all processors, for each write; with fio's, interrupts and threads of the kernel.
        others, stolen: shares of the processors that other processes took, and that the hypervisor kept.
        load: threads that ran or waited in the minute before.
    """

    phase: str
    round: int
    cell: Cell
    rate: float
    user_us: float
    busy_us: float
    others: float
    stolen: float
    load: float

    def row(self) -> dict[str, object]:
        """A row of the table."""
        numbers = {name: f"{getattr(self, name):.4g}" for name in NUMBERS}
        return {"phase": self.phase, "round": self.round, **asdict(self.cell), **numbers}


COLUMNS = [
    *("phase", "round"),
    *(each.name for each in fields(Cell)),
    *NUMBERS,
]

ANCHORS = (
    Cell("buffered", 4, 1),
    Cell("buffered", 64, 1),
    Cell("buffered", 4, 2),
    Cell("exclusive", 4, 1),
    Cell("exclusive", 64, 1),
    Cell("direct", 4, 1),
    Cell("direct", 64, 1),
    Cell("direct", 4, 8),
    Cell("overwrite", 4, 1, "each", "fdatasync"),
    Cell("overwrite", 16, 1, "each", "fdatasync"),
    Cell("append", 4, 1, "each", "fdatasync"),
)


def _of_locks() -> Iterator[Cell]:
    for part, blocks in (("buffered", (4, 16, 64, 256)), ("exclusive", (4, 16, 64)), ("direct", (4, 16, 64))):
        for block in blocks:
            yield from (Cell(part, block, jobs) for jobs in (1, 2, 4, 8))


def _of_commits() -> Iterator[Cell]:
    for sync in ("fdatasync", "fsync"):
        yield from (Cell("append", 4, jobs, "each", sync) for jobs in (1, 2, 4, 8, 16))
        yield from (Cell("append", 4, jobs, "shared", sync) for jobs in (2, 4, 8, 16))
    yield from (Cell("append", 16, jobs, "each", "fdatasync") for jobs in (1, 4, 16))
    yield from (Cell("overwrite", 4, jobs, "each", "fdatasync") for jobs in (4, 16))


SEEN = Cell("buffered", 4, 4)
"""In a trial of the script, before anything was predicted."""

ANCHORS_2 = (
    Cell("buffered", 4, 1),
    Cell("buffered", 64, 1),
    Cell("buffered", 4, 2),
    Cell("direct", 4, 1),
    Cell("direct", 64, 1),
    Cell("direct", 4, 8),
    Cell("direct", 64, 8),
    Cell("append", 4, 1, "each", "fdatasync"),
    Cell("append", 16, 1, "each", "fdatasync"),
    Cell("append", 4, 8, "each", "fdatasync"),
)


def _others() -> Iterator[Cell]:
    """Sizes and numbers of processes that no stack had seen when it was mended."""
    for block in (8, 32, 128):
        yield from (Cell("buffered", block, jobs) for jobs in (1, 2, 3, 6))
        yield from (Cell("direct", block, jobs) for jobs in (2, 3, 6))
    yield from (Cell("append", block, jobs, "each", "fdatasync") for block in (8, 32) for jobs in (1, 3, 6, 12))
    yield from (Cell("append", 4, jobs, "each", "fsync") for jobs in (3, 6, 12))
    yield from (Cell("append", 4, jobs, "shared", "fdatasync") for jobs in (3, 6, 12))


def _further_commits() -> Iterator[Cell]:
    """The same of commits, between anchors of 4 and 32 KiB."""
    yield from (Cell("append", block, jobs, "each", "fdatasync") for block in (12, 20, 24) for jobs in (2, 5, 10))
    yield from (Cell("append", 4, jobs, "each", "fsync") for jobs in (5, 10, 14))
    yield from (Cell("append", 4, jobs, "shared", "fdatasync") for jobs in (5, 10, 14))


PHASES = {
    "anchors": ANCHORS,
    "anchors-2": ANCHORS_2,
    "predicted-2": tuple(_others()),
    "anchors-3": tuple(
        Cell("append", block, jobs, "each", "fdatasync") for block, jobs in ((4, 1), (32, 1), (4, 8))
    ),
    "predicted-3": tuple(_further_commits()),
    "predicted": tuple(each for each in (*_of_locks(), *_of_commits()) if each not in (*ANCHORS, SEEN)),
}


def main(folder: Path, phase: str, rounds: int = 3) -> None:
    """Measure the cells of a ``phase`` in so many rounds."""
    table = folder / "contended.csv"
    begun = table.exists()
    with table.open("a", encoding="utf-8", newline="") as file, places() as at, slices():
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        if not begun:
            writer.writeheader()
        for number in range(1, rounds + 1):
            for cell in PHASES[phase]:
                writer.writerow(undisturbed(cell, phase, number, at[cell.sync != "none"]).row())
                file.flush()


@contextmanager
def places() -> Iterator[tuple[Path, Path]]:
    """Where files are: on this machine's storage, and on a device in memory; some have blocks that are written."""
    with tempfile.TemporaryDirectory(dir="/var/tmp") as disk, in_memory() as memory:
        prepared(Path(disk), "buffered", 1)
        prepared(Path(disk), "direct", 1)
        prepared(memory, "overwrite", 16)
        yield Path(disk), memory


@contextmanager
def slices() -> Iterator[None]:
    """Processes of one core take turns as often as those of no class; of 100 ms, a run would have too few."""
    setting = Path("/proc/sys/kernel/sched_rr_timeslice_ms")
    before = setting.read_text()
    setting.write_text(SLICE_MS)
    try:
        yield
    finally:
        setting.write_text(before)


@contextmanager
def in_memory() -> Iterator[Path]:
    """An ext4 with a journal on a device in memory, whose thread is of real-time class."""
    number = Path("/sys/class/zram-control/hot_add").read_text().strip()
    device = f"zram{number}"
    try:
        Path(f"/sys/block/{device}/disksize").write_text("4G")
        run("mkfs.ext4", "-q", f"/dev/{device}")
        with tempfile.TemporaryDirectory() as place:
            # else threads of the kernel, of which nobody knows the class, note which blocks are written
            run("mount", "-o", "dioread_lock", f"/dev/{device}", place)
            try:
                run(*REAL_TIME[:2], "-p", "1", run("pgrep", "-f", f"jbd2/{device}"))
                yield Path(place)
            finally:
                run("umount", place)
    finally:
        Path("/sys/class/zram-control/hot_remove").write_text(number)


def undisturbed(cell: Cell, phase: str, number: int, place: Path) -> Run:
    """The run of ``cell`` of which the hypervisor kept least."""
    tries = []
    for _ in range(TRIES):
        tries.append(measured(cell, phase, number, place))
        if tries[-1].stolen <= STOLEN:
            break
    return min(tries, key=lambda run: run.stolen)


def measured(cell: Cell, phase: str, number: int, place: Path) -> Run:
    """One run of ``cell``."""
    words = (*REAL_TIME, *fio_of(cell, place))
    before, look = processors(), Others.now()
    text = run(*words)
    spent = [after - earlier for earlier, after in zip(before, processors(), strict=True)]
    others = look.share()
    for file in place.glob("new*"):
        file.unlink()
    (job,) = json.loads(text[text.index("{") :])["jobs"]
    rate, passed = job["write"]["iops"], sum(spent)
    # user, nice, system, irq, softirq; the ramp does as much in a second
    busy = sum(spent[at] for at in (0, 1, 2, 5, 6)) / passed - others
    busy_us = 1e6 * busy * (os.cpu_count() or 1) / rate
    user_us = 1e6 * job["usr_cpu"] / 100 * cell.jobs / rate
    return Run(phase, number, cell, rate, user_us, busy_us, others, spent[7] / passed, os.getloadavg()[0])


FILLED = {"buffered": "64m", "direct": "256m", "overwrite": "16m"}
"""Bytes of files whose blocks are written before anything is measured."""

REGION = "1g"
"""Of each job in a file that is new."""


def prepared(place: Path, part: str, count: int) -> None:
    """Files whose blocks are written, on storage."""
    for number in range(count):
        words = ("--rw=write", "--bs=1m", f"--size={FILLED[part]}", f"--filename={place / part}{number}")
        run("fio", "--name=fill", *words, "--fallocate=none", "--end_fsync=1")


def fio_of(cell: Cell, place: Path) -> list[str]:
    """The words of fio."""
    options: dict[str, object] = {
        "name": cell.part,
        "ioengine": "psync",
        "rw": "randwrite" if cell.part in ("buffered", "direct") else "write",
        "bs": f"{cell.block}k",
        "numjobs": cell.jobs,
        "size": FILLED.get(cell.part, REGION),
        "direct": int(cell.part in ("exclusive", "direct")),
        "invalidate": 0,
        "fallocate": "none",
        "norandommap": 1,
        "runtime": RUNTIME,
        "ramp_time": RAMP,
        "time_based": 1,
        "group_reporting": 1,
        "output-format": "json",
    }
    if cell.sync != "none":
        options[cell.sync] = 1
    name = cell.part if cell.part in FILLED else "new"
    if cell.files == "each":
        options |= {"directory": place, "filename_format": f"{name}$jobnum"}
    else:
        options["filename"] = place / f"{name}0"
        if cell.part not in FILLED:
            options["offset_increment"] = REGION
    if cell.part == "exclusive":
        with (place / "new0").open("wb") as file:
            file.truncate(cell.jobs << 30)
    return ["fio", *(f"--{name}={value}" for name, value in options.items())]


@dataclass(frozen=True)
class Others:
    """Ticks that each process has taken that is neither fio, this one, nor a thread of the kernel; and when."""

    ticks: dict[str, int]
    at: float

    @classmethod
    def now(cls) -> Others:
        """Those of now."""
        return cls(dict(_ticks()), time.monotonic())

    def share(self) -> float:
        """Of all processors, that they have taken since; of processes that are still there."""
        now = Others.now()
        taken = sum(max(0, ticks - self.ticks.get(process, 0)) for process, ticks in now.ticks.items())
        return taken / TICKS / (now.at - self.at) / (os.cpu_count() or 1)


def _ticks() -> Iterator[tuple[str, int]]:
    for place in Path("/proc").glob("[0-9]*"):
        try:
            name, _, rest = (place / "stat").read_text().rpartition(")")
            if place.name != str(os.getpid()) and not name.endswith("(fio") and (place / "cmdline").read_text():
                yield place.name, sum(map(int, rest.split()[11:13]))
        except (OSError, UnicodeDecodeError):
            continue  # it has ended meanwhile


def processors() -> list[int]:
    """Ticks by kind, as in the first line of /proc/stat."""
    return [int(each) for each in Path("/proc/stat").read_text().splitlines()[0].split()[1:9]]


if __name__ == "__main__":
    main(RESULTS / sys.argv[1], sys.argv[2], *map(int, sys.argv[3:]))
