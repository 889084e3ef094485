"""The intent log: it makes a write durable before its transaction group is written.

write, small pieces ──> dirty: written again, meanwhile or later ──> into the log ──> flush the drive ──> done
write, large pieces ──> the records to their final place, a pointer into the log ──> flush the drive ──> done

A write is cut into pieces, one a record. The log is never compressed, and one flush serves all pieces of a write.
"""

from __future__ import annotations

from dataclasses import dataclass

from models.io import IO
from models.layer import Layer
from sim import Path


@dataclass(frozen=True)
class IntentLog:
    """The intent log for one kind of file.

    Attributes:
        piece_bytes: the largest piece of a write that lies in one record.
        immediate_bytes: pieces up to this go into the log themselves.
        dirtied: bytes that the transaction group has to write, for each byte of a small piece.
        log, final, group: layers of log blocks, of records at their final place, and of the transaction group.
        flush: steps that make the drive write what it has accepted.
    """

    piece_bytes: int
    immediate_bytes: int
    dirtied: float
    log: Layer
    final: Layer
    group: Layer
    flush: Path

    def path(self, io: IO) -> Path:
        """One synchronous write."""
        if min(self.piece_bytes, io.size_bytes) > self.immediate_bytes:
            return (*self.final.path(io), *self.flush)
        dirty = IO("write", round(io.size_bytes * self.dirtied))
        return (*self.group.path(dirty), *self.log.path(io), *self.flush)
