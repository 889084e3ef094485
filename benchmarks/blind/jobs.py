"""fio jobs of every kind that people run, drawn by a seed."""

from __future__ import annotations

import math
import random
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

BLOCKS = (4, 8, 16, 32, 64, 128, 256, 512, 1024)
PROCESSES = (1, 2, 3, 4, 6, 8)
DEPTHS = (1, 2, 4, 8, 16)
MOSTLY = 80
"""Per cent of reads beyond which a mix is told by curves through reads, and not through mixes."""

MOST_IN_FLIGHT = 32
"""Of jobs that are not far beyond the load."""


@dataclass(frozen=True)
class Job:
    """Sections of a job file, and what a curve through plain jobs goes by: op, KiB, processes, depth.

    Attributes:
        most: I/Os a second that its pace allows, which a curve is cut at.
    """

    kind: str
    sections: tuple[str, ...]
    place: tuple[str, int, int, int]
    most: float = math.inf


def drawn(seed: int, share: float = 1.0) -> list[Job]:
    """The jobs of ``seed``: this ``share`` of as many of each kind as there are by default, 63 in all."""
    draw = random.Random(seed)  # noqa: S311  (a sample that a printed seed makes again)
    return [job for kind, (count, made) in KINDS.items() for job in _some(draw, kind, made, round(share * count))]


Made = Callable[[random.Random], Iterator[str | tuple[str, int, int, int]]]


def _some(draw: random.Random, kind: str, made: Made, count: int) -> Iterator[Job]:
    for _ in range(count):
        *sections, place = made(draw)
        assert isinstance(place, tuple)  # noqa: S101
        yield Job(kind, tuple(map(str, sections)), place, place[2] * _pace(str(sections[0])))


def _pace(section: str) -> float:
    """I/Os a second of a process that paces or thinks."""
    if found := re.search(r"rate_iops=(\d+)", section):
        return float(found[1])
    found = re.search(r"thinktime=(\d+)", section)
    return 1e6 / float(found[1]) if found else math.inf


def _section(rw: str, kib: int, processes: int, depth: int, more: str = "") -> str:
    engine = "" if "ioengine" in more else f"ioengine={'libaio' if depth > 1 else 'psync'}\n"
    return f"rw={rw}\nbs={kib}k\nnumjobs={processes}\niodepth={depth}\n{engine}{more}"


def plain_job(kind: str, op: str, kib: int, processes: int, depth: int) -> Job:
    """Random I/Os of one size."""
    return Job(kind, (_section(f"rand{op}", kib, processes, depth),), (op, kib, processes, depth))


def _plain(draw: random.Random) -> Iterator[str | tuple[str, int, int, int]]:
    processes, depth = draw.choice(PROCESSES), draw.choice(DEPTHS)
    while processes * depth > MOST_IN_FLIGHT:
        processes, depth = draw.choice(PROCESSES), draw.choice(DEPTHS)
    op, kib = draw.choice(("read", "write")), draw.choice(BLOCKS)
    yield _section(f"rand{op}", kib, processes, depth)
    yield op, kib, processes, depth


def _beyond(draw: random.Random) -> Iterator[str | tuple[str, int, int, int]]:
    processes, depth = draw.choice(((16, 4), (16, 8), (32, 4), (64, 1), (8, 16), (4, 32)))
    op, kib = draw.choice(("read", "write")), draw.choice((4, 16, 64))
    yield _section(f"rand{op}", kib, processes, depth)
    yield op, kib, processes, depth


def _sequential(draw: random.Random) -> Iterator[str | tuple[str, int, int, int]]:
    op, kib, processes, depth = (
        draw.choice(each) for each in (("read", "write"), (64, 128, 256, 1024), (1, 2, 4), (1, 4, 16))
    )
    yield _section(str(op), int(kib), int(processes), int(depth))
    yield str(op), int(kib), int(processes), int(depth)


def _mixed(draw: random.Random) -> Iterator[str | tuple[str, int, int, int]]:
    kib, processes, depth, reads = (draw.choice(each) for each in ((4, 16), (1, 4, 8), (1, 4), (30, 50, 70, 90)))
    yield _section("randrw", kib, processes, depth, f"rwmixread={reads}\n")
    yield "read" if int(reads) > MOSTLY else "mixed", kib, processes, depth


def _flushed(draw: random.Random) -> Iterator[str | tuple[str, int, int, int]]:
    kib, processes = draw.choice((4, 8, 16)), draw.choice((1, 4, 16))
    yield _section("randwrite", kib, processes, 1, draw.choice(("fsync=1\n", "fdatasync=1\n", "sync=dsync\n")))
    yield "write", kib, processes, 1


def _paced(draw: random.Random) -> Iterator[str | tuple[str, int, int, int]]:
    kib, processes, op = draw.choice((4, 16)), draw.choice((1, 4)), draw.choice(("read", "write"))
    yield _section(
        f"rand{op}", kib, processes, 1, draw.choice(("rate_iops=200\n", "rate_iops=1000\n", "thinktime=500\n"))
    )
    yield op, kib, processes, 1


def _sizes_and_engines(draw: random.Random) -> Iterator[str | tuple[str, int, int, int]]:
    op, processes = draw.choice(("read", "write")), draw.choice((1, 4))
    if draw.choice((True, False)):
        yield _section(f"rand{op}", 16, processes, 1, "bssplit=4k/50:64k/50\n")
        yield op, 34, processes, 1
    else:
        depth = draw.choice((1, 8))
        yield _section(f"rand{op}", 4, processes, depth, "ioengine=io_uring\n")
        yield op, 4, processes, depth


def _buffered(draw: random.Random) -> Iterator[str | tuple[str, int, int, int]]:
    op, kib, processes = draw.choice(("read", "write")), draw.choice((4, 64)), draw.choice((1, 4))
    yield _section(f"rand{op}", kib, processes, 1, "direct=0\n")
    yield op, kib, processes, 1


def _two(draw: random.Random) -> Iterator[str | tuple[str, int, int, int]]:
    kib, writers = draw.choice((16, 64)), draw.choice((1, 2, 4))
    yield _section("randread", 4, 1, 1)
    yield _section("randwrite", kib, writers, draw.choice((1, 4)))
    yield "read", 4, 1 + writers, 1


KINDS: dict[str, tuple[int, Made]] = {
    "sizes, depths, processes": (20, _plain),
    "far beyond the load": (6, _beyond),
    "sequential": (6, _sequential),
    "mixed": (5, _mixed),
    "flushed": (8, _flushed),
    "paced, thinking": (6, _paced),
    "sizes mixed, engines": (4, _sizes_and_engines),
    "buffered": (3, _buffered),
    "two loads": (5, _two),
}
