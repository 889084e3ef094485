"""A block trace as load: the I/Os that a host once sent to its storage, replayed at the same times.

time,op,offset,bytes      seconds, read or write, and bytes; times in order, a heading is allowed
0.000000,read,8192,8192
0.000310,write,1048576,131072

The file must be a regular one: it is read line by line, once to check and count it and then as the run needs it,
and is never in memory as a whole. Each page of a line is an access of its own that arrives at the time of the
line. A line that begins where the previous line of its op ended is sequential.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from models.io import Op, PagedIO
from models.layer import PagedLayer
from sim import AddressSource, InputError, Open, RecordedGaps, Workload
from sim.engine.errors import shown
from sim.engine.model.distributions import nanoseconds
from sim.engine.units import reading

GROUP = "trace"
HEADING = "time,op,offset,bytes"
_COLUMNS = HEADING.split(",")

_END_S = 1e12
_TIMES = "seconds from 0 to 999999999999, written out, such as 12.000310"

MAX_BYTES = 1 << 30
"""Largest I/O of a line: each of its pages is an access, and no host requests more at once."""

MAX_LINE = 200
"""Largest length of a line: four numbers are shorter; a file of any size without line ends is no trace."""

LONGEST_S = 1e9
"""Longest time from the first line to the last: 31 years."""

Kind = tuple[Op, bool]
"""Operation, and True if sequential."""

KINDS: tuple[Kind, ...] = (("read", False), ("read", True), ("write", False), ("write", True))


class Record(NamedTuple):
    """One line: nanoseconds after the first, op, sequential or not, and its range of bytes."""

    due_ns: int
    op: Op
    sequential: bool
    start: int
    end: int


def records(file: Path) -> Iterator[Record]:
    """Read ``file`` line by line.

    Raises:
        InputError: no regular file, or a malformed line, with its number.
    """
    if not file.is_file():
        raise InputError(f"trace '{shown(file)}' is no regular file; it is read more than once: save it as one")
    first_s = last_s = None
    ends: dict[Op, int] = {}
    with file.open(encoding="utf-8", errors="replace") as lines:
        for number, line in enumerate(iter(lambda: lines.readline(MAX_LINE), ""), start=1):
            text = line.strip()
            if number == 1 and text.replace(" ", "") == HEADING:
                continue
            where = f"{file}, line {number}"
            _check_end(where, line)
            time_s, op, start, size = _fields(where, text)
            if last_s is not None and time_s < last_s:
                raise InputError(
                    f"{where}: time {time_s:g} comes after {last_s:g}; put the lines in order of time"
                )
            first_s, last_s = time_s if first_s is None else first_s, time_s
            if time_s - first_s > LONGEST_S:
                raise InputError(
                    f"{where}: time {time_s:g} is more than {LONGEST_S:g} seconds after the first line's"
                )
            yield Record(nanoseconds(time_s - first_s), op, ends.get(op) == start, start, start + size)
            ends[op] = start + size


def _check_end(where: str, line: str) -> None:
    """Refuse a line without a line end: 8192 cut to 81 is still a number."""
    if not line.endswith("\n"):
        if len(line) == MAX_LINE:
            raise InputError(f"{where} is longer than {MAX_LINE} characters; allowed: {HEADING}")
        raise InputError(f"{where} does not end; is the file cut short? If it is whole, add a line break")


def _fields(where: str, text: str) -> tuple[float, Op, int, int]:
    cells = [cell.strip() for cell in text.split(",")]
    if not text:
        raise InputError(f"{where} is empty; allowed: {HEADING}")
    if len(cells) != len(_COLUMNS):
        fields = "1 field" if len(cells) == 1 else f"{len(cells)} fields"
        raise InputError(f"{where}: '{shown(text)}' has {fields}; allowed: {HEADING}")
    time_s = _seconds(where, cells[0])
    op = cells[1].lower()
    if op not in ("read", "write"):
        raise InputError(f"{where}: op is '{shown(cells[1])}'; allowed: read, write")
    start, size = _whole(where, "offset", cells[2]), _whole(where, "bytes", cells[3])
    if not 1 <= size <= MAX_BYTES:
        raise InputError(
            f"{where}: bytes is '{shown(cells[3])}'; allowed: a whole number from 1 to {MAX_BYTES} (1 GiB)"
        )
    return time_s, "read" if op == "read" else "write", start, size


def _whole(where: str, name: str, text: str) -> int:
    number = reading.count(text)
    if number is None:
        raise InputError(f"{where}: {name} is '{shown(text)}'; allowed: a whole number of bytes")
    return number


def _seconds(where: str, text: str) -> float:
    time_s = reading.number(text, exponent=False)
    if time_s is None or time_s >= _END_S:
        raise InputError(f"{where}: time is '{shown(text)}'; allowed: {_TIMES}")
    return time_s


def _pages(file: Path, page_bytes: int, kind: Kind) -> Iterator[tuple[int, int]]:
    """Yield (time in nanoseconds, page) of every access of ``kind``."""
    for record in records(file):
        if (record.op, record.sequential) == kind:
            for page in range(record.start // page_bytes, (record.end - 1) // page_bytes + 1):
                yield record.due_ns, page


def _in_blocks(numbers: Iterator[int], count: int) -> Iterator[NDArray[np.int64]]:
    """Yield blocks of ``count`` numbers; the last block, and all after it, are padded with zeros."""
    while True:
        block = np.fromiter(islice(numbers, count), dtype=np.int64)
        yield np.pad(block, (0, count - len(block)))


@dataclass(frozen=True)
class TracedPages(AddressSource):
    """Pages of accesses of ``kind``."""

    file: Path
    page_bytes: int
    kind: Kind

    def blocks(self, generator: np.random.Generator, count: int) -> Iterator[NDArray[np.int64]]:  # noqa: ARG002
        return _in_blocks((page for _, page in _pages(self.file, self.page_bytes, self.kind)), count)


@dataclass(frozen=True)
class TracedGaps(AddressSource):
    """Nanoseconds between consecutive accesses of ``kind``."""

    file: Path
    page_bytes: int
    kind: Kind

    def blocks(self, generator: np.random.Generator, count: int) -> Iterator[NDArray[np.int64]]:  # noqa: ARG002
        return _in_blocks(self._gaps(), count)

    def _gaps(self) -> Iterator[int]:
        before = 0
        for due, _ in _pages(self.file, self.page_bytes, self.kind):
            yield due - before
            before = due


def replay(below: PagedLayer, file: Path, page_bytes: int) -> list[Workload]:
    """A workload for each kind of access in ``file``, and background work for them.

    Raises:
        InputError: a broken line, or no line at all.
    """
    counts: Counter[Kind] = Counter()
    for record in records(file):
        pages = (record.end - 1) // page_bytes - record.start // page_bytes + 1
        counts[record.op, record.sequential] += pages
    if not counts:
        raise InputError(f"{file} has no line of {HEADING}; give it at least one")
    return [each for kind in KINDS if counts[kind] for each in _workloads(below, file, page_bytes, kind, counts)]


def _workloads(
    below: PagedLayer, file: Path, page_bytes: int, kind: Kind, counts: Counter[Kind]
) -> Iterator[Workload]:
    op, sequential = kind
    name = f"{op}s {'in runs' if sequential else 'apart'}"
    pages = TracedPages(file, page_bytes, kind)
    io = PagedIO(op, page_bytes, pages, 1, sequential, stream=name, clients=1)
    gaps = RecordedGaps(TracedGaps(file, page_bytes, kind), counts[kind])
    yield Open(name, arrivals=gaps, path=below.path(io), group=GROUP)
    yield from below.behind(io)
