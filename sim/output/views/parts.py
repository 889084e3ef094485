"""Parts of views: lines and tables for rich and for a page."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from typing import Protocol

from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, RenderableType
from rich.containers import Lines
from rich.table import Table
from rich.text import Text

GAP = 2
"""Blanks between two columns of a table."""

MARGIN = 14
"""Width of most headings, with the gap."""

_HEADING = re.compile(r" *\S+(?: \S+)*? {2,}| +")
"""Text before the hanging indent of a line: words and a gap, or blanks alone."""

_LEFT = ' style="text-align: left; white-space: pre-wrap"'
_RIGHT = ' style="text-align: right; white-space: pre"'


class Part(Protocol):
    """One part of a view."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[RenderableType]:
        """Render for a terminal, in its width."""

    def html(self) -> str:
        """Render for a page."""


@dataclass(frozen=True)
class Line:
    """A line of prose with an optional ``bold`` middle.

    Attributes:
        heading: length of the text that names the subject, such as *limit*, with the gap after it.
    """

    before: str
    bold: str = ""
    after: str = ""
    heading: int = 0

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[Text]:
        yield hanging(Text.assemble(self.before, (self.bold, "bold"), self.after), console, options.max_width)

    def html(self) -> str:
        """A row: the heading, if there is one, and the rest."""
        end = len(self.before) + len(self.bold) + len(self.after)
        if not self.heading:
            return f'<tr><td colspan="2"{_LEFT}>{self._cut(0, end)}</td></tr>'
        return (
            f"<tr><th{_LEFT}>{self._cut(0, self.heading)}</th><td{_LEFT}>{self._cut(self.heading, end)}</td></tr>"
        )

    def _cut(self, begin: int, end: int) -> str:
        """The line from character ``begin`` to ``end``, with its bold part marked."""
        first, last = len(self.before), len(self.before) + len(self.bold)
        whole = f"{self.before}{self.bold}{self.after}"
        before, bold, after = (
            escape(whole[max(begin, low) : min(end, high)])
            for low, high in ((0, first), (first, last), (last, len(whole)))
        )
        return f"{before}<b>{bold}</b>{after}".replace("<b></b>", "").strip()


def about(heading: str, text: str, bold: str = "") -> Line:
    """A line whose ``text`` begins in a fixed column, unless its ``heading``, which may be empty, is long."""
    margin = max(MARGIN, len(heading) + GAP)
    return Line(f"{heading:<{margin}}{text}", bold, heading=margin)


def hanging(line: Text, console: Console, width: int) -> Text:
    """``line`` wrapped to ``width``, with all lines but the first indented to the text after its first gap."""
    first = line.wrap(console, width)[0]
    first.rstrip()
    rest = line[len(first) :]
    rest = rest[len(rest) - len(rest.plain.lstrip()) :]
    heading = _HEADING.match(line.plain)
    indent = min(heading.end() if heading else GAP, width // 2)
    others = rest.wrap(console, width - indent) if rest else Lines()
    for other in others:
        other.rstrip()
        other.pad_left(indent)
    return Text("\n").join([first, *others])


@dataclass(frozen=True)
class Rows:
    """A table.

    Attributes:
        right: columns from this number on, up to ``left`` if given, are right-aligned and not broken.
    """

    headings: Sequence[str]
    rows: Sequence[Sequence[str]]
    right: int = 1_000
    left: int = 1_000

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[Table]:
        shown = table(*self.headings, right=self.right)
        for column in shown.columns[self.left :]:
            column.justify, column.no_wrap = "left", False
        for row in self.rows:
            shown.add_row(*row)
        yield shown

    def html(self) -> str:
        """Table that scrolls if it is too wide, or longer than the page's limit."""
        head = "".join(
            f'<th scope="col"{self._side(at)}>{escape(each)}</th>' for at, each in enumerate(self.headings)
        )
        body = "".join(f"<tr>{self._cells(row)}</tr>" for row in self.rows)
        whole = f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
        return f'<div style="overflow: auto; max-height: var(--tallest, 30em)" tabindex="0">{whole}</div>'

    def _cells(self, row: Sequence[str]) -> str:
        return "".join(f"<td{self._side(at)}>{escape(cell)}</td>" for at, cell in enumerate(row))

    def _side(self, column: int) -> str:
        return _RIGHT if self.right <= column < self.left else _LEFT


@dataclass(frozen=True)
class Wide:
    """A table that a narrow terminal prints in blocks; each begins with the first ``keys`` columns."""

    headings: Sequence[str]
    rows: Sequence[Sequence[str]]
    keys: int

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[Table | Text]:
        columns = zip(self.headings, *self.rows, strict=True)
        widths = [max(map(cell_len, column)) + GAP for column in columns]
        kept = list(range(self.keys))
        room = options.max_width - sum(widths[: self.keys]) + GAP  # nothing follows the last column
        for number, block in enumerate(blocks(range(self.keys, len(self.headings)), widths, room)):
            if number:
                yield Text("")
            wraps = widths[block[0]] - GAP > room  # a column wider than the terminal
            headings = [self.headings[index] for index in (*kept, *block)]
            shown = table(*headings) if wraps else table(*headings, right=self.keys)
            for key in shown.columns[: self.keys]:
                key.no_wrap = wraps
            for row in self.rows:
                shown.add_row(*(row[index] for index in (*kept, *block)))
            yield shown

    def html(self) -> str:
        """One table, which scrolls."""
        return Rows(self.headings, self.rows, self.keys).html()


def blocks(columns: Sequence[int], widths: Sequence[int], room: int) -> Iterator[list[int]]:
    """Split ``columns`` into blocks that fit in ``room``, of at least one column each.

    Args:
        widths: width of every column, with its gap.
    """
    block: list[int] = []
    for column in columns:
        if block and sum(widths[each] for each in (*block, column)) > room:
            yield block
            block = []
        block.append(column)
    yield block


def table(*columns: str, right: int = 1_000) -> Table:
    """A plain table; columns from number ``right`` on are aligned to the right."""
    rows = Table(box=None, pad_edge=False, title_justify="left", header_style="bold")
    for index, column in enumerate(columns):
        rows.add_column(column, justify="right" if index >= right else "left", no_wrap=index >= right)
    return rows
