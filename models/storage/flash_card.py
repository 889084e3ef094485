"""A flash card that works off large I/O piece by piece.

I/O ── latency, no queue ── its first piece comes in ──> [card: command + bytes / rate] ┐ for each piece
                                                               ▲── free for others ────┘

While one piece is worked on, the next comes in: only that of the first takes time of its own. The time of a piece
varies, so that several cards that share a large I/O wait for the slowest of them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from models.io import IO
from models.paths import varied
from sim import Delay, Path, Repeat, Station, Step, Use


@dataclass(frozen=True)
class FlashCard:
    """One card behind its driver.

    Attributes:
        latency_s: time there and back for which the card is free for others.
        coming_s_per_byte: time in which the first piece comes in.
        piece_bytes: the most that the card takes in one piece.
        command_s: the card's time for a piece, beside that for its bytes.
        bytes_per_s: rate at which it works off the bytes.
        between_s: time between two pieces of one I/O, for which the card is free for others.
        variation: coefficient of variation of the card's time for a piece; 0: always the same.
    """

    card: Station
    latency_s: float
    coming_s_per_byte: float
    piece_bytes: int
    command_s: float
    bytes_per_s: float
    between_s: float = 0.0
    variation: float = 0.0

    def path(self, io: IO) -> Path:
        """Come in, then queue for the card with every piece."""
        first = io.piece(min(io.size_bytes, self.piece_bytes))
        coming_s = first.size_bytes * self.coming_s_per_byte
        return (Delay(self.latency_s + coming_s), self._worked(first), *self._further(io, first))

    def _further(self, io: IO, first: IO) -> Iterator[Step]:
        """All pieces but the ``first``."""
        between = (Delay(self.between_s),) if self.between_s else ()
        for times, piece in io.piece(io.size_bytes - first.size_bytes).split(self.piece_bytes):
            yield Repeat(times, *between, self._worked(piece))

    def _worked(self, piece: IO) -> Use:
        time_s = self.command_s + piece.size_bytes / self.bytes_per_s
        return Use(self.card, varied(time_s, self.variation, "fitted"))
