"""Owner of a piece of work: a process, identified by more than its number, which is reused after its end."""

from __future__ import annotations

import os
import platform
from functools import cache
from itertools import count
from pathlib import Path

_PROC = Path("/proc")
_BOOT = _PROC / "sys" / "kernel" / "random" / "boot_id"
_BEGAN = 19
"""Index of the start time among the fields after the name in ``/proc/PID/stat``: number 22 of proc(5)."""


_numbers = count()


def new_owner() -> str:
    """A name for a piece of work of this process, unique among all processes."""
    return f"{_machine()} {os.getpid()} {_began(os.getpid())} {next(_numbers)}"


def is_alive(owner: str) -> bool:
    """True if ``owner`` is certainly at work: a process of this machine that has not ended."""
    machine, number, began, _ = owner.rsplit(" ", 3)
    return machine == _machine() and _began(int(number)) == began != ""


@cache
def _machine() -> str:
    """Identity of this boot of this machine and of its process namespace: containers have their own numbers."""
    try:
        return f"{_BOOT.read_text(encoding='ascii').strip()} {os.readlink('/proc/self/ns/pid')}"  # noqa: PTH115
    except OSError:  # not Linux
        return platform.node()


def _began(number: int) -> str:
    """Start time of a process, as far as it can be read; empty if there is none."""
    if _PROC.is_dir():
        try:
            stat_fields = (_PROC / str(number) / "stat").read_bytes().rpartition(b")")[2].decode("ascii").split()
        except OSError:
            return ""
        return "" if stat_fields[0] in "ZX" else stat_fields[_BEGAN]
    return "at work" if _is_there(number) else ""


def _is_there(number: int) -> bool:
    if os.name == "nt":  # os.kill could end the process there; without claims, a point may be run twice
        return False
    try:
        os.kill(number, 0)
    except OSError as error:
        return isinstance(error, PermissionError)
    return True
