"""Time to transfer a lock and the data that it guards from another core, measured on this machine.

writers   a child on each core ──> writes its own block of one file in memory, whose lock they all take ──> again

Writes of one file take turns at its lock, so that each takes one hold and one handover. A single writer gives the
hold: the time of a write of a block less that of an empty one.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Sequence
from contextlib import ExitStack
from statistics import median

BLOCK_BYTES = 16 * 1024
"""Size of a write: its hold of the lock is longer than a process needs between two writes."""

WINDOW_S = 2e-4
"""Window in which writes are counted; all children begin it together."""

SECONDS = 0.3

_WRITER = """
import os, sys, time
file, size, at = map(int, sys.argv[1:4])
window, until = map(float, sys.argv[4:])
data, counts, now = bytes(size), {}, 0.0
os.pwrite(file, data, at)
while (now := time.perf_counter()) < until:
    os.pwrite(file, data, at)
    begun = int(now / window)
    counts[begun] = counts.get(begun, 0) + 1
print(*(f"{begun}:{count}" for begun, count in [*counts.items()][1:-1]))
"""


def handovers_s(seconds: float = SECONDS) -> list[float]:
    """Seconds from one holder of a lock to the next, on another core, in each window.

    Empty with one core, and if other work kept every writer from beginning in time to fill a window.
    """
    cores = sorted(os.sched_getaffinity(0))
    if len(cores) == 1:
        return []
    nothing, alone = (writes_s(cores[:1], size, seconds) for size in (0, BLOCK_BYTES))
    if not (nothing and alone):
        return []
    held_s = median(alone) - median(nothing)
    return [each_s - held_s for each_s in writes_s(cores, BLOCK_BYTES, seconds)]


def writes_s(cores: Sequence[int], size: int, seconds: float) -> list[float]:
    """Time of each write of all ``cores`` together, by window, in seconds."""
    file = os.memfd_create("written")
    until = time.perf_counter() + seconds + len(cores) * 0.05
    with ExitStack() as stack:
        stack.callback(os.close, file)
        children = [
            stack.enter_context(_writer(file, size, number * BLOCK_BYTES, until)) for number in range(len(cores))
        ]
        for core, child in zip(cores, children, strict=True):
            os.sched_setaffinity(child.pid, {core})
        counts, begun = Counter[str](), Counter[str]()
        for child in children:
            for window, _, count in (each.partition(":") for each in child.communicate()[0].decode().split()):
                counts[window] += int(count)
                begun[window] += 1
    return [WINDOW_S / count for window, count in counts.items() if begun[window] == len(cores)]


def _writer(file: int, size: int, at: int, until: float) -> subprocess.Popen[bytes]:
    words = [sys.executable, "-SE", "-c", _WRITER, *map(str, (file, size, at, WINDOW_S, until))]
    return subprocess.Popen(words, stdout=subprocess.PIPE, pass_fds=(file,))  # noqa: S603
