"""Records: a file system that writes whole records must read the rest of a partly overwritten one.

write ──> each record that is not written whole, and not in memory: read it, below ──> the record, below

scattered blocks    each record of which a block leaves part: read
in sequence         each record is entered once, by a write that leaves part of it for the next: read
a new file          there is nothing to read

Each record that a call touches is looked up, held and, if written, made part of a transaction.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, gcd
from typing import Literal

from models.io import IO
from models.layer import Layer
from models.parts.host.processor import Processor
from models.paths import maybe
from sim import Path, Repeat

Pattern = Literal["scattered", "sequence", "new"]


@dataclass(frozen=True)
class Records:
    """One file in records.

    Attributes:
        block_bytes: size of one scattered block.
        read_bytes: smallest read of the device, for small records.
        missing: share of the records that are not in memory.
    """

    pattern: Pattern
    record_bytes: int
    block_bytes: int
    read_bytes: int
    missing: float
    storage: Layer
    below: Layer

    def path(self, io: IO) -> Path:
        """One write of any number of blocks; records are read one after the other."""
        return (*self._read(io.size_bytes), *self.below.path(io))

    def _read(self, size_bytes: int) -> Path:
        unit_bytes = max(self.record_bytes, self.read_bytes)
        scattered = self.pattern == "scattered"
        reads, per_bytes = cut(self.block_bytes, self.record_bytes) if scattered else (1, unit_bytes)
        if self.pattern == "new" or not self.missing or not reads:
            return ()
        fetch = self.storage.path(IO("read", unit_bytes))
        read = (maybe(self.missing, *fetch),)
        times, rest = divmod(size_bytes * reads, per_bytes)
        repeated = (Repeat(times, *read),) if times else ()
        return (*repeated, maybe(rest / per_bytes, *read)) if rest else repeated


@dataclass(frozen=True)
class Entered:
    """Records that calls enter one after the other, with ``record_s`` of a core for each.

    Attributes:
        piece_bytes: largest part of a call in one record.
    """

    cpu: Processor
    record_s: float
    piece_bytes: int
    below: Layer

    def path(self, io: IO) -> Path:
        """Steps of one call."""
        records = ceil(io.size_bytes / self.piece_bytes)
        return (self.cpu.system(records * self.record_s), *self.below.path(io))


def touched_bytes(block_bytes: int, record_bytes: int) -> int:
    """Mean bytes of all records that a block touches, over a file of such blocks.

    Blocks begin at all multiples of the common divisor of both sizes in a record, equally often.
    """
    return block_bytes + record_bytes - gcd(block_bytes, record_bytes)


def cut(block_bytes: int, record_bytes: int) -> tuple[int, int]:
    """Number of records that blocks overwrite partly, and the bytes of these blocks.

    Of the possible starts, all but one cut a record before the block, and all but one after it; a block
    that lies inside a record cuts one record at both ends.
    """
    starts = record_bytes // gcd(block_bytes, record_bytes)
    inside = max(0, (record_bytes - block_bytes) * starts // record_bytes - 1)
    return 2 * (starts - 1) - inside, block_bytes * starts
