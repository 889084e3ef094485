"""Records: a file system that writes whole records must read what a write leaves of the old one.

write ──> each record that is not written whole, and not in memory: read it, below ──> the record, below

scattered blocks    each in a record of its own: read, unless a block is whole records
in sequence         each record is entered once, by a write that leaves part of it for the next: read
a new file          there is nothing to read
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from models.io import IO
from models.layer import Layer
from sim.steps import Choose, Path, Repeat

Pattern = Literal["scattered", "sequence", "new"]


@dataclass(frozen=True)
class Records:
    """One file in records.

    Attributes:
        block_bytes: of one scattered block.
        read_bytes: that the device reads at least, for small records.
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
        whole = self.block_bytes % self.record_bytes == 0
        if self.pattern == "new" or not self.missing or (self.pattern == "scattered" and whole):
            return ()
        fetch = self.storage.path(IO("read", unit_bytes))
        each = (Choose((self.missing, fetch), (1.0 - self.missing, ())),)
        times, rest = divmod(size_bytes, self.block_bytes if self.pattern == "scattered" else unit_bytes)
        repeated = (Repeat(times, *each),) if times else ()
        share = rest / unit_bytes
        return (*repeated, Choose((share, each), (1.0 - share, ()))) if rest else repeated
