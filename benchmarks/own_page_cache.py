"""Measure the page cache over time on this machine: dirty limits, offered rates, fsync, and reads from cold.

    python -m benchmarks.own_page_cache FOLDER PHASE [RUN]…

As root, with fio, on ext4 over a loop device whose rate the block layer holds (blkio.throttle of a control group
of version 1), so that storage is slow, constant and known. Each run makes a row of ``runs.csv`` and its series,
every quarter of a second, in ``series.csv``. fio writes in no real-time class, which gets more memory.
"""

from __future__ import annotations

import csv
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from benchmarks.own_machine import run

MIB = 1 << 20

SEED = 41
"""Seed of fio's addresses."""

PART_S = 0.25
"""Seconds of a part of a series."""

SAMPLE_S = 0.02
"""Seconds between looks at the counters of fio."""

IMAGES = {"/var/tmp": 16 * 1024, "/dev/shm": 1024}  # noqa: S108  (gone afterwards)
"""MiB of the image below the device: on the machine's disk, and for reads, whose times count, in memory."""

THROTTLE = Path("/sys/fs/cgroup/blkio")
MEMORY = Path("/sys/fs/cgroup/memory")
VM = Path("/proc/sys/vm")


@dataclass(frozen=True)
class Run:
    """One run.

    Attributes:
        phase: device (storage alone, by direct I/O), fitted or unseen.
        op: write, randwrite, randread, or direct.
        block: KiB.
        offered: MiB/s of each job; 0: as fast as it goes.
        limit: MiB of dirty pages; the background threshold is half of it.
        storage: MiB/s of the device; iops: its I/Os a second, 0: no limit.
        size: MiB of a file; memory: MiB of page cache, 0: of the machine; zipf: exponent, 0: uniform.
        fsync: writes before each fsync; 0: none.
        seconds: of the run.
    """

    name: str
    phase: str
    op: str
    block: int
    jobs: int
    offered: int
    limit: int
    storage: int
    iops: int
    size: int
    memory: int
    zipf: float
    fsync: int
    seconds: int


def _written(name: str, phase: str, limit: int, jobs: int, offered: int, storage: int, seconds: int) -> Run:
    return Run(name, phase, "write", 64, jobs, offered, limit, storage, 0, 12 * 1024 // jobs, 0, 0.0, 0, seconds)


def _random(name: str, phase: str, limit: int, size: int, seconds: int) -> Run:
    return Run(name, phase, "randwrite", 4, 1, 40, limit, 0, 2000, size, 0, 0.0, 0, seconds)


def _synced(name: str, phase: str, fsync: int, storage: int) -> Run:
    return Run(name, phase, "write", 64, 1, 400, 1024, storage, 0, 8 * 1024, 0, 0.0, fsync, 25)


def _read(name: str, phase: str, size: int, memory: int, zipf: float) -> Run:
    return Run(name, phase, "randread", 4, 1, 40, 1024, 0, 2000, size, memory, zipf, 0, 40)


def _settled(name: str, phase: str, limit: int, seconds: int = 25) -> Run:
    return Run(name, phase, "write", 64, 1, 0, limit, 50, 0, 12 * 1024, 0, 0.0, 0, seconds)


RUNS = (
    Run("device", "device", "direct", 1024, 1, 0, 1024, 50, 0, 4 * 1024, 0, 0.0, 0, 15),
    _settled("settle-4g", "fitted", 4096),
    _written("write-4g-2", "fitted", 4096, 2, 200, 50, 35),
    _settled("settle-1g", "fitted", 1024, 35),
    _written("write-1g-1", "fitted", 1024, 1, 200, 50, 30),
    _synced("fsync-128m", "fitted", 2048, 50),
    _read("read-256m", "fitted", 256, 0, 0.0),
    _read("read-zipf", "fitted", 512, 0, 1.1),
    _settled("settle-256m", "fitted", 256),
    _written("write-256m-2", "fitted", 256, 2, 200, 50, 20),
    _random("random-256m", "fitted", 256, 1024, 40),
    _settled("settle-4g-again", "unseen", 4096),
    _written("write-4g-1", "unseen", 4096, 1, 200, 50, 45),
    _settled("settle-1g-again", "unseen", 1024, 35),
    _written("write-1g-2", "unseen", 1024, 2, 200, 50, 30),
    _written("write-1g-1-fast", "unseen", 1024, 1, 200, 100, 30),
    _synced("fsync-32m", "unseen", 512, 50),
    _read("read-512m-128m", "unseen", 512, 128, 0.0),
    _read("read-zipf-128m", "unseen", 512, 128, 1.1),
    _settled("settle-512m", "unseen", 512),
    _random("random-512m", "unseen", 512, 1024, 50),
    _settled("settle-256m-again", "unseen", 256),
    _written("write-256m-1", "unseen", 256, 1, 200, 50, 20),
)
"""All runs in their order, half of them fitted; the other half was predicted before it was measured.

The kernel lets the limit by which it paces (dirty_limit of global_wb_domain) follow a lower setting by a 32nd each
200 ms in which writers wait, and begins with a guess of a device's rate: so limits fall from run to run on one
device, and each lower one is written at for some time before.
"""


@contextmanager
def device(at: str) -> Iterator[tuple[Path, str]]:
    """A mount point of ext4 on a loop device with its image ``at`` a folder, and the number of the device."""
    with tempfile.TemporaryDirectory(dir=at) as folder:
        image, mount = Path(folder, "image"), Path(folder, "mount")
        mount.mkdir()
        run("fallocate", "-l", f"{IMAGES[at]}MiB", str(image))
        loop = run("losetup", "--find", "--show", "--direct-io=on", str(image)).strip()
        try:
            run("mkfs.ext4", "-q", "-F", "-E", "lazy_itable_init=0,lazy_journal_init=0", loop)
            run("mount", loop, str(mount))
            try:
                yield mount, Path("/sys/block", Path(loop).name, "dev").read_text().strip()
            finally:
                run("umount", str(mount))
        finally:
            run("losetup", "-d", loop)


@contextmanager
def limits(each: Run, number: str) -> Iterator[None]:
    """Dirty limits of the machine, and rates of the device ``number``."""
    rates = {"bps": each.storage * MIB, "iops": each.iops}
    files = {f"{way}_{what}": rate for way in ("write", "read") for what, rate in rates.items()}
    try:
        (VM / "dirty_bytes").write_text(str(each.limit * MIB))
        (VM / "dirty_background_bytes").write_text(str(each.limit * MIB // 2))
        for name, rate in files.items():
            (THROTTLE / f"blkio.throttle.{name}_device").write_text(f"{number} {rate}")
        yield
    finally:
        (VM / "dirty_ratio").write_text("20")
        (VM / "dirty_background_ratio").write_text("10")
        for name in files:
            (THROTTLE / f"blkio.throttle.{name}_device").write_text(f"{number} 0")


def command(each: Run, mount: Path) -> list[str]:
    """The command of fio."""
    op = "write" if each.op == "direct" else each.op
    words: dict[str, object] = {"name": "job", "directory": mount, "rw": op, "bs": f"{each.block}k"}
    words |= {"numjobs": each.jobs, "size": f"{each.size}m", "runtime": each.seconds, "time_based": 1}
    words |= {"ioengine": "psync", "randseed": SEED, "fallocate": "none", "thread": 1}
    words |= {"invalidate": 0, "norandommap": 1}
    if each.op == "direct":
        words["direct"] = 1
    if each.offered:
        words["rate"] = f"{each.offered}m"
    if each.fsync:
        words["fsync"] = each.fsync
    if each.zipf:
        words["random_distribution"] = f"zipf:{each.zipf}"
    first = ["chrt", "-r", "1"] if each.op == "randread" else ["nice", "-n", "-10"]
    return [*first, "fio", *(f"--{name}={value}" for name, value in words.items())]


def measured(each: Run, mount: Path, number: str) -> list[float]:
    """MiB/s of all jobs in each part of ``PART_S``."""
    for file in mount.glob("job*"):
        file.unlink()
    if each.op in ("randread", "randwrite"):
        size = f"--size={each.size}m"
        run("fio", "--name=job", f"--directory={mount}", "--rw=write", "--bs=1m", size, "--end_fsync=1")
    run("sync")  # dirty pages of others count as well
    for file in mount.glob("job*"):  # cold
        with file.open("rb") as opened:
            os.posix_fadvise(opened.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
    group = MEMORY / "page-cache"
    words = command(each, mount)
    with limits(each, number):
        if each.memory:
            group.mkdir(exist_ok=True)
            (group / "memory.limit_in_bytes").write_text(str(each.memory * MIB))
            words = ["sh", "-c", f'echo $$ > {group}/cgroup.procs; exec "$@"', "sh", *words]
        fio = subprocess.Popen(words, stdout=subprocess.DEVNULL)  # noqa: S603  (our own words)
        name = "rchar" if each.op == "randread" else "wchar"
        times, done = _sampled(fio, name)
        if fio.returncode:
            raise SystemExit(f"{each.name}: fio failed")
        for file in mount.glob("job*"):  # or its dirty pages would be written fast, and the kernel note that
            file.unlink()
    began = next(n for n, count in enumerate(done) if count > done[0] + MIB) - 1
    edges = times[began] + PART_S * np.arange(round(each.seconds / PART_S) + 1)
    return list(np.diff(np.interp(edges, times, done)) / MIB / PART_S)


def _sampled(fio: subprocess.Popen[bytes], name: str) -> tuple[list[float], list[int]]:
    """Times, and bytes that all calls of a process moved until then, while it runs."""
    times, done, io = [], [], Path(f"/proc/{fio.pid}/io")
    while fio.poll() is None:
        with suppress(OSError):
            counts = dict(line.split(": ") for line in io.read_text().splitlines())
            if counts:
                times.append(time.monotonic())
                done.append(int(counts[name]))
        time.sleep(SAMPLE_S)
    return times, done


def main(folder: Path, phase: str, *names: str) -> None:
    """Measure the runs of ``phase``, or those of them with these ``names``."""
    runs = [each for each in RUNS if each.phase == phase]
    disk, memory = IMAGES
    with device(disk) as of_disk, device(memory) as of_memory:
        for each in (each for each in runs if each.name in names or not names):
            mount, number = of_memory if each.op == "randread" else of_disk
            load = Path("/proc/loadavg").read_text().split()[0]
            parts = measured(each, mount, number)
            _append(folder / "runs.csv", [{**asdict(each), "load": load}])
            rows: list[dict[str, object]] = [
                {"run": each.name, "s": f"{n * PART_S:g}", "mib_per_s": f"{rate:.4g}"}
                for n, rate in enumerate(parts)
            ]
            _append(folder / "series.csv", rows)
            time.sleep(2.0)


def _append(table: Path, rows: list[dict[str, object]]) -> None:
    begun = table.exists()
    with table.open("a", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
        if not begun:
            writer.writeheader()
        writer.writerows(rows)


if __name__ == "__main__":
    main(Path(sys.argv[1]), *sys.argv[2:])
