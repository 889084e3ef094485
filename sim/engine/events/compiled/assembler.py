"""Pieces of memory and code that refer to each other before their addresses are known."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from sim.engine.events.compiled.instructions import packed
from sim.engine.events.compiled.layout import LINE
from sim.engine.events.compiled.opcodes import NAMES


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
"""The subject of an instruction; a function, if it takes time to compute, which is called only for a listing."""


def piece(cells: Sequence[Operand] = (), zeros: int = 0) -> Piece:
    """A piece that holds ``cells``, then ``zeros`` zeros."""
    return Piece([*cells], zeros)


class Assembler:
    """Collects code and other pieces, and lays them out.

    Attributes:
        code: the piece of the instructions, one per cell.
    """

    def __init__(self) -> None:
        self.code = Piece()
        self._codes: list[int] = []
        self._firsts: list[Operand] = []
        self._seconds: list[Operand] = []
        self._notes: list[Note] = []
        self._pieces: list[Piece] = []
        self._far: list[Piece] = []

    def add(self, new: Piece) -> Piece:
        """Keep ``new`` for the layout."""
        self._pieces.append(new)
        return new

    def add_far(self, new: Piece) -> Piece:
        """Keep a large piece for the end of the layout, so that instructions can reach all other pieces."""
        self._far.append(new)
        return new

    @property
    def cells(self) -> int:
        """The number of cells of all pieces so far."""
        return self.code.zeros + sum(each.size for each in [*self._pieces, *self._far])

    @property
    def here(self) -> Reference:
        """The address of the next instruction."""
        return Reference(self.code, self.code.zeros)

    def emit(self, code: int, first: Operand = 0, second: Operand = 0, *, note: Note = "") -> int:
        """Append an instruction; return its number, for ``patch``."""
        self._codes.append(code)
        self._firsts.append(first)
        self._seconds.append(second)
        self._notes.append(note)
        self.code.zeros += 1
        return self.code.zeros - 1

    def patch(self, number: int, first: Operand | None = None) -> None:
        """Set the first operand of instruction ``number``, by default to the address of the next instruction."""
        self._firsts[number] = self.here if first is None else first

    def lay_out(self, header: int) -> NDArray[np.int64]:
        """Code and pieces behind ``header`` cells of zeros, with every reference resolved.

        Places, which are added first, begin at a cache line each.
        """
        pieces = [*self._pieces, *self._far]
        self.code.start = header
        end = -(-(header + self.code.zeros) // LINE) * LINE
        for each in pieces:
            each.start, end = end, end + each.size
        memory = np.zeros(end, dtype=np.int64)
        code = packed(self._codes, _resolved(self._firsts), _resolved(self._seconds))
        memory[header : header + len(code)] = code
        begin, resolved = pieces[0].start if pieces else end, list[int]()
        for each in pieces:  # pieces without zeros between them are written at once: most have a few cells
            resolved += _resolved(each.cells)
            if each.zeros:
                memory[begin : begin + len(resolved)] = resolved
                begin, resolved = each.start + each.size, []
        memory[begin : begin + len(resolved)] = resolved
        return memory

    def listing(self) -> str:
        """The program as text: number, op-code, subject, and jump targets."""
        return "\n".join(map(self._line, range(self.code.zeros)))

    def _line(self, number: int) -> str:
        operands = self._firsts[number], self._seconds[number]
        targets = [
            f"→ {operand.offset}"
            for operand in operands
            if isinstance(operand, Reference) and operand.piece is self.code
        ]
        note = self._notes[number]
        about = note if isinstance(note, str) else note()
        name = NAMES[self._codes[number]]
        return " ".join(f"{number:5}  {name:<17}{about} {' '.join(targets)}".split(" ")).rstrip()


def _resolved(operands: Sequence[Operand]) -> list[int]:
    return [each if isinstance(each, int) else each.address for each in operands]
