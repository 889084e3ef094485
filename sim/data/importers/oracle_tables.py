"""The tables of a report of Oracle as text: headings above a ruler of dashes, and rows whose cells stand under it.

    Event                                Waits Time (sec)      Wait   time Class
    ------------------------------ ----------- ---------- --------- ------ --------
    log file sync                       23,671       33.4    1.41ms   92.8 Commit

The title of a table is the last line of words before its headings. The columns of AWR and Statspack have other
names, widths and units from one version to the next (10g to 19c); only the ruler stays.
"""

from __future__ import annotations

import re
from collections.abc import Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass

_RULER = re.compile(r"-{3,}( +-{2,})+ *")
_UNDERLINE = re.compile(r"[ ~]*~~[ ~]*")
_NOTE = re.compile(r"\s*(->.*|)")
_END = re.compile(r"\s*-{20,}\s*")


@dataclass(frozen=True)
class Row:
    """The cells of a row by their heading, its words with one space between; ``name`` is the first cell."""

    line: int
    title: str
    name: str
    cells: Mapping[str, str]


def rows(lines: Sequence[str]) -> Iterator[Row]:
    """Every row of every table, each with the title of its table."""
    number, title = 0, ""
    while number < len(lines):
        if _RULER.fullmatch(lines[number]):
            spans = [match.span() for match in re.finditer("-+", lines[number])]
            above = _above(lines, number)
            title = _title(lines, number - len(above), above) or title
            headings = _headings(above, spans)
            number = yield from _body(lines, number + 1, title, headings, spans)
        else:
            number += 1


def _above(lines: Sequence[str], ruler: int) -> Sequence[str]:
    """The lines of headings above the ``ruler``, up to a blank one, a note or an underline."""
    first = ruler
    while first and not (_NOTE.fullmatch(lines[first - 1]) or _UNDERLINE.fullmatch(lines[first - 1])):
        first -= 1
    return lines[first:ruler]


def _title(lines: Sequence[str], first: int, above: Sequence[str]) -> str:
    """The last line with a word before the headings, which begin at ``first``; empty if they begin a page.

    Statspack has the title of its first table beside the headings, and underlined there.
    """
    if len(above) > 1 and above[1].startswith("~~~"):
        return above[0].split("  ")[0].strip()
    for line in reversed(lines[max(0, first - 12) : first]):
        if not (_NOTE.fullmatch(line) or _UNDERLINE.fullmatch(line)):
            return "" if _END.fullmatch(line) else line.split("  ")[0].strip()
    return ""


def _headings(above: Sequence[str], spans: Sequence[tuple[int, int]]) -> list[str]:
    """Text above each column, from top to bottom."""
    return [" ".join(" ".join(line[begin:end] for line in above).split()) for begin, end in spans]


def _body(
    lines: Sequence[str], first: int, title: str, headings: Sequence[str], spans: Sequence[tuple[int, int]]
) -> Generator[Row, None, int]:
    """Yield the rows from ``first`` on; return the index of the line after them."""
    for number in range(first, len(lines)):
        line = lines[number]
        if not line.strip() or _END.fullmatch(line) or _RULER.fullmatch(line):
            return number
        cells = [line[begin:end].strip() for begin, end in spans]
        yield Row(number + 1, title, cells[0], dict(zip(headings, cells, strict=True)))
    return len(lines)
