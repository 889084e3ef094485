"""The mount that a path belongs to, from /proc/self/mountinfo (proc_pid_mountinfo(5))."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

_ESCAPED = re.compile(r"\\([0-7]{3})")


@dataclass(frozen=True)
class Mount:
    """One line of mountinfo: ``number`` is major:minor, ``options`` those of the mount and its file system."""

    number: str
    point: str
    options: tuple[str, ...]
    filesystem: str
    source: str


def of_path(mountinfo: str, path: Path) -> Mount | None:
    """The mount of the absolute ``path``: the innermost, and of several on one folder the last."""
    innermost = None
    for mount in _mounts(mountinfo):
        inside = path == Path(mount.point) or Path(mount.point) in path.parents
        if inside and (innermost is None or len(mount.point) >= len(innermost.point)):
            innermost = mount
    return innermost


def _mounts(mountinfo: str) -> Iterator[Mount]:
    """Yield every mount of the text; lines that are cut short are skipped."""
    for line in mountinfo.splitlines():
        before, _, after = line.partition(" - ")
        own, shared = before.split(" "), after.split(" ")
        if len(own) < 6 or len(shared) < 3:  # noqa: PLR2004  (fields of the manual page)
            continue
        options = dict.fromkeys([*own[5].split(","), *shared[2].split(",")])
        yield Mount(own[2], _plain(own[4]), tuple(options), shared[0], _plain(shared[1]))


def _plain(text: str) -> str:
    r"""A field without its escapes: blanks are \\040."""
    return _ESCAPED.sub(lambda match: chr(int(match[1], 8)), text)
