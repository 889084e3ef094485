"""Rows of ``summary.html`` and ``flatfile.html`` of vdbench: one interval of a run each.

    16:24:31.001 Starting RD=rd1; I/O rate: Uncontrolled MAX; elapsed=5; For loops: xfersize=4k threads=8
    Jan 24, 2026    interval        i/o   MB/sec   bytes   read     resp  …  queue  cpu%  cpu%
                                   rate  1024**2     i/o    pct     time  …  depth sys+u   sys
    16:24:32.018           1       84.0     0.08    1024  53.57    0.013  …    0.0  19.2   1.5
    16:24:36.053     avg_2-5      104.5     0.10    1024  50.72    0.012  …    0.0   4.6   0.9

Source of the layout: the manual of vdbench 5.04.07, and the remarks at the head of a ``flatfile.html``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from sim.data.importers.told import Number, number, whole_lines_of
from sim.engine.errors import InputError

_TAG = re.compile(r"<[^>]*>")
_START = re.compile(
    r"Starting RD=(?P<run>[^;]+); I/O rate: (?P<rate>[^;]+); elapsed=[^;]*; For loops: (?P<loops>.*)"
)
_TIME = re.compile(r"[0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]+)?")
_INTERVAL = re.compile(r"[0-9]{1,9}|avg_[0-9]{1,9}-[0-9]{1,9}")
_FIRST = ("interval", "i/o", "MB/sec", "bytes", "read", "resp")
_SECOND = ("rate", "1024**2", "i/o", "pct", "time")
_FLAT = {"rate": "rate", "MB/sec": "mib_s", "bytes/io": "bytes_", "read%": "read_percent", "resp": "resp_ms"}
_ASKED: tuple[str, ...] = ("xfersize", "threads", "rdpct", "seekpct")
_BESIDE = ("std_", "max_")
"""Prefixes of rows of deviations and maxima, which some versions print after the average."""

_UNLIMITED = re.compile(r"(uncontrolled )?max|999[0-9]{4}(\.[0-9]+)?", re.IGNORECASE)


@dataclass(frozen=True)
class Row:
    """One interval of a run, or its average.

    Attributes:
        line: its line in the file, from 1.
        run: its name, with the values of its loops.
        interval: a number, or ``avg_2-5``.
        rate: I/Os a second.
        mib_s: MiB a second.
        bytes_: mean bytes of an I/O.
        read_percent: percentage of I/Os that are reads.
        resp_ms: mean response time in milliseconds.
        asked: the requested load, by vdbench's names; ``iorate`` only if there was a limit.
    """

    line: int
    run: str
    interval: str
    rate: Number
    mib_s: Number
    bytes_: Number
    read_percent: Number
    resp_ms: Number
    asked: Mapping[str, str]


def is_summary(head: str) -> bool:
    """True if ``head`` is the beginning of a ``summary.html``."""
    return "Starting RD=" in head and all(word in head for word in _FIRST)


def is_flat(head: str) -> bool:
    """True if ``head`` is the beginning of a ``flatfile.html``."""
    return any({"Run", "Interval", *_FLAT} <= {*line.split()} for line in head.splitlines())


def rows(path: Path) -> Iterator[Row]:
    """Yield every row of the file; InputError with its line for an unusable one, and for a file cut short."""
    lines = [_TAG.sub("", line) for line in whole_lines_of(path)]
    read = _flat if is_flat("\n".join(lines)) else _summary
    yield from read(path, [*enumerate(lines, 1)])


def _summary(path: Path, lines: Sequence[tuple[int, str]]) -> Iterator[Row]:
    run, asked = "", dict[str, str]()
    heading: list[str] = []
    for line, text in lines:
        words = text.split()
        if match := _START.search(text):
            run, asked = _run(match)
        elif "interval" in words:
            heading = words[words.index("interval") :]
        elif words[: len(_SECOND)] == [*_SECOND]:
            continue
        elif len(words) > 1 and _TIME.fullmatch(words[0]) and _INTERVAL.fullmatch(words[1]):
            yield _row(path, line, heading, words[1:], run, asked)


def _run(match: re.Match[str]) -> tuple[str, dict[str, str]]:
    """Name of a run that starts, and its requested load."""
    loops = dict(word.partition("=")[::2] for word in match["loops"].split() if "=" in word)
    name = " ".join([match["run"].strip(), *(f"{key}={value}" for key, value in loops.items())])
    limit = {} if _UNLIMITED.fullmatch(match["rate"].strip()) else {"iorate": match["rate"].strip()}
    return name, {**loops, **limit}


def _row(
    path: Path, line: int, heading: Sequence[str], words: Sequence[str], run: str, asked: Mapping[str, str]
) -> Row:
    place = f"{path}, line {line}"
    if tuple(heading[: len(_FIRST)]) != _FIRST or not run:
        raise InputError(
            f"{place}: no heading of raw I/O stands above it ('interval i/o MB/sec bytes read resp …'); allowed: "
            "runs of workloads (WD); those of files (FWD) are not read"
        )
    if len(words) != len(heading):
        raise InputError(f"{place} has {len(words)} columns; allowed: {len(heading)}; is the file cut short?")
    return _made(place, line, run, words[0], dict(zip(_FLAT.values(), words[1:], strict=False)), asked)


def _flat(path: Path, lines: Sequence[tuple[int, str]]) -> Iterator[Row]:
    heading: list[str] = []
    for line, text in lines:
        words = text.split()
        if not words or words[0].startswith("*"):
            continue
        if {"Run", "Interval", *_FLAT} <= {*words}:
            heading = words
        elif heading:
            place = f"{path}, line {line}"
            if len(words) != len(heading):
                raise InputError(f"{place} has {len(words)} columns; allowed: {len(heading)}; is it cut short?")
            cells = dict(zip(heading, words, strict=True))
            if not cells["Interval"].startswith(_BESIDE):
                yield _flat_row(place, line, cells)


def _flat_row(place: str, line: int, cells: Mapping[str, str]) -> Row:
    asked = {name: cells[name] for name in _ASKED if cells.get(name, "n/a") != "n/a"}
    if not _UNLIMITED.fullmatch(cells.get("reqrate", "max")):
        asked["iorate"] = cells["reqrate"]
    run = " ".join([cells["Run"], *(f"{name}={text}" for name, text in asked.items())])
    named = {field: cells[name] for name, field in _FLAT.items()}
    return _made(place, line, run, cells["Interval"], named, asked)


def _made(
    place: str, line: int, run: str, interval: str, cells: Mapping[str, str], asked: Mapping[str, str]
) -> Row:
    numbers = {name: number(place, name.strip("_"), text) for name, text in cells.items()}
    return Row(line, run, interval, asked=asked, **numbers)
