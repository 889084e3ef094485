"""The extents of a file, which a write to blocks that were never written changes, one write after the other.

write ──> below ──> [extent tree] if its blocks were preallocated, unwritten or behind the end

Blocks that were set aside count as zeros until they are written; the write that comes first marks them as written,
and while the extents of a file change nobody else may change them.
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
        extents: the blocks that are written to.
        convert_s: time to mark those of one write as written.
    """

    tree: Station
    extents: Extents
    convert_s: float
    below: Layer

    def path(self, io: IO) -> Path:
        """The write, and what it changes."""
        if io.op == "read" or self.extents == "written" or not self.convert_s:
            return self.below.path(io)
        return (*self.below.path(io), Use(self.tree, self.convert_s))
