"""Pieces of memory and code that refer to each other before it is known where they will lie."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from sim.engines.compiled.opcodes import INSTRUCTION_SIZE, NAMES


@dataclass(eq=False)
class Piece:
    """Consecutive cells: some with values (numbers, or references to other pieces), then zeros."""

    cells: list[Operand] = field(default_factory=list)
    zeros: int = 0
    start: int = -1

    @property
    def size(self) -> int:
        return len(self.cells) + self.zeros

    @property
    def address(self) -> int:
        return self.start


@dataclass(frozen=True, eq=False)
class Reference:
    """The cell at ``offset`` of a piece."""

    piece: Piece
    offset: int

    @property
    def address(self) -> int:
        return self.piece.start + self.offset


Operand = int | Piece | Reference
Note = str | Callable[[], str]
"""The subject of an instruction; a function, where that takes time, is called for the listing only."""


def piece(cells: Sequence[Operand] = (), zeros: int = 0) -> Piece:
    """A piece that holds ``cells``, then ``zeros`` zeros."""
    return Piece([*cells], zeros)


class Assembler:
    """Collects code and other pieces, and lays them out."""

    def __init__(self) -> None:
        self.code = Piece()
        self.notes: list[Note] = []
        self._pieces: list[Piece] = []

    def add(self, new: Piece) -> Piece:
        """Keep ``new`` for the layout."""
        self._pieces.append(new)
        return new

    @property
    def cells(self) -> int:
        """The number of cells of all pieces so far."""
        return self.code.size + sum(each.size for each in self._pieces)

    @property
    def here(self) -> Reference:
        """The address of the next instruction."""
        return Reference(self.code, len(self.code.cells))

    def emit(
        self, code: int, first: Operand = 0, second: Operand = 0, third: Operand = 0, *, note: Note = ""
    ) -> int:
        """Append an instruction; return the index of its first operand, for ``patch``."""
        cells = self.code.cells
        cells += (code, first, second, third)
        self.notes.append(note)
        return len(cells) - INSTRUCTION_SIZE + 1

    def patch(self, operand: int) -> None:
        """Let an operand emitted earlier refer to the next instruction."""
        self.code.cells[operand] = self.here

    def lay_out(self, header: int) -> NDArray[np.int64]:
        """All pieces behind ``header`` cells of zeros, with every reference resolved."""
        pieces = [self.code, *self._pieces]
        end = header
        for each in pieces:
            each.start, end = end, end + each.size
        memory = np.zeros(end, dtype=np.int64)
        begin, resolved = header, list[int]()
        for each in pieces:  # those without zeros between them at once: most have a few cells
            resolved += [cell if isinstance(cell, int) else cell.address for cell in each.cells]
            if each.zeros:
                memory[begin : begin + len(resolved)] = resolved
                begin, resolved = each.start + each.size, []
        memory[begin : begin + len(resolved)] = resolved
        return memory

    def listing(self) -> str:
        """The program as text: number, op-code, what it is about, and jump targets."""
        lines = []
        for number, note in enumerate(self.notes):
            cells = self.code.cells[number * INSTRUCTION_SIZE : (number + 1) * INSTRUCTION_SIZE]
            targets = [
                f"→ {cell.offset // INSTRUCTION_SIZE}"
                for cell in cells
                if isinstance(cell, Reference) and cell.piece is self.code
            ]
            code = cells[0]
            name = NAMES[code] if isinstance(code, int) else "?"
            about = note if isinstance(note, str) else note()
            lines.append(" ".join(f"{number:5}  {name:<17}{about} {' '.join(targets)}".split(" ")).rstrip())
        return "\n".join(lines)
