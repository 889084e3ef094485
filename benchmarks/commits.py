"""Commands of this checkout against those of another one, in turn: has the project become faster or slower?"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from resource import RUSAGE_CHILDREN, getrusage

from benchmarks.table import Row

ROUNDS = 3
"""Of each command in both checkouts, in turn, so that what else the machine does is in both; the least counts."""

ROOT = Path(__file__).parents[1]
HERE = (sys.executable, "-m", "sim.cli")
"""The command of this checkout, run in its folder."""

COMMANDS = {
    "--help": ("--help",),
    "predict dbfs --engine analytic": ("predict", "dbfs", "--engine", "analytic", "--json"),
    "predict dbfs --watch throughput": ("predict", "dbfs", "--watch", "throughput", "--json"),
    "README's sweep": (
        *("sweep", "dbfs", "users=1,8", "block=1KiB,8KiB,128KiB", "--precision", "2%"),
        *("--watch", "throughput", "--json"),
    ),
    "report dbfs-dd": ("report", "dbfs-dd", "--json"),
    "predict dbfs, 4 nodes × 7 cells × 8 users": (
        *("predict", "dbfs", "nodes=4", "cells=7", "users=8", "--watch", "throughput", "--json"),
    ),
    "predict dbfs, 8 nodes × 14 cells × 8 users": (
        *("predict", "dbfs", "nodes=8", "cells=14", "users=8", "--watch", "throughput", "--json"),
    ),
    "  with --explain": (
        *("predict", "dbfs", "nodes=8", "cells=14", "users=8", "--explain", "--watch", "throughput", "--json"),
    ),
}

NOT_ITS_OWN = ("PYTHONPATH", "PYTHONDONTWRITEBYTECODE")
"""Variables of the shell that are not handed on: with the second, every command would compile its modules anew."""

WITHOUT = {"--watch": 2, "--json": 1}
"""Options that an older command may not know, and words that go with them; it watched the throughput anyway."""


def commits(other: str) -> Iterator[Row]:
    """Processor seconds here and by the command ``other``, and how many times as fast this checkout is.

    Args:
        other: the `stacksim` of another checkout's environment, such as ``../old/.venv/bin/stacksim``.
    """
    for name, words in COMMANDS.items():
        known = _known(other, words)
        _seconds(HERE, words), _seconds([other], known)  # compiled code is stored by now
        pairs = [(_seconds(HERE, words), _seconds([other], known)) for _ in range(ROUNDS)]
        new, old = (min(each[side] for each in pairs) for side in (0, 1))
        yield Row(name, f"{new:.2f} s : {old:.2f} s", f"{old / new:.2f} ×")


def _known(command: str, words: Sequence[str]) -> list[str]:
    """The ``words`` that ``command`` knows."""
    told = _run([command], [words[0], "--help"]).stdout
    kept, left = [], list(words)
    while left:
        if left[0] in WITHOUT and left[0] not in told:
            del left[: WITHOUT[left[0]]]
        else:
            kept.append(left.pop(0))
    return kept


def _seconds(command: Sequence[str], words: Sequence[str]) -> float:
    """Processor time of one command."""
    before = getrusage(RUSAGE_CHILDREN)
    _run(command, words)
    after = getrusage(RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def _run(command: Sequence[str], words: Sequence[str]) -> subprocess.CompletedProcess[str]:
    """Run one command, with the modules of its own environment, which are compiled when it runs first."""
    own = {name: value for name, value in os.environ.items() if name not in NOT_ITS_OWN}
    done = subprocess.run([*command, *words], capture_output=True, text=True, check=False, env=own, cwd=ROOT)  # noqa: S603
    if done.returncode:
        sys.exit(f"{' '.join([*command, *words])}: {done.stderr.strip()}")
    return done
