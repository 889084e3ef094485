r"""``SHOW ENGINE INNODB STATUS``: reads, writes and flushes a second, pending ones, checkpoint age.

    FILE I/O
    --------
    Pending flushes (fsync): 0
    174 OS file reads, 0 OS file writes, 10699 OS fsyncs
    0.00 reads/s, 0 avg bytes/read, 0.00 writes/s, 2139.17 fsyncs/s

Rates are InnoDB's averages over the seconds since the status before. It may stand in one line with ``\n`` in it,
as ``mysql -e`` writes it without ``-r``; each ``\n`` then counts as a line end.
Source of the layout: the output of MariaDB 10.11, and the manual of MySQL 5.7 and 8.0, "InnoDB Standard Monitor
and Lock Monitor Output".
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from sim.data.importers.told import Number, Told, number, whole_lines_of
from sim.engine.errors import InputError

_TITLE, _END = "INNODB MONITOR OUTPUT", "END OF INNODB MONITOR OUTPUT"
_AVERAGED = re.compile(r"Per second averages calculated from the last (?P<seconds>\S+) seconds?")
_RULER = re.compile(r"[-=]{3,}")
_FIGURE = re.compile(r"(?P<first>[0-9][0-9.,]*) (?P<behind>\D.*)|(?P<before>\D.*?):? +(?P<last>[0-9][0-9.,]*)")

_FIGURES = {
    ("FILE I/O", "reads/s"): ("reads", "reads/s"),
    ("FILE I/O", "avg bytes/read"): ("read_size", "bytes"),
    ("FILE I/O", "writes/s"): ("writes", "writes/s"),
    ("FILE I/O", "fsyncs/s"): ("fsyncs", "fsyncs/s"),
    ("FILE I/O", "Pending flushes (fsync)"): ("pending_fsyncs", "fsyncs"),  # MariaDB
    ("FILE I/O", "Pending flushes (fsync) log"): ("pending_log_fsyncs", "fsyncs"),
    ("FILE I/O", "buffer pool"): ("pending_fsyncs", "fsyncs"),
    ("LOG", "log i/o's/second"): ("log_writes", "writes/s"),
    ("LOG", "pending log flushes"): ("pending_log_flushes", "flushes"),
    ("BUFFER POOL AND MEMORY", "reads/s"): ("page_reads", "pages/s"),
    ("BUFFER POOL AND MEMORY", "creates/s"): ("page_creates", "pages/s"),
    ("BUFFER POOL AND MEMORY", "writes/s"): ("page_writes", "pages/s"),
    ("BUFFER POOL AND MEMORY", "Modified db pages"): ("modified_pages", "pages"),
    ("ROW OPERATIONS", "inserts/s"): ("row_inserts", "rows/s"),
    ("ROW OPERATIONS", "updates/s"): ("row_updates", "rows/s"),
    ("ROW OPERATIONS", "deletes/s"): ("row_deletes", "rows/s"),
    ("ROW OPERATIONS", "reads/s"): ("row_reads", "rows/s"),
}
"""Measure and unit of a number, by section and by the words beside it."""

_LSN, _CHECKPOINT = ("LOG", "Log sequence number"), ("LOG", "Last checkpoint at")
_NEEDED = ("FILE I/O", "fsyncs/s")


def recognises(head: str) -> bool:
    """True if ``head`` is the beginning of such a status."""
    return _TITLE in head


def told(path: Path) -> Iterator[Told]:
    """Yield the figures of the one status of the file.

    Raises:
        InputError: one line with file and line for a status that is cut short, or averages nothing.
    """
    lines = "\n".join(whole_lines_of(path)).replace("\\n", "\n").split("\n")
    if sum(_END in line for line in lines) != 1 or sum(_TITLE in line for line in lines) != 2:  # noqa: PLR2004
        raise InputError(
            f"{path} has not one status with its beginning and its end; is it cut short? give each a file"
        )
    _check_averaged(path, lines)
    numbers = _numbers(path, lines)
    if _NEEDED not in numbers:
        raise InputError(f"{path} tells of no '{_NEEDED[1]}' under {_NEEDED[0]}; save the whole status")
    for (section, words), (line, figure) in numbers.items():
        if (section, words) in _FIGURES:
            measure, unit = _FIGURES[section, words]
            yield Told(line, measure, figure.value, figure.half_width, unit, part=section)
    if _LSN in numbers and _CHECKPOINT in numbers:
        (line, now), (_, checkpoint) = numbers[_LSN], numbers[_CHECKPOINT]
        if checkpoint.value > now.value:
            raise InputError(f"{path}, line {line}: the log ends before its last checkpoint; is a digit missing?")
        yield Told(line, "checkpoint_age", now.value - checkpoint.value, now.half_width, "bytes", part="LOG")


def _check_averaged(path: Path, lines: Sequence[str]) -> None:
    """Refuse rates over no time: a status that was asked for twice at once."""
    for line, text in enumerate(lines, 1):
        if match := _AVERAGED.fullmatch(text.strip()):
            if not number(f"{path}, line {line}", "seconds", match["seconds"]).value:
                raise InputError(
                    f"{path}, line {line}: averages of the last 0 seconds; allowed: from 1; ask again after 30 s"
                )
            return
    raise InputError(f"{path} does not say over how many seconds it averages; save the whole status")


def _numbers(path: Path, lines: Sequence[str]) -> dict[tuple[str, str], tuple[int, Number]]:
    """The first number beside each text in each section, with its line."""
    numbers: dict[tuple[str, str], tuple[int, Number]] = {}
    wanted = {*_FIGURES, _LSN, _CHECKPOINT}
    section = ""
    for line, (before, text, behind) in enumerate(zip(lines, lines[1:], lines[2:], strict=False), 2):
        if _RULER.fullmatch(before.strip()) and _RULER.fullmatch(behind.strip()):
            section = text.strip()
        for match in filter(None, (_FIGURE.fullmatch(each.strip()) for each in re.split("[,;] ", text))):
            words = section, match["behind"] or match["before"]
            if words in wanted and words not in numbers:
                numbers[words] = line, number(f"{path}, line {line}", words[1], match["first"] or match["last"])
    return numbers
