"""Cache lines that several processors write: their transfer from the one that changed them last.

I/O ──> inode, queue, counters: each line is here, or with another processor

With n processes that take turns at random, the last to change a line was another one with probability (n - 1) / n;
then it is fetched from there (the M and S states of any coherent cache). One process never pays; two pay half of
the time; many pay always. In a virtual machine, sharing by its host among virtual processors adds to it.
"""

from __future__ import annotations

import math


def shared_lines(foreign_s: float, processes: int, sharers: float = math.inf) -> float:
    """Mean seconds that an I/O waits for cache lines that other processes changed last.

    Args:
        foreign_s: the wait if other processes changed all lines.
        sharers: largest number of processes on the same lines: those of one cache, or of one queue.
    """
    together = min(processes, sharers)
    return foreign_s * (together - 1) / together
