"""The last statistics in the ``LOG`` of RocksDB: writes, syncs, bytes, stalls and compaction, each a second.

    ** DB Stats **
    Uptime(secs): 24.0 total, 3.0 interval
    Cumulative writes: 73K writes, 73K keys, 36K commit groups, …, ingest: 0.27 GB, 11.67 MB/s
    Cumulative WAL: 73K writes, 36K syncs, 2.01 writes per sync, written: 0.27 GB, 11.67 MB/s

*Cumulative* counts since the database was opened, *interval* since the statistics before. MB and GB are 2^20 and
2^30 bytes. The write amplification is that of the row *Sum*, or *Int*. Each column family has its own compaction.
Source of the layout: the output of RocksDB 7.8, and its ``db/internal_stats.cc``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from sim.data.importers.told import Number, Told, agree, number, whole_lines_of
from sim.engine.errors import InputError, shown
from sim.engine.units import KIB

_DUMP, _DB = "DUMPING STATS", "** DB Stats **"
_LOGGED = re.compile(r"^[0-9]{4}/[0-9]{2}/[0-9]{2}-[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{6} [0-9a-f]+ ", re.MULTILINE)
_SPANS = ("Cumulative", "Interval")
_UPTIME = re.compile(r"Uptime\(secs\): (?P<Cumulative>\S+) total, (?P<Interval>\S+) interval")
_FAMILY = re.compile(r"\*\* Compaction Stats \[(?P<family>.*)\] \*\*")
_LINES = {
    "writes": re.compile(
        r"(?P<writes>\S+) writes, .* (?P<commit_groups>\S+) commit groups, .* "
        r"ingest: (?P<gb>\S+) (?P<unit>[MG])B, (?P<ingest>\S+) MB/s"
    ),
    "WAL": re.compile(
        r"\S+ writes, (?P<wal_syncs>\S+) syncs, .* written: \S+ [MG]B, (?P<wal_throughput>\S+) MB/s"
    ),
    "stall": re.compile(r"\S+ H:M:S, (?P<stall_share>\S+) percent"),
    "compaction": re.compile(
        r".* GB write, (?P<compaction_writes>\S+) MB/s write, .* GB read, (?P<compaction_reads>\S+) MB/s read, .*"
    ),
}
"""Pattern of the text after ``Cumulative`` or ``Interval`` and each of these words."""

_OF_DB = tuple(f"{span} {name}" for span in _SPANS for name in ("writes", "WAL", "stall"))
_COUNTED = {"writes": "writes/s", "commit_groups": "groups/s", "wal_syncs": "syncs/s"}
_AMPLIFICATION = {"Sum": "Cumulative", "Int": "Interval"}
_ALLOWED = "allowed: statistics as RocksDB writes them; is the file cut short?"


@dataclass
class _Block:
    """One table of statistics: its lines by the text before their colon, and write amplifications by span."""

    line: int
    lines: dict[str, tuple[int, str]] = field(default_factory=dict)
    amplification: dict[str, tuple[int, Number]] = field(default_factory=dict)


def recognises(head: str) -> bool:
    """True if ``head`` is the beginning of a ``LOG`` of RocksDB, or of a part of one."""
    return _LOGGED.search(head) is not None or _DB in head.splitlines()


def told(path: Path) -> Iterator[Told]:
    """Yield the figures of the last statistics.

    Raises:
        InputError: one line with file and line for statistics that are cut short, or contradict themselves.
    """
    database, families = _last(path, whole_lines_of(path))
    if not database or not families:
        raise InputError(
            f"{path} ends before the first statistics; open the database with stats_dump_period_sec=60"
        )
    seconds = _seconds(path, database)
    for span in _SPANS:
        if seconds[span].value:
            for name in _OF_DB:
                if name.startswith(span):
                    yield from _figures(path, database, name, span.lower(), seconds[span])
            for family, block in families.items():
                part = f"{family} {span.lower()}"
                yield from _figures(path, block, f"{span} compaction", part, seconds[span])
                line, amplification = block.amplification.get(span, (0, Number(0.0, 0.0)))
                if amplification.value:
                    width = amplification.half_width
                    yield Told(line, "write_amplification", amplification.value, width, "", part=part)


def _last(path: Path, lines: Sequence[str]) -> tuple[_Block | None, dict[str, _Block]]:
    """The last table of the database, and those of its column families."""
    database: _Block | None = None
    families: dict[str, _Block] = {}
    block, heading, family = None, list[str](), ""
    for line, text in enumerate(lines, 1):
        name, colon, rest = text.partition(": ")
        if _DUMP in text:
            database, families, block = None, {}, None
        elif text == _DB:
            database = block = _Block(line)
        elif match := _FAMILY.fullmatch(text):
            family = match["family"]
        elif text.startswith("Level ") and "W-Amp" in text.split() and family:
            heading, block = text.split(), families.setdefault(family, _Block(line))
        elif block and text.split()[:1] in (["Sum"], ["Int"]) and heading:
            span = _AMPLIFICATION[text.split()[0]]
            block.amplification[span] = line, _amplification(f"{path}, line {line}", heading, text.split())
        elif block and colon:
            block.lines.setdefault(name, (line, rest))
    return database, families


def _amplification(place: str, heading: Sequence[str], words: Sequence[str]) -> Number:
    """The cell below *W-Amp*; sizes before it have a unit as a separate word."""
    if len(words) - len(heading) not in (0, 1):
        raise InputError(
            f"{place} has {len(words)} columns; allowed: {len(heading)} or one more; is it cut short?"
        )
    return number(place, "W-Amp", words[heading.index("W-Amp") - len(heading)])


def _seconds(path: Path, database: _Block) -> dict[str, Number]:
    """Time since the database was opened, and length of the last interval."""
    line, rest = database.lines.get("Uptime(secs)", (database.line, ""))
    match = _UPTIME.fullmatch(f"Uptime(secs): {rest}")
    if not match:
        raise InputError(f"{path}, line {line}: there is no 'Uptime(secs): …'; {_ALLOWED}")
    return {span: number(f"{path}, line {line}", span, match[span]) for span in _SPANS}


def _figures(path: Path, block: _Block, name: str, part: str, seconds: Number) -> Iterator[Told]:
    """The figures of one line of a table."""
    line, rest = block.lines.get(name, (block.line, ""))
    place, match = f"{path}, line {line}", _LINES[name.split()[1]].fullmatch(rest)
    if not match:
        raise InputError(f"{place}: '{name}: {shown(rest) or '…'}' is not there or in another form; {_ALLOWED}")
    found = {
        key: number(place, key, text, grouped=True) for key, text in match.groupdict().items() if key != "unit"
    }
    if "gb" in found:
        per_s = Number(1.0 / seconds.value, seconds.half_width / seconds.value**2)
        made = found.pop("gb").times(KIB if match["unit"] == "G" else 1.0).by(per_s)
        agree(place, found["ingest"], made, f"{match['gb']} {match['unit']}B in {seconds.value:g} s", what="MB/s")
    for measure, figure in found.items():
        if measure in _COUNTED:
            rate = figure.by(Number(1.0 / seconds.value, seconds.half_width / seconds.value**2))
            yield Told(line, measure, rate.value, rate.half_width, _COUNTED[measure], part=part)
        elif measure == "stall_share":
            yield Told(line, measure, figure.value, figure.half_width, "%", part=part)
        else:
            mb = figure.times(KIB**2 / 1e6)
            yield Told(line, measure, mb.value, mb.half_width, "MB/s", part=part)
