"""Limits that the control group of this process has on a block device: io.max, or blkio.throttle of version 1."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

_ANSWERS = ("read_bps", "write_bps", "read_iops", "write_iops")


def of_device(root: Path, number: str) -> tuple[str, ...]:
    """The limits on the device ``number`` (major:minor), as the kernel writes them; those of groups above, too."""
    lines = _lines(root / "proc/self/cgroup")
    return tuple(limit for line in lines for limit in _of_group(root / "sys/fs/cgroup", line, number))


def _of_group(folder: Path, line: str, number: str) -> Iterator[str]:
    """Limits by one line of /proc/self/cgroup, ``hierarchy:controllers:path``."""
    _, controllers, path = (*line.split(":", 2), "", "")[:3]
    groups = [Path(path), *Path(path).parents]
    for group in groups:
        inner = str(group).lstrip("/")
        if not controllers:
            for limit in _lines(folder / inner / "io.max"):
                device, _, most = limit.partition(" ")
                if device == number:
                    yield most
        elif "blkio" in controllers.split(","):
            for answer in _ANSWERS:
                for limit in _lines(folder / "blkio" / inner / f"blkio.throttle.{answer}_device"):
                    device, _, most = limit.partition(" ")
                    if device == number:
                        yield f"{answer} {most}"


def _lines(path: Path) -> list[str]:
    try:
        return path.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return []
