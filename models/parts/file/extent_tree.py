"""The extents of a file, which first writes to blocks change, one write at a time.

write ──> below ──> [extent tree] if its blocks were preallocated, unwritten or behind the end

Preallocated blocks count as zeros until they are written; the first write marks them as written, and only one
process at a time may change the extents of a file.
"""

from __future__ import annotations

from dataclasses import dataclass

from models.io import IO
from models.layer import Layer
from models.parts.file.lock_rules import Extents
from sim import Path, Station, Use


@dataclass(frozen=True)
class ExtentTree:
    """The extents of one file.

    Attributes:
        extents: state of the blocks before writes.
        convert_s: time to mark those of one write as written.
    """

    tree: Station
    extents: Extents
    convert_s: float
    below: Layer

    def path(self, io: IO) -> Path:
        """The write, and its change of extents."""
        if io.op == "read" or self.extents == "written" or not self.convert_s:
            return self.below.path(io)
        return (*self.below.path(io), Use(self.tree, self.convert_s))
