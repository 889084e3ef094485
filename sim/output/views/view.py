"""A view: parts for a terminal, or parts and a picture for a page."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from html import escape
from itertools import groupby
from typing import TYPE_CHECKING, Generic, TypeVar

from rich.console import Console

from sim.output.pictures.style import embedded
from sim.output.views.parts import Line, Part

if TYPE_CHECKING:
    from matplotlib.figure import Figure

T = TypeVar("T")

_WIDTH = 115
"""Columns of plain text."""


@dataclass(frozen=True)
class PartsAndPicture(Generic[T]):
    """The view of a class ``T``.

    Attributes:
        parts: function to the printed parts.
        picture: function to the picture below them; None if there is nothing to draw.
        drawn: text alternative of the picture.
    """

    parts: Callable[[T], Iterator[Part]]
    picture: Callable[[T], Figure | None]
    drawn: str

    def html(self, shown: T) -> str:
        """HTML of the tables, then the picture on white."""
        figure = self.picture(shown)
        blocks = page_of(self.parts(shown))
        style = "max-width: 100%; background: white"
        drawn = f'<img alt="{escape(self.drawn)}" style="{style}" src="{embedded(figure)}">' if figure else ""
        return f'<div class="stacksim">{blocks}{drawn}</div>'

    def text(self, shown: T) -> str:
        """Plain text, ``_WIDTH`` columns wide."""
        buffer = io.StringIO()
        console = Console(file=buffer, width=_WIDTH, highlight=False, markup=False, force_jupyter=False)
        for part in self.parts(shown):
            console.print(part)
        return "\n".join(line.rstrip() for line in buffer.getvalue().splitlines())


def page_of(parts: Iterable[Part]) -> str:
    """HTML of the ``parts`` of a view."""
    return "".join(_blocks(parts))


def _blocks(parts: Iterable[Part]) -> Iterator[str]:
    """Yield a table for each run of lines; an empty line separates parts only in a terminal."""
    for are_lines, run in groupby(parts, lambda part: isinstance(part, Line)):
        blocks = [part.html() for part in run if part != Line("")]
        if blocks:
            yield f"<table>{''.join(blocks)}</table>" if are_lines else "".join(blocks)
