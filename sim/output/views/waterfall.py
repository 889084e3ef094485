"""A waterfall: shares of a whole, each with a bar that begins where the one before it ends."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rich.cells import cell_len
from rich.console import Console, ConsoleOptions

from sim.output.views.parts import GAP, Rows

BAR = 24
"""Width of a full bar, if there is room."""

LEAST = 8
"""Width of a full bar below which bars are left out."""

_NUMBERS = ("share", "time", "visits")


@dataclass(frozen=True)
class Step:
    """One share.

    Attributes:
        numbers: share, time and visits.
        what: name of the share.
        begin, end: ends of its bar in the whole, from 0 to 1.
        mark: character of the bar; without it there is none.
    """

    numbers: tuple[str, str, str]
    what: str
    begin: float = 0.0
    end: float = 0.0
    mark: str = ""

    def bar(self, width: int) -> str:
        """Bar in a whole of ``width`` characters; at least one long, which may lie after the last."""
        first, last = round(width * self.begin), round(width * self.end)
        return " " * first + self.mark * max(1, last - first) if self.mark else ""


@dataclass(frozen=True)
class Waterfall:
    """A table of steps; a narrow terminal gets shorter bars or none, and all numbers."""

    steps: Sequence[Step]

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[Rows]:
        yield self._rows(self._room(options.max_width))

    def html(self) -> str:
        """HTML of the table with full bars."""
        return self._rows(BAR).html()

    def _room(self, width: int) -> int:
        """Width of a whole bar in a table of that ``width``; 0 if it is too small."""
        columns = zip((*_NUMBERS, ""), *((*step.numbers, step.what) for step in self.steps), strict=True)
        others = sum(max(map(cell_len, column)) + GAP for column in columns)
        room = min(BAR, width - others - 1)  # a bar may lie behind the last character
        return room if room >= LEAST else 0

    def _rows(self, bar: int) -> Rows:
        """The table with bars of ``bar`` characters; without them if 0."""
        drawn = [(step.bar(bar),) if bar else () for step in self.steps]
        rows = [(*step.numbers, *bars, step.what) for step, bars in zip(self.steps, drawn, strict=True)]
        return Rows((*_NUMBERS, *([""] if bar else []), ""), rows, right=0, left=len(_NUMBERS))
