"""AWR and Statspack reports as text: the load, the waits of commits, of the log writer and of reads.

Figures are rates or means, so that reports of any length compare. A mean that is printed as ``1 ms`` is replaced
by total time / waits if that is more exact. HTML reports are not read. Source of the layouts: Oracle's ``awrrpti``
and ``sprepins`` scripts, 10g to 19c.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from sim.data.importers.oracle_histogram import percentiles
from sim.data.importers.oracle_tables import Row, rows
from sim.data.importers.told import Number, Told, agree, lines_of, number
from sim.engine.errors import InputError
from sim.engine.units import EVERYDAY
from sim.engine.units.reading import amount

_TITLES = ("WORKLOAD REPOSITORY report for", "STATSPACK report for")
_END = "End of Report"
_REDO = re.compile(r"\s*Redo size(?: \(bytes\))?:\s+(?P<second>\S+)\s+(?P<each>\S+).*")
_TRANSACTIONS = re.compile(r"\s*Transactions:\s+(?P<second>\S+).*")
_ELAPSED = re.compile(r"\s*Elapsed:\s+(?P<minutes>\S+) \(mins\).*")
_TIME = re.compile(r"Time ?\(s(ec)?\)")

_SECONDS = EVERYDAY["second"]

MOST_SHARE = 120.0
"""Largest share of a time in waits, percent: a little above 100, as waits are counted when they end."""

FOREGROUND = {
    "log file sync": "log_file_sync",
    "buffer busy waits": "buffer_busy",
    "db file sequential read": "db_file_sequential_read",
}
"""Waits of sessions, with the answer that names their mean."""

BACKGROUND = {
    "log file parallel write": "log_write",
    "LGWR any worker group": "any_worker",
    "LGWR all worker groups": "all_workers",
    "LGWR worker group ordering": "ordering",
}
"""Waits of the log writer and its workers, with the answer that names their mean."""

_FOLLOWS = {
    "redo_rate": "transactions a second and the redo of each",
    "writes_in_flight": "log writes a second and their mean",
}
"""Measures that follow from other figures of a report."""

_SECTIONS = {
    **dict.fromkeys(FOREGROUND, ("Foreground Wait Events", "Top ", "Wait Events")),
    **dict.fromkeys(BACKGROUND, ("Background Wait Events", "Top ", "Wait Events")),
}
"""Beginnings of the titles of tables that contain an event."""


@dataclass(frozen=True)
class _Load:
    """Transactions/s, as ``line`` has them, redo a second and a transaction, and the length of the report."""

    line: int
    rate: Number
    redo_rate: Number
    redo: Number
    elapsed_s: Number


@dataclass(frozen=True)
class _Wait:
    """One event in one table; ``share`` in percent of DB time, or of background time."""

    line: int
    count: Number
    total_s: Number
    mean_s: Number
    share: Number | None


def recognises(head: str) -> bool:
    """True if ``head`` is the beginning of such a report."""
    return any(title in head for title in _TITLES)


def told(path: Path) -> Iterator[Told]:
    """Yield the figures of the report.

    Raises:
        InputError: one line with file and line for a report that is cut short or contradicts itself.
    """
    lines = lines_of(path)
    if not any(line.startswith(_END) for line in lines):
        raise InputError(
            f"{path}, line {len(lines)}: there is no 'End of Report' behind it; is the file cut short?"
        )
    if sum(title in line for line in lines for title in _TITLES) > 1:
        raise InputError(f"{path} has several reports; give each a file")
    load = _load(path, lines)
    table = [*rows(lines)]
    settings = {"redo": f"{load.redo.value:.0f}"}
    for each in (*_rates(load), *_waits(path, table, load.elapsed_s), *_others(path, table, load.elapsed_s)):
        yield replace(each, settings=settings, follows=_FOLLOWS.get(each.measure, ""))


def _load(path: Path, lines: Sequence[str]) -> _Load:
    """The first load profile of the report, and the length of the report."""
    elapsed_s = redo_rate = redo = rate = None
    line = 0
    for at, text in enumerate(lines, 1):
        place = f"{path}, line {at}"
        if elapsed_s is None and (match := _ELAPSED.fullmatch(text)):
            elapsed_s = number(place, "Elapsed", match["minutes"], grouped=True).times(60.0)
        elif redo is None and (match := _REDO.fullmatch(text)):
            redo_rate, redo = (
                number(place, "Redo size", match[name], grouped=True) for name in ("second", "each")
            )
        elif rate is None and (match := _TRANSACTIONS.fullmatch(text)):
            line, rate = at, number(place, "Transactions", match["second"], grouped=True)
    if not (elapsed_s and redo_rate and redo and rate and min(elapsed_s.value, redo.value, rate.value) > 0):
        raise InputError(
            f"{path} has no 'Elapsed: … (mins)', 'Redo size: …' and 'Transactions: …' above 0; allowed: a "
            "whole report of AWR or Statspack in English, of a time in which something was committed"
        )
    agree(f"{path}, line {line}", redo_rate, rate.by(redo), "transactions a second and the redo of each")
    return _Load(line, rate, redo_rate, redo, elapsed_s)


def _rates(load: _Load) -> Iterator[Told]:
    yield Told(load.line, "throughput", load.rate.value, load.rate.half_width, "transactions/s")
    yield Told(load.line, "redo_rate", load.redo_rate.value, load.redo_rate.half_width, "bytes/s")


def _waits(path: Path, table: Sequence[Row], elapsed_s: Number) -> Iterator[Told]:
    """Yield mean and share of each event, and figures that follow from its count."""
    waits = {name: wait for name in _SECTIONS if (wait := _best(path, table, name))}
    for event, wait in waits.items():
        measure = {**FOREGROUND, **BACKGROUND}[event]
        yield Told(wait.line, measure, wait.mean_s.value, wait.mean_s.half_width, "s")
        per_s = 1.0 / elapsed_s.value
        rate = wait.count.value * per_s
        width = (wait.count.half_width + rate * elapsed_s.half_width) * per_s
        yield Told(wait.line, f"{measure}_rate", rate, width, "waits/s")
        if wait.share:
            yield Told(wait.line, f"{measure}_share", wait.share.value, wait.share.half_width, "%")
    write, sync = waits.get("log file parallel write"), waits.get("log file sync")
    if write:
        in_flight = write.total_s.value / elapsed_s.value
        rounding = (in_flight * elapsed_s.half_width + write.total_s.half_width) / elapsed_s.value
        yield Told(write.line, "writes_in_flight", in_flight, rounding, "writes")
    if write and sync:
        each = sync.count.value / write.count.value
        width = (sync.count.half_width + each * write.count.half_width) / write.count.value
        yield Told(sync.line, "commits_per_write", each, width, "commits")


def _best(path: Path, table: Sequence[Row], event: str) -> _Wait | None:
    """The event from the table with the most exact mean."""
    told_of = [row for row in table if row.name == event and row.title.startswith(_SECTIONS[event])]
    waits = [wait for row in told_of if (wait := _wait(f"{path}, line {row.line}", row))]
    return min(waits, key=lambda wait: wait.mean_s.half_width / wait.mean_s.value, default=None)


def _wait(place: str, row: Row) -> _Wait | None:
    """One row of a table of waits; None if there were no waits, or none that took any time.

    The mean is in the column after the total time, whatever its heading.
    """
    heads = [*row.cells]
    time = next((at for at, head in enumerate(heads[:-1]) if _TIME.search(head)), None)
    if "Waits" not in heads or time is None:
        raise InputError(f"{place}: its table has no columns 'Waits' and 'Time (s)'; allowed: a report in English")
    texts = {"count": row.cells["Waits"], "total": row.cells[heads[time]], "mean": row.cells[heads[time + 1]]}
    count = number(place, "Waits", texts["count"], grouped=True)
    total = number(place, "Time", texts["total"] or "0", grouped=True)
    if not (count.value and total.value):
        return None
    mean_s = total.value / count.value
    made = Number(mean_s, (total.half_width + mean_s * count.half_width) / count.value)
    said = f"{count.value:.0f} waits of {total.value:g} s"
    printed = _mean(place, texts["mean"], heads[time + 1])
    agree(place, printed, made, said)
    mean = min((made, printed), key=lambda each: each.half_width)
    return _Wait(row.line, count, total, mean if mean.value else made, _share(place, row))


def _mean(place: str, text: str, heading: str) -> Number:
    """Mean wait in seconds; its unit is beside it or in the heading."""
    written = amount(text, grouped=True, exponent=False)
    unit = written and (written.unit or next((each for each in _SECONDS if f"({each})" in heading), ""))
    if not written or unit not in _SECONDS:
        raise InputError(f"{place}: the mean wait is '{text}'; allowed: a time such as 1.41ms, or 1 under '(ms)'")
    return Number.of(written).times(_SECONDS[unit])


def _share(place: str, row: Row) -> Number | None:
    """Percent of DB time, or of background time; None if the table has another share, or none."""
    for heading, text in row.cells.items():
        if text and heading.startswith("%") and re.search(r"\b(DB|bg)\b", heading):
            share = number(place, heading, text)
            if share.value > MOST_SHARE:
                raise InputError(
                    f"{place}: {heading} is {text}; allowed: at most {MOST_SHARE:g}; is it in percent?"
                )
            return share
    return None


def _check_total(place: str, row: Row, made: Number) -> None:
    """Check that the report's commits are the commits a second × its length."""
    if total := row.cells.get("Total"):
        said = "its commits a second and the 'Elapsed' of the report"
        agree(place, number(place, "the total", total, grouped=True), made, said)


def _others(path: Path, table: Sequence[Row], elapsed_s: Number) -> Iterator[Told]:
    """Yield commits a second, the processors' share of DB time, and percentiles from histograms."""
    for row in table:
        place = f"{path}, line {row.line}"
        if row.name == "user commits" and "per Second" in row.cells:
            rate = number(place, "user commits", row.cells["per Second"], grouped=True)
            _check_total(place, row, rate.by(elapsed_s))
            yield Told(row.line, "user_commits", rate.value, rate.half_width, "commits/s")
        elif row.title.startswith("Top ") and row.name == "DB CPU" and (share := _share(place, row)):
            yield Told(row.line, "db_cpu_share", share.value, share.half_width, "%")
    known = {**FOREGROUND, **BACKGROUND}
    for row in table:
        if row.title == "Wait Event Histogram" and row.name in known:
            yield from percentiles(f"{path}, line {row.line}", row, known[row.name])
