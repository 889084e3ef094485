"""Limits of this process's control group on a block device: io.max, or blkio.throttle of version 1."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

_ANSWERS = ("read_bps", "write_bps", "read_iops", "write_iops")
_LIMIT = re.compile(r"\b(?P<op>r|w)(?:ead_|rite_)?(?P<what>bps|iops)[= ](?P<most>[0-9]+)\b")
"""One limit as either version writes it: ``read_bps 1048576`` or ``rbps=1048576``."""


def of_device(root: Path, number: str) -> tuple[str, ...]:
    """Limits on the device ``number`` (major:minor), as the kernel writes them; also of groups above."""
    lines = _lines(root / "proc/self/cgroup")
    return tuple(limit for line in lines for limit in _of_group(root / "sys/fs/cgroup", line, number))


def lowest(limits: Iterable[str]) -> dict[tuple[str, str], int]:
    """The lowest of ``limits`` for each of (read or write, iops or bps), in I/Os or bytes a second."""
    lowest: dict[tuple[str, str], int] = {}
    for match in (match for line in limits for match in _LIMIT.finditer(line)):
        key = "read" if match["op"] == "r" else "write", match["what"]
        lowest[key] = min(int(match["most"]), lowest.get(key, int(match["most"])))
    return lowest


def _of_group(folder: Path, line: str, number: str) -> Iterator[str]:
    """Yield limits by one line of /proc/self/cgroup, ``hierarchy:controllers:path``."""
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
