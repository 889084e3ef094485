"""Directories on storage of several kinds, made to be measured and taken away; all but ``ext4`` need root."""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

TMPFS_BYTES, ZRAM_BYTES = 5 << 30, 5 << 30
LIMITS = {"read_iops": 1500, "write_iops": 800, "read_bps": 60 << 20, "write_bps": 30 << 20}
"""Of the control group, on I/Os and bytes a second."""

BLKIO = Path("/sys/fs/cgroup/blkio")


def _ran(*words: str) -> None:
    subprocess.run(words, check=True, capture_output=True)  # noqa: S603


@contextmanager
def ext4() -> Iterator[Path]:
    """A directory on the disk of this machine, on whatever file system that has."""
    with tempfile.TemporaryDirectory(dir="/var/tmp", prefix="blind-") as folder:
        yield Path(folder)


@contextmanager
def _mounted(*words: str) -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="blind-") as folder:
        _ran("mount", *words, folder)
        try:
            yield Path(folder)
        finally:
            _ran("umount", folder)


def tmpfs() -> AbstractContextManager[Path]:
    """Files in memory."""
    return _mounted("-t", "tmpfs", "-o", f"size={TMPFS_BYTES}", "tmpfs")


@contextmanager
def bindfs() -> Iterator[Path]:
    """FUSE with one thread over files in memory."""
    with tmpfs() as below, tempfile.TemporaryDirectory(prefix="blind-") as folder:
        _ran("bindfs", str(below), folder)
        try:
            yield Path(folder)
        finally:
            _ran("umount", folder)


@contextmanager
def zram() -> Iterator[Path]:
    """ext4 on memory that is compressed."""
    device = Path("/sys/block/zram0")
    (device / "reset").write_text("1")
    (device / "disksize").write_text(str(ZRAM_BYTES))
    try:
        _ran("mkfs.ext4", "-q", "-F", "/dev/zram0")
        with _mounted("/dev/zram0") as folder:
            yield folder
    finally:
        (device / "reset").write_text("1")


@contextmanager
def limited() -> Iterator[Path]:
    """The disk of this machine, under limits of a control group (version 1), which this process joins."""
    with ext4() as folder:
        number = folder.stat().st_dev
        group = BLKIO / f"blind-{os.getpid()}"
        group.mkdir()
        try:
            for name, most in LIMITS.items():
                line = f"{os.major(number)}:{os.minor(number)} {most}"
                (group / f"blkio.throttle.{name}_device").write_text(line)
            (group / "cgroup.procs").write_text(str(os.getpid()))
            yield folder
        finally:
            (BLKIO / "cgroup.procs").write_text(str(os.getpid()))
            group.rmdir()


MOUNTS: dict[str, Callable[[], AbstractContextManager[Path]]] = {
    "ext4": ext4,
    "tmpfs": tmpfs,
    "bindfs": bindfs,
    "limited": limited,
    "zram": zram,
}
