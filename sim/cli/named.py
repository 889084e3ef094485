"""A table of numbers with long names: on a narrow terminal, names have lines of their own."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rich.cells import cell_len
from rich.console import Console, ConsoleOptions
from rich.table import Table
from rich.text import Text

from sim.output.views.parts import GAP, blocks, hanging, table


@dataclass(frozen=True)
class Named:
    """Rows that begin with ``keys`` names; if a row is too long, its numbers stand below its names, uncut."""

    title: str
    headings: Sequence[str]
    rows: Sequence[Sequence[str]]
    keys: int

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[Table | Text]:
        widths = [max(map(cell_len, column)) + GAP for column in zip(self.headings, *self.rows, strict=True)]
        if sum(widths) - GAP <= options.max_width:  # nothing follows the last column
            yield self._table()
            return
        yield Text(self.title, "table.title")
        numbers = range(self.keys, len(self.headings))
        cut = list(blocks(numbers, widths, options.max_width))  # a gap before each, none behind the last
        for row, style in ((self.headings, "bold"), *((row, "") for row in self.rows)):
            names = Text((" " * GAP).join(filter(None, row[: self.keys])), style)
            yield hanging(names, console, options.max_width)
            for block in cut:
                yield Text("".join(row[each].rjust(widths[each]) for each in block), style)

    def _table(self) -> Table:
        """Everything as one table."""
        whole = table(*self.headings, right=self.keys)
        whole.title = self.title
        for row in self.rows:
            whole.add_row(*row)
        return whole
