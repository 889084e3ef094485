"""Copy rate of this machine's cores in the kernel: of one alone, and of several, which share its memory.

parent ──> a child on each core: a file in memory of its own ──> all begin ──> write and read it, piece by piece

The kernel goes page by page: copies of a program itself were twice as fast on a virtual machine. A core that waits
for memory does nothing else (``CopyingCores`` of the models): a machine-repairman model with cores as machines and
memory as the repairman. The slowdown of all against one alone gives the memory time of a byte.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from statistics import median, quantiles

from scipy.optimize import brentq

from sim.engine.analytic.closed_forms import machine_repairman

FILES_BYTES = 256 << 20
"""Size of all files together, much larger than any cache."""

SECONDS = 0.1

MOVED = 2
"""Bytes that memory moves for each one copied, as STREAM counts its copy."""

_COPIER = """
import os, sys, time
size, piece, seconds = int(sys.argv[1]), 128 * 1024, float(sys.argv[2])
buffer, file = bytearray(piece), os.memfd_create("copied")
os.posix_fallocate(file, 0, size)
os.write(1, b".")
os.read(0, 1)
until, begin, rates = time.perf_counter() + seconds, 0, []
while (began := time.perf_counter()) < until:
    os.pwritev(file, [buffer], begin)
    os.preadv(file, [buffer], (begin + size // 2) % size)
    rates.append(2 * piece / (time.perf_counter() - began))
    begin = (begin + piece) % size
print(*rates)
"""


def measured_copies(seconds: float = SECONDS) -> dict[int, list[float]]:
    """Rates in bytes/s of single copies by one core, by the number of cores at work: 1, 2, 4 … and all."""
    cores = sorted(os.sched_getaffinity(0))
    counts = sorted({*(1 << power for power in range(len(cores).bit_length())), len(cores)})
    return {count: list(_at_once(cores[:count], seconds)) for count in counts}


def memory_bytes_per_s(copies: dict[int, list[float]]) -> float | None:
    """Bytes a second that memory moves for all cores; None if each copies about as fast as one alone.

    Args:
        copies: result of `measured_copies`.
    """
    cores = max(copies)
    slower, *_ = quantiles(copies[1], n=4)
    if cores == 1 or median(copies[cores]) >= slower:
        return None
    alone_s, rate = 1.0 / median(copies[1]), cores * median(copies[cores])

    def missed(share: float) -> float:
        return machine_repairman(cores, (1.0 - share) * alone_s, share * alone_s).throughput - rate

    least, most = 0.001, 0.999
    return MOVED / alone_s / (brentq(missed, least, most) if missed(most) < 0.0 else most)


def _at_once(cores: list[int], seconds: float) -> Iterator[float]:
    size = FILES_BYTES // len(cores) // 4096 * 4096
    words = [sys.executable, "-SE", "-c", _COPIER, str(max(size, 1 << 20)), str(seconds)]
    with ExitStack() as stack:
        children = [
            stack.enter_context(subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE))  # noqa: S603
            for _ in cores
        ]
        for core, child in zip(cores, children, strict=True):
            os.sched_setaffinity(child.pid, {core})
        for child in children:
            assert child.stdout  # noqa: S101  (both are pipes)
            child.stdout.read(1)
        for child in children:
            assert child.stdin  # noqa: S101
            child.stdin.write(b".")
            child.stdin.flush()
        for child in children:
            yield from map(float, child.communicate()[0].split())
