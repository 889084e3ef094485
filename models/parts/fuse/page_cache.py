"""The page cache of a FUSE mount without direct_io, as one open file sees it.

write ──> [cores] copy into pages ──> below: the mount, which sends a page a request
read  ──> below: pages that were read ahead, piece by piece ──> [cores] copy

The kernel reads ahead in requests of up to 32 pages, whatever the size of the calls (fuse_readpages and
FUSE_MAX_PAGES_PER_REQ in fs/fuse of Linux 3.0; VM_MAX_READAHEAD is 128 KiB, too). Writes go page by page, as there
is no big_writes before FUSE 2.8.
"""

from __future__ import annotations

from dataclasses import dataclass

from models.io import IO
from models.layer import Layer
from models.paths import pieces
from sim import Path, Station, Use
from sim.units import KIB

WINDOW_BYTES = 128 * KIB
"""What is read ahead at once."""


@dataclass(frozen=True)
class FusePageCache:
    """Calls on one open file.

    Attributes:
        cores: of the host.
        copy_s_per_byte: of a core, one copy between pages and caller.
        below: of writes the mount, of reads what was read ahead, which gives at most ``WINDOW_BYTES`` at once.
    """

    cores: Station
    copy_s_per_byte: float
    below: Layer

    def path(self, io: IO) -> Path:
        """One call."""
        copy = Use(self.cores, io.size_bytes * self.copy_s_per_byte)
        if io.op == "write":
            return (copy, *self.below.path(io))
        return (*pieces(io, WINDOW_BYTES, self.below.path), copy)
