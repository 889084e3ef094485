"""Recorded I/Os of one device: their rates and times, and the load that a workload can replay.

    time,op,offset,bytes      seconds from the first I/O, read or write, and bytes
    0.000000000,read,8192,8192

An I/O is *sequential* if it begins where the one of its op before it ended.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from sim.data.importers.told import Told
from sim.engine.errors import InputError, shown

HEADING = "time,op,offset,bytes"
OPS = ("read", "write")
UNKNOWN = -1
"""The latency of an I/O whose end was not recorded."""

LONGEST_NS = 10**18
"""Longest time from the first I/O to the last: 31 years."""

LONGEST_RESPONSE_NS = 3600 * 10**9
"""Longest time of one I/O: an hour, after which any host has given it up."""

_LATE = 100
"""Number of recorded I/Os after which none may be older than the first."""

_PERCENTILES = {"p50": 50.0, "p95": 95.0, "p99": 99.0}
_NS = 1e9

Integers = NDArray[np.int64]


@dataclass
class Recorded:
    """The I/Os of one device, 40 bytes of memory each, in any order.

    Attributes:
        device: its name in the file.
        line: line of its first I/O.
        origin_ns: origin of its times.
        tick_ns: resolution of its times.
    """

    device: str
    line: int
    origin_ns: int = 0
    tick_ns: int = 1
    _columns: tuple[array[int], ...] = field(default_factory=lambda: tuple(array("q") for _ in range(5)))

    def __len__(self) -> int:
        return len(self._columns[0])

    def add(self, at_ns: int, op: int, offset: int, size: int, latency_ns: int = UNKNOWN) -> None:
        """Record one I/O: time, index of its op in ``OPS``, first byte, size in bytes, latency.

        Raises:
            InputError: it is older than the first of many: a trace was appended to another.
        """
        times = self._columns[0]
        if len(self) > _LATE and at_ns - self.origin_ns <= times[0] < times[-1]:
            raise InputError(
                f"'{shown(self.device)}' begins anew, after {len(self)} I/Os, at or before the time of the first; "
                "give each recording a file"
            )
        for column, value in zip(
            self._columns, (at_ns - self.origin_ns, op, offset, size, latency_ns), strict=True
        ):
            column.append(value)

    def ended(self, number: int, latency_ns: int) -> None:
        """Set the latency of the I/O that was added as ``number``, from 0."""
        self._columns[4][number] = latency_ns

    def in_order(self) -> tuple[Integers, ...]:
        """Times (ns from the first), op, offset, bytes and latency (ns) of all I/Os, by time."""
        at, *others = (np.frombuffer(column, dtype=np.int64) for column in self._columns)
        order = np.argsort(at, kind="stable")
        return (at[order] - at.min(), *(column[order] for column in others))


def figures(recorded: Recorded, place: str) -> Iterator[Told]:
    """Yield the summary figures of the I/Os.

    Raises:
        InputError: one line that begins with ``place``, for too few I/Os, or impossible times.
    """
    if len(recorded) < 2:  # noqa: PLR2004
        raise InputError(
            f"{place}: {len(recorded)} I/O of '{recorded.device}'; allowed: at least 2; record for longer"
        )
    at, op, offset, size, latency = recorded.in_order()
    seconds = float(at[-1]) / _NS
    if not 0 < at[-1] <= LONGEST_NS:
        raise InputError(
            f"{place}: all I/Os are of {seconds:g} s; allowed: from above 0 to 31 years; is a time wrong?"
        )
    rate = (len(at) - 1) / seconds
    share = recorded.tick_ns / float(at[-1])  # relative rounding error of a rate
    bytes_s = float(size[1:].sum()) / seconds

    def told(measure: str, value: float, half_width: float, unit: str) -> Told:
        return Told(recorded.line, measure, value, half_width, unit, part=recorded.device)

    yield told("throughput", bytes_s / 1e6, bytes_s / 1e6 * share, "MB/s")
    yield told("throughput", rate, rate * share, "IO/s")
    yield told("iops", rate, rate * share, "IO/s")
    yield from (told(*each) for each in _times(latency[latency != UNKNOWN] / _NS, recorded.tick_ns / _NS, rate))
    yield told("read_share", 100.0 * float((op == 0).mean()), 0.0, "%")
    yield told("sequential_share", 100.0 * _sequential(op, offset, size), 0.0, "%")
    yield told("size", float(size.mean()), 0.0, "bytes")
    yield told("interarrival_cv", float(np.diff(at).std() * rate / _NS), 0.0, "")


def check_response(place: str, latency_ns: int) -> int:
    """Return ``latency_ns`` if it is possible; else InputError with ``place``."""
    if not 0 <= latency_ns <= LONGEST_RESPONSE_NS:
        raise InputError(
            f"{place}: the I/O took {latency_ns / _NS:g} s; allowed: 0 to {LONGEST_RESPONSE_NS / _NS:g} s; is a "
            "time or its unit wrong?"
        )
    return latency_ns


def _times(latency_s: NDArray[np.float64], tick_s: float, rate: float) -> Iterator[tuple[str, float, float, str]]:
    """Yield mean and percentiles of the time of an I/O, and by Little's law the number in flight."""
    if not latency_s.any():  # a trace without latencies may have 0
        return
    mean = float(latency_s.mean())
    yield "mean", mean, tick_s, "s"
    for name, percent in _PERCENTILES.items():
        yield name, float(np.percentile(latency_s, percent, method="inverted_cdf")), tick_s, "s"
    yield "queue", mean * rate, tick_s * rate, "I/Os"


def _sequential(op: Integers, offset: Integers, size: Integers) -> float:
    """Share of I/Os that begin where the previous one of their op ended."""
    runs = 0
    for number in range(len(OPS)):
        of_op = op == number
        runs += int((offset[of_op][1:] == (offset + size)[of_op][:-1]).sum())
    return runs / len(op)


def replay(recorded: Recorded) -> Iterator[str]:
    """Yield the lines of a replayable load, with their heading."""
    yield f"{HEADING}\n"
    at, op, offset, size, _ = recorded.in_order()
    for when, which, start, length in zip(at.tolist(), op.tolist(), offset.tolist(), size.tolist(), strict=True):
        yield f"{when // 10**9}.{when % 10**9:09d},{OPS[which]},{start},{length}\n"
