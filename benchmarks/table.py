"""The table: what was measured, and on which machine."""

from __future__ import annotations

import os
import platform
import re
import shutil
import subprocess
from collections.abc import Iterable
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

PACKAGES = ("numpy", "numba", "simpy", "salabim", "ciw", "libcachesim")


@dataclass(frozen=True)
class Row:
    """One line of the table.

    Attributes:
        ratio: what the target speaks of, as a person reads it.
        target: likewise; empty if nothing is asked for.
        met: whether the target is reached; None without one.
    """

    what: str
    found: str
    ratio: str = ""
    target: str = ""
    met: bool | None = None


def missing(package: str) -> Row:
    """The line for a package that is not there to be compared with."""
    return Row(package, "not installed", "pip install -r benchmarks/requirements.txt")


def at_least(what: str, found: str, ratio: float, least: float) -> Row:
    """A line whose ``ratio`` should be ``least`` or more."""
    return Row(what, found, f"{ratio:.3g} ×", f"≥ {least:g} ×", ratio >= least)


def at_most(what: str, seconds: float, most: float) -> Row:
    """A line whose ``seconds`` should be ``most`` or fewer."""
    return Row(what, f"{seconds:.2f} s", "", f"≤ {most:g} s", seconds <= most)


def per_second(rate: float) -> str:
    """A rate as people read it."""
    return f"{rate / 1e6:.1f} M/s" if rate >= 1e6 else f"{rate / 1e3:.1f} k/s"  # noqa: PLR2004  (a million)


def machine() -> str:
    """Processor, cores and versions."""
    python = f"Python {platform.python_version()}"
    versions = " · ".join([python, *(f"{name} {_version(name)}" for name in PACKAGES), f"g++ {_compiler()}"])
    return f"{_processor()}, {os.cpu_count()} cores, {platform.system()}\n{versions}\n"


def _compiler() -> str:
    path = shutil.which("g++")
    if path is None:
        return "–"
    return subprocess.run([path, "-dumpfullversion"], check=True, capture_output=True, text=True).stdout.strip()  # noqa: S603


def _processor() -> str:
    facts = Path("/proc/cpuinfo")
    text = facts.read_text(encoding="utf-8") if facts.exists() else ""
    named = re.search(r"^model name\s*: (.+)$", text, re.MULTILINE)
    return named[1] if named else platform.processor() or platform.machine()


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "–"


def section(title: str, rows: Iterable[Row]) -> str:
    """One part of the table, in fixed columns."""
    verdict = {True: "met", False: "MISSED", None: ""}
    lines = [
        f"{row.what:<46}{row.found:>19}{row.ratio:>12}{row.target:>9}  {verdict[row.met]}".rstrip() for row in rows
    ]
    return "\n".join([f"\n{title}", *lines, ""])
