"""A FUSE mount: each call becomes requests to a daemon in user space, one after the other.

call ──> pieces of at most 128 KiB ──> a request each ──> below
         without direct_io, writes of a page each

Requests about names and attributes go the same way and carry no data.
"""

from __future__ import annotations

from dataclasses import dataclass

from models.io import IO
from models.layer import Layer
from models.parts.fuse.request import FuseRequests
from models.paths import pieces
from sim import Path, Step

REQUEST_BYTES = 128 * 1024
"""Largest request with direct_io (white paper on DBFS, known issue "High SYS mode CPU"), and largest read-ahead of
the kernel without it (32 pages)."""

PAGE_BYTES, HEADER_BYTES = 4096, 64
"""A written request without direct_io: one page and its header (the same known issue)."""


@dataclass(frozen=True)
class FuseMount:
    """One mount with its daemon.

    Attributes:
        direct_io: True if mounted with ``-o direct_io``: no page cache, and large requests for writes, too.
    """

    requests: FuseRequests
    direct_io: bool
    below: Layer

    def path(self, io: IO) -> Path:
        """Steps of all requests of one call, one after the other."""
        by_page = io.op == "write" and not self.direct_io
        return pieces(io, PAGE_BYTES if by_page else REQUEST_BYTES, self._moved)

    def request(self, *served: Step) -> Path:
        """Steps of one request about a name or attributes; the daemon's steps are ``served``."""
        return self.requests.waited_for(self.requests.served(*served))

    def _moved(self, io: IO) -> Path:
        """One request with its bytes."""
        carried_bytes = io.size_bytes + (0 if self.direct_io else HEADER_BYTES)
        return self.requests.waited_for(self.requests.moved(io.op, carried_bytes, self.below.path(io)))
