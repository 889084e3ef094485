"""Results of ``pg_test_fsync``: durable writes of a block a second, by the call that makes them durable.

    Compare file sync methods using one 8kB write:
            fdatasync                          1062.147 ops/sec     941 usecs/op

Source of the layout: the output of ``pg_test_fsync`` of PostgreSQL 15, and its manual page of 9.2 to 17; the
time of one operation is printed since 9.3.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from sim.data.importers.told import Number, Told, agree, number, whole_lines_of
from sim.engine.errors import InputError, shown
from sim.engine.units import KIB

_BEGIN = "Compare file sync methods using one"
_HEADINGS = (
    (re.compile(r"Compare file sync methods using (?P<count>one|two) (?P<kib>[0-9]{1,6})kB writes?:"), "sync"),
    (re.compile(r"Compare open_sync with different write sizes:"), "sizes"),
    (re.compile(r"Test if fsync on non-write file descriptor is honou?red:"), "closed"),
    (re.compile(r"Non-sync'ed (?P<kib>[0-9]{1,6})kB writes:"), "plain"),
)
_ROW = re.compile(
    r"\s+(?P<name>\S.*?)(?P<star>\*?)\s+(?:(?P<rate>\S+) ops/sec(?:\s+(?P<time>\S+) usecs/op)?|n/a\*{0,2})"
)
_SIZE = re.compile(r"(?P<count>[0-9]{1,6}) \* +(?P<kib>[0-9]{1,6})kB open_sync writes?")
_NOTE = re.compile(
    r"[0-9]+ seconds? per test|O_DIRECT supported on .*|Direct I/O is not supported .*|"
    r"open_sync( sizes)?\.\)?|I/O, e\.g\. .*|"
    r"\(?(in wal_sync_method|is Linux|This is designed|in different|on a different|If the times).*|"
    r"\* .*|directory, .*|descriptor\.\)"
)

_CALLS: Mapping[str, Mapping[str, str]] = {
    "open_datasync": {"sync": "dsync"},
    "fdatasync": {"fdatasync": "1"},
    "fsync": {"fsync": "1"},
    "fsync_writethrough": {"sync": "writethrough"},
    "open_sync": {"sync": "sync"},
}
"""Options of fio for each call."""


@dataclass(frozen=True)
class _Table:
    """Heading of the rows that follow: their kind, the number of writes and their size."""

    kind: str
    writes: int = 1
    kib: int = 8


def recognises(head: str) -> bool:
    """True if ``head`` is the beginning of a result of pg_test_fsync."""
    return _BEGIN in head


def told(path: Path) -> Iterator[Told]:
    """Yield every rate of the file.

    Raises:
        InputError: one line with file and line for a row that is cut short, in another form, or contradictory.
    """
    lines = whole_lines_of(path)
    table, last = _Table(""), ""
    for line, row in enumerate(lines, 1):
        table, heading = _heading(row) or table, _heading(row)
        if heading or not row.strip() or _NOTE.fullmatch(row.strip()):
            continue
        match = _ROW.fullmatch(row) if table.kind else None
        if not match:
            raise InputError(
                f"{path}, line {line} is '{shown(row.strip())}'; allowed: a line of pg_test_fsync in English, "
                "such as 'fdatasync  1062.147 ops/sec  941 usecs/op'; is the file cut short?"
            )
        last = table.kind
        if match["rate"]:
            yield from _figures(f"{path}, line {line}", line, table, match)
    if last != "plain":
        raise InputError(f"{path} ends before the writes without a sync; is it cut short? run pg_test_fsync again")


def _heading(row: str) -> _Table | None:
    for pattern, kind in _HEADINGS:
        if match := pattern.fullmatch(row.strip()):
            given = match.groupdict()
            return _Table(kind, 2 if given.get("count") == "two" else 1, int(given.get("kib") or 8))
    return None


def _figures(place: str, line: int, table: _Table, written: re.Match[str]) -> Iterator[Told]:
    """Yield the writes a second of one row, in I/Os and in bytes."""
    name, writes, kib = written["name"], table.writes, table.kib
    if size := _SIZE.fullmatch(name):
        name, writes, kib = "open_sync", int(size["count"]), int(size["kib"])
    rate = number(place, name, written["rate"])
    _check_time(place, rate, written["time"])
    if table.kind in {"closed", "plain"} or name not in _CALLS:
        yield Told(line, "none", rate.value, rate.half_width, "1/s", part=name)
        return
    load = {"rw": "randwrite", "bs": f"{kib}k", "numjobs": "1", **_per_write(name, writes)}
    part = name if writes == 1 else f"{name} {writes} x {kib}kB"
    if size:
        part = f"{name} {writes * kib}kB as {writes} x {kib}kB"
    each = rate.times(writes)
    counted = "1/s" if writes == 1 else "IO/s"  # one write and its flush may be a commit, too
    for unit, scaled in ((counted, each), ("MB/s", each.times(kib * KIB / 1e6))):
        yield Told(line, "throughput", scaled.value, scaled.half_width, unit, part=part, load=load)


def _per_write(name: str, writes: int) -> Mapping[str, str]:
    """The call in fio's options; one flush after several writes is ``fsync=2``."""
    call = _CALLS[name]
    return call if "sync" in call else {option: str(writes) for option in call}


def _check_time(place: str, rate: Number, time: str | None) -> None:
    """Check that rate × time of one operation is a second."""
    if time is None or not rate.value:
        return
    each = number(place, "time", time)
    agree(place, Number(1e6, 0.0), rate.by(each), f"{rate.value:g} ops/sec of {each.value:g} usecs")
