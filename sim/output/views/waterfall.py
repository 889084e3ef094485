"""A waterfall: shares of a whole, each with a bar that begins where the one before it ends."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rich.cells import cell_len
from rich.console import Console, ConsoleOptions

from sim.output.views.parts import GAP, Rows

BAR = 24
"""Characters of a bar that is the whole, where there is room."""

LEAST = 8
"""Characters below which the bars are left out."""

_NUMBERS = ("share", "time", "visits")


@dataclass(frozen=True)
class Step:
    """One share.

    Attributes:
        numbers: share, time and visits.
        what: what takes the time.
        begin, end: where its bar lies in the whole, from 0 to 1.
        mark: the character of which the bar is made; without it there is no bar.
    """

    numbers: tuple[str, str, str]
    what: str
    begin: float = 0.0
    end: float = 0.0
    mark: str = ""

    def bar(self, width: int) -> str:
        """Its place in a whole of ``width`` characters; one at least, which may lie behind the last."""
        first, last = round(width * self.begin), round(width * self.end)
        return " " * first + self.mark * max(1, last - first) if self.mark else ""


@dataclass(frozen=True)
class Waterfall:
    """A table of steps; a terminal without room for it shortens the bars or leaves them out, and no number."""

    steps: Sequence[Step]

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[Rows]:
        yield self._rows(self._room(options.max_width))

    def html(self) -> str:
        """The table with bars of full length."""
        return self._rows(BAR).html()

    def _room(self, width: int) -> int:
        """Characters for a whole bar in a table of that ``width``; 0 if they are too few."""
        columns = zip((*_NUMBERS, ""), *((*step.numbers, step.what) for step in self.steps), strict=True)
        others = sum(max(map(cell_len, column)) + GAP for column in columns)
        room = min(BAR, width - others - 1)  # a bar may lie behind the last character
        return room if room >= LEAST else 0

    def _rows(self, bar: int) -> Rows:
        """The table with bars of so many characters; without them if 0."""
        drawn = [(step.bar(bar),) if bar else () for step in self.steps]
        rows = [(*step.numbers, *bars, step.what) for step, bars in zip(self.steps, drawn, strict=True)]
        return Rows((*_NUMBERS, *([""] if bar else []), ""), rows, right=0, left=len(_NUMBERS))
