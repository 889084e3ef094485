"""The intent log: it makes a write durable before its transaction group is written.

write, small pieces ──> dirty: written again, meanwhile or later ──> into the log ──> flush the drive ──> done
write, large pieces ──> the records to their final place, a pointer into the log ──> flush the drive ──> done

A write is cut into pieces, one a record. The log is never compressed, and one flush serves all pieces of a write.
Log blocks hold whole pieces, so that three of 32 KiB, each with its header, fill a block of 128 KiB.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from models.io import IO
from models.layer import Layer
from sim import Path

BLOCK_BYTES, UNIT_BYTES = 128 * 1024, 4 * 1024
"""The largest log block, and the unit of its size (OpenSolaris of 2006, zil.h)."""

HEADER_BYTES, TRAILER_BYTES = 192, 184
"""Bytes before a piece in the log, and after the last piece of a block (zil.h)."""


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
        logged = IO("write", logged_bytes(io.size_bytes, self.piece_bytes))
        return (*self.group.path(dirty), *self.log.path(logged), *self.flush)


def logged_bytes(size_bytes: int, piece_bytes: int) -> int:
    """Bytes of the log blocks that hold a write of ``size_bytes`` in pieces, each of them in one block.

    The rest of the last of several blocks is filled by the next write.
    """
    pieces = size_bytes / piece_bytes
    needed = size_bytes + math.ceil(pieces) * HEADER_BYTES + TRAILER_BYTES
    if needed <= BLOCK_BYTES:
        return math.ceil(needed / UNIT_BYTES) * UNIT_BYTES
    in_a_block = max(1, (BLOCK_BYTES - TRAILER_BYTES) // (piece_bytes + HEADER_BYTES))
    return max(BLOCK_BYTES, round(pieces / in_a_block * BLOCK_BYTES))
