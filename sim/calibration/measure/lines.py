"""What it takes until a lock, and what it guards, come from the core of another: measured on this machine.

writers   a child on each core ──> writes its own block of one file in memory, whose lock they all take ──> again

Writes of one file take turns at its lock, so that together they are as fast as one hold of it and one handover
allow. How long it is held, one writer alone says: a write of a block, less one of nothing.
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
"""Of a write: the lock is held for longer than a process needs until it comes back for it."""

WINDOW_S = 2e-4
"""In which writes are counted; all children begin them at once."""

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

    None with one core, and none where others keep it so busy that no writer began in time to fill a window.
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
    """Seconds for each write of all ``cores`` together, window by window."""
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
