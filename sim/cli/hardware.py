"""`stacksim hardware`: the catalogue by kind, or all of one entry."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Sequence
from dataclasses import asdict

from sim.cli import console
from sim.cli.console import out
from sim.data.hardware import Hardware, Limit, catalogue, hardware, kinds
from sim.data.hardware.words import period_text, short_text, value_text
from sim.engine import checks
from sim.output.views.parts import table
from sim.output.views.words import words

WIDTH = 80
"""Width of all output."""

_COLUMNS = {
    "bandwidth": "bandwidth",
    "both ways": "duplex_bandwidth",
    "IOPS": "iops",
    "latency": "latency",
    "memory": "memory",
}
"""Headings of the table of a kind, and the limit under each."""

_GAP = 2
"""Blanks between two columns."""

_BURST = {"bandwidth": "burst_bandwidth", "iops": "burst_iops"}
_MORE = "*"


Printed = list[Hardware]
"""The JSON of ``hardware --json``."""


def command(names: Sequence[str], kind: str | None, *, as_json: bool) -> None:
    """Print the entries ``names``, or all of a ``kind``, or all.

    Raises:
        InputError: an unknown name or kind; the message has the nearest one.
    """
    chosen = [hardware(name) for name in names] or list(catalogue().values())
    if kind is not None:
        checks.known("kind of hardware", kind, kinds())
        chosen = [each for each in chosen if each.kind == kind]
    if as_json:
        console.out_json([asdict(each) for each in chosen])
    elif names:
        for number, each in enumerate(chosen):
            out("\n" * bool(number) + "\n".join(_entry(each)))
    else:
        _print_table(chosen)


def _print_table(entries: Iterable[Hardware]) -> None:
    by_kind: dict[str, list[Hardware]] = {}
    for each in entries:
        by_kind.setdefault(each.kind, []).append(each)
    for kind, members in by_kind.items():
        _print_kind(kind, members)
        out("")
    out(f"{_MORE} more for a while: a burst. a/b: reads/writes. As of today")
    out("`stacksim hardware NAME` lists all limits of one, with dates and sources")


def _print_kind(kind: str, members: Sequence[Hardware]) -> None:
    columns = {heading: [_cell(each, what) for each in members] for heading, what in _COLUMNS.items()}
    known = {heading: cells for heading, cells in columns.items() if any(cells)}
    names = [each.name for each in members]
    narrow = {kind: names, **known, "since": [each.since[:4] for each in members]}
    taken = sum(max(map(len, (heading, *cells))) + _GAP for heading, cells in narrow.items())
    rows = table(*narrow, "what it is", right=1)
    title = rows.columns[-1]
    title.justify, title.no_wrap, title.max_width = "left", False, WIDTH - taken
    for cells in zip(*narrow.values(), [each.title for each in members], strict=True):
        rows.add_row(*cells)
    out(rows)


def _cell(entry: Hardware, what: str) -> str:
    """The present limit, separately for reads and writes if they differ; empty if there is none."""
    bounds = filter(None, (entry.limit(what, op) for op in ("read", "write")))
    texts = list(dict.fromkeys(short_text(each) for each in bounds))
    if len(texts) > 1:
        texts[0] = texts[0].partition(" ")[0]  # both have the same unit
    return "/".join(texts) + _MORE * bool(entry.limit(_BURST.get(what, "")))


def _entry(entry: Hardware) -> list[str]:
    """All entries of one record, in lines."""
    also = f"; also {', '.join(entry.aliases)}" if entry.aliases else ""
    lines = _folded(f"{entry.name}: {entry.title} ({entry.kind}, {entry.since}{also})")
    if entry.line:
        data, sent = entry.line.code
        lanes = f"{entry.line.lanes} lanes of " if entry.line.lanes > 1 else ""
        rate = f"{entry.line.bits_per_s / 1e9:g} Gb/s"
        lines += _folded(f"line: {lanes}{rate}, {data} of {sent} bits are data")
    sources = list(dict.fromkeys((entry.source, *(limit.source for limit in entry.limits))))
    lines += ["", *_limits(entry.limits, sources), ""]
    if len(sources) == 1:
        return lines + _folded(f"source: {entry.source}")
    return lines + [line for number, source in enumerate(sources, 1) for line in _folded(f"[{number}] {source}")]


def _limits(limits: Sequence[Limit], sources: Sequence[str]) -> list[str]:
    """A table of limits, each with the number of its source if there are several, and its note under it."""
    numbers = {source: f"[{number}]" * (len(sources) > 1) for number, source in enumerate(sources, 1)}
    rows = [
        (words(each.what), value_text(each), each.op or "", period_text(each), each.basis, numbers[each.source])
        for each in limits
    ]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = []
    for limit, row in zip(limits, rows, strict=True):
        cells = (cell.ljust(width) for cell, width in zip(row, widths, strict=True) if width)
        lines.append((" " * _GAP).join(cells).rstrip())
        lines += _folded(limit.note, "    ")
    return lines


def _folded(text: str, indent: str = "") -> list[str]:
    return textwrap.wrap(text, WIDTH, initial_indent=indent, subsequent_indent=indent or "  ")
