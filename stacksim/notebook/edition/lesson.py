"""A lesson as its sections, whose cells become a page, slides and a handout."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import nbformat

_HEADING = re.compile(r"^## (.*)$", re.MULTILINE)
_IN_PLACE_OF_NONE = re.compile(r"\s*\b(?:Put|Write)\s+your\s[^.]*\sin\s+place\s+of\s+`None`\.")
"""Instruction for a guess in a notebook; a page has a field."""

_SOLUTION = re.compile(r"\*\*(\d+)\.\*\*")


@dataclass(frozen=True)
class Cell:
    """Prose, or code with what it showed.

    Attributes:
        about: what the metadata say to the tests: ``statement`` or ``solution``.
    """

    source: str
    code: bool = False
    outputs: Sequence[nbformat.NotebookNode] = ()
    about: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Part:
    """Some cells that belong together, such as one solution, whose ``title`` they have."""

    title: str
    cells: list[Cell]


@dataclass(frozen=True)
class Section:
    """Cells below a heading of the second level; the first section has no title."""

    title: str
    cells: list[Cell]

    @property
    def slides(self) -> list[Part]:
        """A part for each cell of prose, with the cells of code below it."""
        parts: list[Part] = []
        for cell in self.cells:
            if not parts or not cell.code:
                parts.append(Part(self.title, []))
            parts[-1].cells.append(cell)
        return parts

    @property
    def solutions(self) -> list[Part]:
        """A part for each solution, and untitled ones for what stands before and behind them."""
        parts: list[Part] = []
        for cell in self.cells:
            number = None if cell.code else _SOLUTION.match(cell.source)
            over = not cell.code and bool(parts) and any("solution" in each.about for each in parts[-1].cells)
            if not parts or number or over:
                parts.append(Part(f"Solution {number[1]}" if number else "", []))
            parts[-1].cells.append(cell)
        return parts


@dataclass(frozen=True)
class Lesson:
    """A notebook by its file name without suffix; ``title`` is its question."""

    name: str
    title: str
    sections: list[Section]

    @classmethod
    def of(cls, name: str, notebook: nbformat.NotebookNode) -> Lesson:
        """The lesson of a notebook, executed or not."""
        first, _, rest = notebook.cells[0].source.partition("\n")
        sections = [Section("", [Cell(rest.strip())])]
        for cell in notebook.cells[1:]:
            for title, part in _split(cell):
                if title:
                    sections.append(Section(title, []))
                if part:
                    sections[-1].cells.append(part)
        return cls(name, first.lstrip("# "), sections)

    @property
    def number(self) -> str:
        """Number of the lesson, as in its file name."""
        return self.name.partition("-")[0]


def read(path: Path) -> nbformat.NotebookNode:
    """The notebook in the file ``path``."""
    return nbformat.read(path, as_version=nbformat.NO_CONVERT)  # type: ignore[no-any-return, no-untyped-call]


def _split(cell: nbformat.NotebookNode) -> Iterator[tuple[str, Cell | None]]:
    """Headings of ``cell``, each with what stands below it; first what stands above all of them."""
    if cell.cell_type == "code":
        yield "", Cell(cell.source, code=True, outputs=cell.outputs, about=cell.metadata.get("stacksim", {}))
        return
    above, *parts = _HEADING.split(_IN_PLACE_OF_NONE.sub("", cell.source))
    for title, text in [("", above), *zip(parts[::2], parts[1::2], strict=True)]:
        yield title, Cell(text.strip()) if text.strip() else None
