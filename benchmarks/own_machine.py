"""Measure this machine: FUSE by block size, users and operation; one file against one each; commits by clients.

Besides, what a call costs without FUSE: fio alone, which writes nowhere, and files in memory.

Needs fio, bindfs and PostgreSQL (Debian: ``apt-get install fio bindfs fuse3 postgresql``), and an idle machine.
Everything is measured in several rounds, one after the other, so that whatever slows a virtual machine down for a
minute disturbs a round and not a cell; each call adds rounds. A run of which the hypervisor stole more than one
hundredth is made again, up to four times. Raw results go into ``calibration-data/own-rounds/MACHINE`` (pack them
with `benchmarks.own_rounds`):

    python -m benchmarks.own_machine MACHINE [fuse|pinned|alone|file|buffered|commits]…
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

from benchmarks.own_rounds import RESULTS, UNPACKED, unpack

SOCKETS = "/tmp"  # noqa: S108  (of the database that is measured, and gone afterwards)

ROUNDS = 1

STOLEN = 0.01
"""Share of the processors' time that the hypervisor may keep from a run; else the best of four tries counts."""

TRIES = 4

AS_POSTGRES = ("runuser", "-u", "postgres", "--")

SECONDS = 2
"""Of each run of fio, after half a second of ramp."""

USERS = (1, 4, 8)
SIZES = tuple(f"{1 << power}k" for power in range(11))


def main(name: str, parts: list[str]) -> None:
    """Measure the ``parts``, or all, of the machine called ``name``."""
    unpack(UNPACKED)
    facts = RESULTS / name / "machine.json"
    facts.parent.mkdir(exist_ok=True)
    facts.write_text(json.dumps(machine(), indent=2) + "\n")
    measured = {
        "fuse": fuse,
        "pinned": pinned,
        "alone": without_fuse,
        "file": one_file,
        "buffered": buffered,
        "commits": commits,
    }
    for _ in range(ROUNDS):
        for part in parts or measured:
            out = _next_round(UNPACKED / name, part)
            out.mkdir(parents=True)
            measured[part](out)


def _next_round(folder: Path, part: str) -> Path:
    """Where the next round of a part belongs: nothing is measured over."""
    number = 1
    while (out := folder / f"round-{number}" / part).exists():
        number += 1
    return out


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


def undisturbed(*words: str) -> str:
    """The output of a command from a run that had the machine for itself."""
    tries = []
    for _ in range(TRIES):
        before = processor_time()
        text = run(*words)
        spent = [after - earlier for earlier, after in zip(before, processor_time(), strict=True)]
        tries.append((spent[7] / sum(spent), text))
        if tries[-1][0] <= STOLEN:
            break
    share, text = min(tries)
    sys.stderr.write(f"{' '.join(words[:2])}: {share:.1%} stolen, {len(tries)} tries\n")
    return text


def processor_time() -> list[int]:
    """Time by kind, as in the first line of /proc/stat: the eighth is stolen."""
    return [int(each) for each in Path("/proc/stat").read_text().splitlines()[0].split()[1:]]


def fio(output: Path, *, prefix: tuple[str, ...] = (), **options: object) -> None:
    """One run, its JSON into ``output``; ``prefix`` says how it is run."""
    words = [f"--{name}={value}" for name, value in options.items()]
    common = (
        "--time_based",
        f"--runtime={SECONDS}",
        "--ramp_time=500ms",
        "--group_reporting",
        "--output-format=json",
    )
    text = undisturbed(*prefix, "fio", f"--name={output.stem}", *common, *words)
    output.write_text(text[text.index("{") :] + "\n")


def fuse(out: Path) -> None:
    """Bindfs with direct_io over a file system in memory: what is left is FUSE."""
    with tempfile.TemporaryDirectory(dir="/dev/shm") as below, bound(below) as mount:
        for op in ("write", "read"):
            for size in SIZES:
                for users in USERS:
                    files = {"directory": mount, "numjobs": users, "size": "64m", "ioengine": "psync"}
                    fio(out / f"{op}-{size}-{users}.json", rw=op, bs=size, **files)


def pinned(out: Path) -> None:
    """One caller on core 0, the daemon there, too, or on core 1; in real-time class, before all other work."""
    for where, core in (("together", "0"), ("apart", "1")):
        with (
            tempfile.TemporaryDirectory(dir="/dev/shm") as below,
            bound(below, "chrt", "-f", "1", "taskset", "-c", core) as mount,
        ):
            for op in ("write", "read"):
                for size in ("1k", "16k", "64k", "128k", "512k"):
                    files = {"directory": mount, "size": "64m", "ioengine": "psync"}
                    at_core_0 = ("chrt", "-f", "1", "taskset", "-c", "0")
                    fio(out / f"{op}-{size}-{where}.json", prefix=at_core_0, rw=op, bs=size, **files)


@contextmanager
def bound(below: str, *prefix: str) -> Iterator[str]:
    """``below`` once more, through FUSE; ``prefix`` says how the daemon is run."""
    with tempfile.TemporaryDirectory() as mount:
        run(*prefix, "bindfs", "-o", "direct_io", below, mount)
        try:
            yield mount
        finally:
            run(shutil.which("fusermount3") or "fusermount", "-u", mount)


def without_fuse(out: Path) -> None:
    """What one process does alone (``nothing``), and with files in memory (``memory``)."""
    with tempfile.TemporaryDirectory(dir="/dev/shm") as memory:
        for op in ("write", "read"):
            for size in ("1k", "4k", "128k", "1024k"):
                fio(out / f"nothing-{op}-{size}.json", rw=op, bs=size, size="64m", ioengine="null")
                fio(
                    out / f"memory-{op}-{size}.json",
                    rw=op,
                    bs=size,
                    size="64m",
                    ioengine="psync",
                    directory=memory,
                )


def one_file(out: Path) -> None:
    """Random direct overwrites by 1, 2 and 4 processes: one file for all, against a file each."""
    _overwrites(out, direct=1)


def buffered(out: Path) -> None:
    """The same through the page cache."""
    _overwrites(out, direct=0)


def _overwrites(out: Path, direct: int) -> None:
    with tempfile.TemporaryDirectory(dir=Path.home()) as disk:
        for number in range(4):
            words = ("--name=fill", "--rw=write", "--bs=1m", "--size=256m", f"--filename={disk}/{number}")
            run("fio", *words, "--direct=1")
        for users in (1, 2, 4):
            for size in ("4k", "16k", "64k"):
                common = {
                    "rw": "randwrite",
                    "bs": size,
                    "numjobs": users,
                    "size": "256m",
                    "direct": direct,
                    "ioengine": "psync",
                }
                fio(out / f"shared-{size}-{users}.json", filename=f"{disk}/0", **common)
                fio(out / f"each-{size}-{users}.json", filename_format=f"{disk}/$jobnum", **common)


def commits(out: Path) -> None:
    """Pgbench -N with one row a transaction, 1 to 32 clients; and the time of one flush, by fio."""
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
                words = (*at, "-n", "-N", "-c", str(clients), "-j", threads, "-T", "6", "postgres")
                text = undisturbed(*AS_POSTGRES, str(binaries / "pgbench"), *words)
                (out / f"clients-{clients}.txt").write_text(text + "\n")
        finally:
            as_postgres(binaries / "pg_ctl", "-D", database, "-m", "immediate", "stop")


def as_postgres(*words: object) -> str:
    """Run a command as the user that PostgreSQL asks for."""
    return run(*AS_POSTGRES, *map(str, words))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
