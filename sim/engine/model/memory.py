"""Check that an allocation fits into memory, as the system may otherwise kill the process."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from sim.engine.errors import ModelError

FREE_OF_CHARGE = 1 << 26
"""Bytes that are allocated without a check, which would cost more."""

_GROUPS = Path("/sys/fs/cgroup")
_GROUP_FILES = {"": ("memory.max", "memory.current"), "memory": ("memory.limit_in_bytes", "memory.usage_in_bytes")}
"""Files of control groups, version 2 and 1: the limit, and the use."""

_LIMITS = ("RLIMIT_AS", "RLIMIT_DATA")


def check(what: str, wanted_bytes: float, fix: str) -> None:
    """Refuse ``what`` if it would take more memory than is available.

    Raises:
        ModelError: with both figures, and how to ``fix`` it.
    """
    if wanted_bytes > FREE_OF_CHARGE and wanted_bytes > (available := available_bytes()):
        raise ModelError(
            f"{what} would take {_text(wanted_bytes)} of memory, and {_text(available)} are there; {fix}"
        )


def available_bytes() -> float:
    """Bytes available by the machine, the limits of this process and its control groups."""
    return max(0.0, min([_of_machine(), *_of_process(), *_of_groups()]))


def _text(size_bytes: float) -> str:
    return f"{size_bytes / 2**30:,.1f} GiB"


def _of_machine() -> float:
    for line in _read(Path("/proc/meminfo")).splitlines():
        if line.startswith("MemAvailable:"):  # free memory, and memory that the page cache would release
            return float(line.split()[1]) * 1024
    try:
        return float(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))
    except (AttributeError, OSError, ValueError):  # not everywhere
        return float("inf")


def _of_process() -> Iterator[float]:
    try:
        import resource  # lazily: not on every system
    except ImportError:
        return
    pages = _read(Path("/proc/self/statm")).split()
    used = float(pages[0]) * resource.getpagesize() if pages else 0.0
    for name in _LIMITS:
        limit, _ = resource.getrlimit(getattr(resource, name))
        if limit != resource.RLIM_INFINITY:
            yield limit - used


def _of_groups() -> Iterator[float]:
    for line in _read(Path("/proc/self/cgroup")).splitlines():
        _, controllers, path = line.split(":", 2)
        if controllers in _GROUP_FILES:
            allowed, used = _GROUP_FILES[controllers]
            root = _GROUPS / controllers
            group = root / path.strip("/")
            for folder in (group, *group.parents):
                if (limit := _read(folder / allowed).strip()).isdigit():
                    yield float(limit) - float(_read(folder / used) or 0.0)
                if folder == root:
                    break


def _read(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8")
    except OSError:
        return ""
