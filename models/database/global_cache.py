"""Blocks that the nodes of a cluster share: one directory grants access to them.

request ──> [directory]  one message for the request, one for each database block it touches ──> below

Rights are handed out one after the other, for all nodes; so small requests of many nodes meet here long before
their bytes meet anywhere.
"""

from __future__ import annotations

from dataclasses import dataclass

from models.io import IO
from models.layer import Layer
from sim import Path, Station, Use

BLOCK_BYTES = 8192
"""Size of a database block (Oracle's default, and that of SecureFile chunks)."""


@dataclass(frozen=True)
class GlobalCache:
    """Access to shared blocks.

    Attributes:
        directory: one server for the whole cluster.
        message_s: time of one message there.
    """

    directory: Station
    message_s: float
    below: Layer

    def path(self, io: IO) -> Path:
        """Ask for the request and, in proportion to its size, for its blocks; then go on below."""
        messages = 1.0 + io.size_bytes / BLOCK_BYTES
        return (Use(self.directory, messages * self.message_s), *self.below.path(io))
