"""Measure this machine: FUSE by block size, users and operation; one file against one each; commits by clients.

Needs fio, bindfs and PostgreSQL (Debian: ``apt-get install fio bindfs fuse3 postgresql``), and an idle machine.
Raw results go into a folder of ``calibration-data/own``:

    python -m benchmarks.own_machine FOLDER [fuse|file|commits]…
"""

from __future__ import annotations

import json
import os
import platform
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

RESULTS = Path(__file__).parents[1] / "calibration-data" / "own"

SOCKETS = "/tmp"  # noqa: S108  (of the database that is measured, and gone afterwards)

SECONDS = 3
"""Of each run of fio, after one second of ramp."""

USERS = (1, 4, 8)
SIZES = tuple(f"{1 << power}k" for power in range(11))


def main(folder: Path, parts: list[str]) -> None:
    """Measure the ``parts``, or all, into ``folder``."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "machine.json").write_text(json.dumps(machine(), indent=2) + "\n")
    for name, measure in {"fuse": fuse, "file": one_file, "commits": commits}.items():
        if name in parts or not parts:
            measure(folder)


def machine() -> dict[str, object]:
    """What the figures depend on."""
    cpu = next(line for line in Path("/proc/cpuinfo").read_text().splitlines() if line.startswith("model name"))
    return {
        "cpu": cpu.partition(":")[2].strip(),
        "cores": os.cpu_count(),
        "memory_kib": int(Path("/proc/meminfo").read_text().split()[1]),
        "kernel": platform.release(),
        "fio": run("fio", "--version"),
        "bindfs": run("bindfs", "--version").splitlines()[0],
        "postgresql": run("psql", "--version"),
        "filesystem": run("findmnt", "-no", "SOURCE,FSTYPE,OPTIONS", "-T", tempfile.gettempdir()),
    }


def run(*words: str) -> str:
    """The output of a command."""
    return subprocess.run(words, check=True, capture_output=True, text=True).stdout.strip()  # noqa: S603  (our own words)


def fio(output: Path, **options: object) -> None:
    """One run, its JSON into ``output``."""
    words = [f"--{name}={value}" for name, value in options.items()]
    common = ("--time_based", f"--runtime={SECONDS}", "--ramp_time=1", "--group_reporting", "--output-format=json")
    text = run("fio", f"--name={output.stem}", *common, *words)
    output.write_text(text[text.index("{") :] + "\n")
    sys.stderr.write(f"{output.name}\n")


def fuse(folder: Path) -> None:
    """Bindfs with direct_io over a file system in memory: what is left is FUSE."""
    out = folder / "fuse"
    out.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(dir="/dev/shm") as below, bound(below) as mount:
        for op in ("write", "read"):
            for size in SIZES:
                for users in USERS:
                    files = {"directory": mount, "numjobs": users, "size": "64m", "ioengine": "psync"}
                    fio(out / f"{op}-{size}-{users}.json", rw=op, bs=size, **files)


@contextmanager
def bound(below: str) -> Iterator[str]:
    """``below`` once more, through FUSE."""
    with tempfile.TemporaryDirectory() as mount:
        run("bindfs", "-o", "direct_io", below, mount)
        try:
            yield mount
        finally:
            run("fusermount3", "-u", mount)


def one_file(folder: Path) -> None:
    """Random direct overwrites by 1, 2 and 4 processes: one file for all, against a file each."""
    out = folder / "file"
    out.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(dir=Path.home()) as disk:
        for number in range(4):
            run(
                "fio",
                "--name=fill",
                "--rw=write",
                "--bs=1m",
                "--size=256m",
                f"--filename={disk}/{number}",
                "--direct=1",
            )
        for users in (1, 2, 4):
            for size in ("4k", "16k", "64k"):
                common = {
                    "rw": "randwrite",
                    "bs": size,
                    "numjobs": users,
                    "size": "256m",
                    "direct": 1,
                    "ioengine": "psync",
                }
                fio(out / f"shared-{size}-{users}.json", filename=f"{disk}/0", **common)
                fio(out / f"each-{size}-{users}.json", filename_format=f"{disk}/$jobnum", **common)


def commits(folder: Path) -> None:
    """Pgbench -N with one row a transaction, 1 to 32 clients; and the time of one flush, by fio."""
    out = folder / "commits"
    out.mkdir(exist_ok=True)
    binaries = Path(run("pg_config", "--bindir"))
    with tempfile.TemporaryDirectory(dir="/var/tmp") as place:
        fio(
            out / "flush.json",
            filename=f"{place}/flush",
            rw="write",
            bs="8k",
            size="16m",
            fdatasync=1,
            ioengine="psync",
        )
        shutil.chown(place, "postgres")
        database = f"{place}/data"
        as_postgres(binaries / "initdb", "-D", database)
        as_postgres(
            binaries / "pg_ctl", "-D", database, "-o", f"-p 5499 -k {SOCKETS}", "-w", "-l", f"{place}/log", "start"
        )
        try:
            at = ("-h", SOCKETS, "-p", "5499")
            as_postgres(binaries / "pgbench", *at, "-i", "-s", "10", "postgres")
            for clients in (1, 2, 4, 8, 16, 32):
                threads = str(min(clients, os.cpu_count() or 1))
                for repeat in (1, 2):
                    words = (*at, "-n", "-N", "-c", str(clients), "-j", threads, "-T", "8", "postgres")
                    text = as_postgres(binaries / "pgbench", *words)
                    (out / f"clients-{clients}-{repeat}.txt").write_text(text + "\n")
                    sys.stderr.write(f"{clients}\n")
        finally:
            as_postgres(binaries / "pg_ctl", "-D", database, "-m", "immediate", "stop")


def as_postgres(*words: object) -> str:
    """Run a command as the user that PostgreSQL asks for."""
    return run("runuser", "-u", "postgres", "--", *map(str, words))


if __name__ == "__main__":
    main(RESULTS / sys.argv[1], sys.argv[2:])
