"""The daemon that serves a FUSE mount, found in /proc by its open connection."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from pathlib import Path

from stacksim.measuring.mounts import Mount

_CONNECTION = "fuse_connection:"


def threads(root: Path, mount: Mount) -> int:
    """Number of threads of the daemon of ``mount``; 0 if unknown: before Linux 6.10, or of another user.

    A daemon that creates threads on demand has a few at rest. A mount and its connection have the same minor
    number (fs/fuse/dev.c, fuse_dev_show_fdinfo).
    """
    minor = mount.number.partition(":")[2]
    counts = (_count(process / "task") for process in _processes(root) if minor in _connections(process))
    return max(counts, default=0)


def keeps_attributes(path: Path) -> bool:
    """Return True if the daemon knows extended attributes, whether ``path`` has ``security.capability`` or not."""
    try:
        os.getxattr(path, "security.capability")
    except OSError as error:
        return error.errno == errno.ENODATA
    return True


def _processes(root: Path) -> Iterator[Path]:
    """The folders of all processes."""
    return (each for each in (root / "proc").glob("[0-9]*") if each.is_dir())


def _connections(process: Path) -> Iterator[str]:
    """The numbers of the connections that ``process`` has open."""
    try:
        for each in (process / "fd").iterdir():
            if str(each.readlink()) == "/dev/fuse":
                text = (process / "fdinfo" / each.name).read_text(encoding="utf-8", errors="replace")
                yield from (line.split()[1] for line in text.splitlines() if line.startswith(_CONNECTION))
    except (OSError, IndexError):
        return  # it has ended, or belongs to another user


def _count(folder: Path) -> int:
    try:
        return len(list(folder.iterdir()))
    except OSError:
        return 0
