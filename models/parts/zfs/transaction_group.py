"""Transaction groups: changed records gather in memory and are written together, to new places.

change ──> put into [dirty bytes]: wait while they are too many ──> done
sync   ──> take a group out ──> below, in one go ──> again
"""

from __future__ import annotations

from dataclasses import dataclass

from models.io import IO
from models.layer import Layer
from models.paths import pieces
from sim import Buffer, Closed, Path, Put, Take

PERIOD_S = 5.0
"""Largest time between groups (OpenSolaris, txg.c: txg_time)."""


@dataclass(frozen=True)
class TransactionGroups:
    """The transaction groups of one pool; ``group_bytes`` are written at a time."""

    dirty: Buffer
    group_bytes: int
    below: Layer

    def path(self, io: IO) -> Path:
        """Change ``io.size_bytes``; without room for them the caller waits until a group is written."""
        return pieces(io, self.group_bytes, lambda piece: (Put(self.dirty, piece.size_bytes),))

    def sync(self, name: str, *, group: str) -> Closed:
        """The thread that writes the groups."""
        written = self.below.path(IO("write", self.group_bytes))
        return Closed(name, clients=1, path=(Take(self.dirty, self.group_bytes), *written), group=group)
