"""A machine for tests of `stacksim measure`: what Linux tells of it, and a fio that knows its storage."""

from __future__ import annotations

import shutil
import stat
import sys
from pathlib import Path

import pytest

MOUNTS = """\
22 1 254:0 / / rw,relatime - ext4 /dev/vda rw,discard
23 22 0:23 / /dev/shm rw,nosuid - tmpfs tmpfs rw,size=1024k
24 22 7:0 / {folder}/xfs ro,relatime - xfs /dev/loop0 rw,noquota
25 22 0:40 / {folder}/with\\040blank rw - fuse.bindfs bindfs rw,user_id=0
26 22 0:41 / {folder}/nfs rw - nfs4 server:/export rw,vers=4.2
27 24 8:1 / {folder}/xfs rw - ext4 /dev/sda1 rw
cut short
"""

STACK = """\
title = "a device with one queue"

[settings]
users = { default = 1, range = [1, 1024] }
block = "4KiB"
op = { default = "read", options = ["read"] }

[parameters]
access = { value = "100us", bounds = ["10us", "1ms"], basis = "fitted", source = "a guess" }
command = { value = "10us", bounds = ["1us", "100us"], basis = "fitted", source = "a guess" }
bandwidth = { value = "1GB/s", bounds = ["0.1GB/s", "10GB/s"], basis = "fitted", source = "a guess" }

[load]
clients = "users"
block = "block"
op = "op"

[[place]]
kind = "station"
name = "device"

[[layer]]
kind = "steps"
steps = [ { delay = "access" }, { use = "device", time = "command", bandwidth = "bandwidth" } ]
"""

ACCESS_S, COMMAND_S, BANDWIDTH = 200e-6, 20e-6, 2e9
"""Machine found by the fio of the tests."""

FIO = """\
#!{python} -SE
import json, os, sys
options = dict(word[2:].partition("=")[::2] for word in sys.argv[1:])
folder, users = options.get("directory", ""), int(options["numjobs"])
with open({calls!r}, "a") as calls:
    calls.write(" ".join(sys.argv[1:]) + "\\n")
called = sum(1 for _ in open({calls!r}))
if options["rw"] == "write":
    for number in range(users):
        open(os.path.join(folder, "data.%d" % number), "w").close()
{fault}
block = int(options["bs"].replace("1m", "1048576"))
service = {command} + block / {bandwidth}
rate = 0.97 * block * min(users / ({access} + service), 1 / service)
each_ns = 1e9 * users * block / rate
times = {{"mean": each_ns, "percentile": {{"50.000000": each_ns, "99.000000": each_ns}}}}
none = {{"bw_bytes": 0}}
some = {{"bw_bytes": int(rate), "iops": rate / block, "total_ios": 1000, "clat_ns": times, "lat_ns": times}}
side = options["rw"].replace("rand", "")
job = {{"jobname": options["name"], "groupid": 0, "error": 0, "read": none, "write": none, side: some}}
job["job options"] = options
print("fio: a note\\n" + json.dumps({{"fio version": "fio-3.33", "jobs": [job]}}))
"""


def bytes_per_s(users: int, block: int) -> float:
    """Throughput of that machine, as its fio reports it."""
    service_s = COMMAND_S + block / BANDWIDTH
    return 0.97 * block * min(users / (ACCESS_S + service_s), 1.0 / service_s)


def put_fio(folder: Path, fault: str = "") -> Path:
    """Put a fio into ``folder``; where it writes its options, a line a call.

    Args:
        fault: lines of Python that go wrong; the number of the call is ``called``.
    """
    program, calls = folder / "fio", folder / "calls"
    program.write_text(
        FIO.format(
            python=sys.executable,
            calls=str(calls),
            fault=fault,
            command=COMMAND_S,
            access=ACCESS_S,
            bandwidth=BANDWIDTH,
        )
    )
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    return calls


def linux(root: Path, folder: Path) -> None:
    """Fill ``root`` with what /proc and /sys of a machine say whose mounts are on ``folder``."""
    for name, text in {
        "proc/self/mountinfo": MOUNTS.format(folder=folder),
        "proc/self/cgroup": "7:blkio:/group/inner\n0::/slice\n",
        "proc/meminfo": "MemTotal:       8000000 kB\n",
        "proc/sys/kernel/osrelease": "6.18.44-generic\n",
        "sys/devices/vda/queue/rotational": "1\n",
        "sys/devices/vda/queue/scheduler": "none [mq-deadline] kyber\n",
        "sys/devices/vda/queue/nr_requests": "256\n",
        "sys/devices/vda/queue/physical_block_size": "4096\n",
        "sys/devices/sda/queue/scheduler": "[none]\n",
        "sys/devices/sda/device/model": "Wonder 2000  \n",
        "sys/devices/sda/sda1/partition": "1\n",
        "sys/devices/loop0/queue/scheduler": "[none]\n",
        "sys/devices/loop0/loop/backing_file": "/images/x.img\n",
        "sys/devices/loop0/loop/dio": "0\n",
        "sys/fs/cgroup/blkio/group/blkio.throttle.read_iops_device": "254:0 500\n8:0 1\n",
        "sys/fs/cgroup/slice/io.max": "254:0 rbps=max wbps=1048576 riops=max wiops=max\n",
    }.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    numbers = root / "sys/dev/block"
    numbers.mkdir(parents=True)
    for number, device in {"254:0": "vda", "8:1": "sda/sda1", "7:0": "loop0"}.items():
        (numbers / number).symlink_to(root / "sys/devices" / device)


def clean(folder: Path) -> bool:
    """True if the folder ``data`` in ``folder``, which was measured, is as it was."""
    measured = folder / "data"
    names = [each.name for each in measured.iterdir()]
    return names == ["theirs"] and (measured / "theirs").read_text() == "precious"


def only(monkeypatch: pytest.MonkeyPatch, *programs: str) -> None:
    """Let this machine have no other programs than these."""
    real = shutil.which
    monkeypatch.setattr("shutil.which", lambda name: real(name) if name in programs else None)
