"""Measure pgbench over checkpoints of PostgreSQL on this machine, second by second.

Needs PostgreSQL 15, a running server with the database of ``pgbench -i -s 20 -F 90``, and a superuser by socket:

    python -m benchmarks.own_checkpoints DATA_DIRECTORY USER fitted|predicted OUTPUT_DIRECTORY [RUN …]

All writes pass a control group of Linux, ``/sys/fs/cgroup/blkio/pgck``, whose limit in bytes a second
(``blkio.throttle.write_bps_device``) stands for that of a cloud volume; 4 MiB/s for these runs. ``min_wal_size``
is 4 GB, and as much log was written before, so that its files are reused. Runs, and which of them may be fitted,
stand in ``calibration-data/own/vm-2-cores-epyc/checkpoints/runs.csv``, which was committed before the first
measurement. Each run begins just after a checkpoint. ``seconds.csv`` gets a row a second, ``checkpoints.csv`` one
for each checkpoint that the server's log reports.
"""

from __future__ import annotations

import csv
import ctypes
import os
import re
import struct
import subprocess
import sys
import time
from pathlib import Path

from benchmarks.own_rounds import RESULTS

FOLDER = RESULTS / "vm-2-cores-epyc" / "checkpoints"

GROUP = Path("/sys/fs/cgroup/blkio/pgck/cgroup.procs")

SAMPLE = (
    "SELECT extract(epoch FROM clock_timestamp()), pg_current_wal_insert_lsn() - '0/0', wal_fpi, "
    "checkpoints_timed, checkpoints_req, buffers_checkpoint, buffers_backend "
    "FROM pg_stat_wal, pg_stat_bgwriter \\watch 1\n"
)
SAMPLED = ("wal_bytes", "fpi", "timed", "requested", "by_checkpoint", "by_backends")
TOLD = re.compile(
    r"^(\S+ \S+) .*checkpoint complete: wrote (\d+) buffers.*write=([\d.]+) s, sync=([\d.]+) s, "
    r"total=([\d.]+) s;.*distance=(\d+) kB"
)
BINARIES = Path("/usr/lib/postgresql/15/bin")
PSQL, PGBENCH = "/usr/bin/psql", "/usr/bin/pgbench"


SLICE_NS = 100_000
"""Slices of all processes measured: those that wake up need not wait for a long slice of other work to end."""


def in_short_slices() -> None:
    """Ask for short slices at normal priority (sched_setattr), also for children."""
    attributes = struct.pack("<IIQiIQQQ", 48, 0, 0, 0, 0, SLICE_NS, 0, 0)
    if ctypes.CDLL(None, use_errno=True).syscall(314, 0, attributes, 0):
        raise OSError(ctypes.get_errno(), "sched_setattr")


def run(*words: str) -> str:
    """Output of a command, of both streams."""
    given = subprocess.run(words, check=True, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)  # noqa: S603  (our own words)
    return given.stdout


def server(data: Path, user: str, *words: str) -> None:
    """Run pg_ctl as ``user``."""
    command = f"{BINARIES}/pg_ctl -D {data} -l {data}/log -w {' '.join(words)}"
    subprocess.run(["/bin/su", "-s", "/bin/sh", user, "-c", command], check=True, stdout=subprocess.DEVNULL)  # noqa: S603  (our own words)


def psql(where: list[str], *commands: str) -> str:
    """Output of SQL commands."""
    each = [word for command in commands for word in ("-c", command)]
    return run(PSQL, *where, "-qAtX", *each, "postgres")


def used_s(data: Path) -> float:
    """Processor time of the server so far, with that of children that ended."""
    parent = (data / "postmaster.pid").read_text().split()[0]
    total = 0.0
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rsplit(")", 1)[1].split()
        except OSError:
            continue
        if fields[1] == parent or stat.parent.name == parent:
            total += sum(map(int, fields[11:15] if stat.parent.name == parent else fields[11:13]))
    return total / os.sysconf("SC_CLK_TCK")


def measure(
    row: dict[str, str], data: Path, user: str
) -> tuple[list[list[object]], list[list[object]], list[object]]:
    """The seconds, the checkpoints and the sums of one run."""
    where = ["-h", str(data.parent), "-U", user]
    psql(
        where,
        f"ALTER SYSTEM SET shared_buffers = '{row['shared_buffers']}'",
        f"ALTER SYSTEM SET max_wal_size = '{row['max_wal_size']}'",
        f"ALTER SYSTEM SET checkpoint_timeout = '{row['timeout']}'",
    )
    server(data, user, "restart")
    psql(
        where,
        "CREATE EXTENSION IF NOT EXISTS pg_prewarm",
        "SELECT pg_prewarm(oid) FROM pg_class WHERE relname IN ('pgbench_accounts', 'pgbench_accounts_pkey')",
    )
    psql(where, "CHECKPOINT")
    os.sync()
    time.sleep(3)
    psql(where, "CHECKPOINT")
    log = (data / "log").stat().st_size
    before, load, began = used_s(data), os.getloadavg()[0], time.time()
    with subprocess.Popen(  # noqa: S603  (our own words)
        [PSQL, *where, "-qAtX", "-F", ",", "postgres"], text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as sampler:
        sampler.stdin.write(SAMPLE)
        sampler.stdin.flush()
        words = f"-n -M prepared -c {row['clients']} -j {row['clients']} -T {row['seconds']} -P 1"
        told = run(PGBENCH, *where, *words.split(), "--progress-timestamp", "-b", "tpcb-like", "postgres")
        sampler.terminate()
        samples = [list(map(float, line.split(","))) for line in sampler.stdout if line.count(",") == len(SAMPLED)]
    progress = re.findall(r"progress: ([\d.]+) s, ([\d.]+) tps, lat ([\d.]+) ms", told)
    seconds: list[list[object]] = []
    for at, tps, latency in progress:
        late = min(samples, key=lambda sample: abs(sample[0] - float(at)))
        sums = [round(now - start) for now, start in zip(late[1:], samples[0][1:], strict=True)]
        seconds.append([row["run"], round(float(at) - began, 2), tps, latency, *sums])
    text = (data / "log").read_bytes()[log:].decode()
    checkpoints: list[list[object]] = []
    for found in filter(None, map(TOLD.match, text.splitlines())):
        day = time.mktime(time.strptime(found[1][:19], "%Y-%m-%d %H:%M:%S")) + float(found[1][19:])
        checkpoints.append([row["run"], round(day - began, 2), *found.groups()[1:]])
    transactions = int(re.search(r"processed: (\d+)", told)[1])
    cpu_us = (used_s(data) - before) / transactions * 1e6
    sums = [row["run"], transactions, round(cpu_us, 1), load, os.getloadavg()[0]]
    return seconds, checkpoints, sums


def append(path: Path, names: list[str], rows: list[list[object]]) -> None:
    """Append ``rows`` to a table, which begins with ``names``."""
    new = not path.exists()
    with path.open("a", newline="") as file:
        out = csv.writer(file)
        out.writerows([names, *rows] if new else rows)


def main() -> None:
    """Measure all runs of a half, or some."""
    data, user, half, output, *only = sys.argv[1:]
    in_short_slices()
    GROUP.write_text(str(os.getpid()))
    with (FOLDER / "runs.csv").open() as file:
        rows = [row for row in csv.DictReader(file) if row["half"] == half and (not only or row["run"] in only)]
    for row in rows:
        seconds, checkpoints, sums = measure(row, Path(data), user)
        names = ["run", "time_s", "tps", "latency_ms", *SAMPLED]
        append(Path(output) / "seconds.csv", names, seconds)
        names = ["run", "end_s", "buffers", "write_s", "sync_s", "total_s", "distance_kb"]
        append(Path(output) / "checkpoints.csv", names, checkpoints)
        names = ["run", "transactions", "server_cpu_us", "load_before", "load_after"]
        append(Path(output) / "sums.csv", names, [sums])


if __name__ == "__main__":
    main()
