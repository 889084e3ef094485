"""The text of ``pidstat -d``: storage reads and writes of each process, in a table for each interval.

    13:25:24      UID       PID   kB_rd/s   kB_wr/s kB_ccwr/s iodelay  Command
    13:25:26        0     15474 200537.31  85882.59      0.00       0  fio

With ``-p`` one table has all intervals. A process that an interval does not name did nothing in it; for one that
it may not read pidstat prints -1. A kB is 1024 bytes. A table begins with the time at which its first interval
began: rows of that time are means since boot, and left out.
Source of the layout: the output of pidstat of sysstat 12.6, and its manual page.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from sim.data.importers.told import Number, Told, cells, number, whole_lines_of
from sim.engine.errors import InputError, shown
from sim.engine.units import KIB

_TIME = re.compile(r"(?P<time>[0-9]{2}:[0-9]{2}:[0-9]{2}( [AP]M)?|[0-9]{9,11}|# Time|Average:)\s+(?P<rest>\S.*)")
_COLUMNS = {"read": "kB_rd/s", "write": "kB_wr/s"}
_NOT_SEEN = "-1.00"
_HORIZONTAL = "# Time"
"""Beginning of a table of ``pidstat -h``."""


@dataclass(frozen=True)
class _Row:
    """One process in one interval, with its reads and writes in kB a second."""

    line: int
    process: str
    moved: dict[str, Number]


@dataclass
class _Table:
    """The rows of one or more intervals, by end time, and the begin of the first interval.

    Attributes:
        unseen: number of intervals, by process, whose I/O pidstat had no permission to read.
    """

    begins: str
    rows: dict[str, list[_Row]] = field(default_factory=dict)
    unseen: Counter[str] = field(default_factory=Counter)

    def intervals(self) -> int:
        """Number of intervals; one without rows had no reads or writes."""
        return len(self.rows) or 1


def recognises(head: str) -> bool:
    """True if ``head`` is the beginning of text from pidstat."""
    return any(line.endswith("Command") and "PID" in line.split() for line in map(str.rstrip, head.splitlines()))


def told(path: Path) -> Iterator[Told]:
    """Mean bandwidths of every process that was seen to read or write.

    Raises:
        InputError: one line with file and line for text that is cut short, in another form, or without interval.
    """
    tables = [*_tables(path)]
    intervals = sum(each.intervals() for each in tables)
    if not intervals or (intervals == 1 and tables[0].begins == _HORIZONTAL):
        raise InputError(
            f"{path} has no interval with what processes read and write, or one that may be since the start of "
            "the machine; run pidstat -d 10 6"
        )
    rows: dict[str, list[_Row]] = {}
    for row in (row for table in tables for rows_of in table.rows.values() for row in rows_of):
        rows.setdefault(row.process, []).append(row)
    if not rows:
        raise InputError(f"{path} has no process that read or wrote; measure under the load, as root")
    for process, each in rows.items():
        for name in _COLUMNS:
            moved = [row.moved[name].times(KIB / 1e6) for row in each]
            seen = intervals - sum(table.unseen[process] for table in tables)
            mean, width = sum(one.value for one in moved) / seen, max(one.half_width for one in moved)
            yield Told(each[0].line, f"{name}_throughput", mean, width, "MB/s", part=process)


def _tables(path: Path) -> Iterator[_Table]:
    """The tables of reads and writes, without averages and without rows since boot."""
    tables: list[tuple[list[str], _Table]] = []
    started = set[str]()
    for line, text in enumerate(whole_lines_of(path), 1):
        place = f"{path}, line {line}"
        match = _TIME.fullmatch(text.strip())
        if match and match["rest"].endswith("Command"):
            tables.append((match["rest"].split(), _Table(match["time"])))
        elif match and tables:
            heading, table = tables[-1]
            words = cells(place, heading, match["rest"])
            if match["time"] == table.begins:
                started.add(table.begins)
            elif {*_COLUMNS.values()} <= {*heading} and _NOT_SEEN in words.values():
                table.unseen[_process(words)] += 1
            elif {*_COLUMNS.values()} <= {*heading}:
                moved = {name: number(place, column, words[column]) for name, column in _COLUMNS.items()}
                table.rows.setdefault(match["time"], []).append(_Row(line, _process(words), moved))
        elif text.strip() and not text.startswith("Linux "):
            raise InputError(
                f"{place} is '{shown(text.strip())}'; allowed: a line of pidstat -d, such as "
                "'13:25:26 0 15474 200537.31 85882.59 0.00 0 fio'; is the file cut short?"
            )
    for heading, table in tables:
        if {*_COLUMNS.values()} <= {*heading} and table.begins not in {"Average:", *started}:
            yield table


def _process(words: dict[str, str]) -> str:
    """Command and number of a process; with -t, of a thread."""
    numbers = [words[name] for name in ("PID", "TGID", "TID") if words.get(name, "-") != "-"]
    return " ".join((words["Command"], *numbers))
