"""Other work on this machine: of other processes, and of other guests of its host.

Other processes are observed just before and just after the jobs: during jobs, the kernel's threads and the daemon
of a file system work for them. Stolen time is counted from beginning to end.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

OTHERS, STOLEN = 0.1, 0.01
"""Reported shares of processor time: taken by other processes, kept by the hypervisor."""

LOOKS_SECONDS = 1.0
"""Seconds of each observation of other processes."""

_BUSY = (0, 1, 2, 5, 6)
"""Fields of the line cpu of /proc/stat (proc(5)): user, nice, system, irq, softirq."""

_FIELDS, _STEAL = 8, 7


@dataclass(frozen=True)
class Times:
    """Seconds of processor time since boot, summed over processors: passed, busy, and stolen."""

    passed: float
    busy: float
    stolen: float

    def __sub__(self, other: Times) -> Times:
        """Difference to the earlier ``other``."""
        return Times(self.passed - other.passed, self.busy - other.busy, self.stolen - other.stolen)


class Watch:
    """Observes the machine when it is made, and again when notes are requested."""

    def __init__(self, root: Path = Path("/")) -> None:
        self._root = root
        self._begun = _times(root)
        self._before = self._others()

    def notes(self) -> list[str]:
        """Notes for readers of the figures, a line each."""
        others = (self._before + self._others()) / 2.0
        gone = _times(self._root) - self._begun
        return list(_notes(others, gone.stolen / gone.passed if gone.passed > 0.0 else 0.0))

    def _others(self) -> float:
        """Share of the processors that is busy while this process idles."""
        before = _times(self._root)
        time.sleep(LOOKS_SECONDS)
        gone = _times(self._root) - before
        return gone.busy / gone.passed if gone.passed > 0.0 else 0.0


def _notes(others: float, stolen: float) -> Iterator[str]:
    if others > OTHERS:
        yield (
            f"other processes keep {others:.0%} of all cores busy: figures are too low, those of few processes "
            "more so than those of many; measure on a quiet machine"
        )
    if stolen > STOLEN:
        yield f"the hypervisor gave {stolen:.0%} of all cores to other guests while it was measured"


def _times(root: Path) -> Times:
    """Present times; all 0 if the kernel does not report them."""
    try:
        line = (root / "proc/stat").read_text(encoding="ascii").splitlines()[0]
        fields = [int(each) / os.sysconf("SC_CLK_TCK") for each in line.split()[1 : _FIELDS + 1]]
    except (OSError, ValueError, IndexError):
        return Times(0.0, 0.0, 0.0)
    if len(fields) < _FIELDS:
        return Times(0.0, 0.0, 0.0)
    return Times(sum(fields), sum(fields[number] for number in _BUSY), fields[_STEAL])
