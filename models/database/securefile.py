"""The database side of one open file: a session that moves one piece of a SecureFile LOB at a time.

piece ──> hold the session ── [cpu]      call, LOB layer
                           ├─ [memory]   all copies of the piece in the node
                           ├─ [segment]  the one LOB segment that all nodes share
                           └─ below      the piece to or from storage
"""

from __future__ import annotations

from dataclasses import dataclass

from models.io import IO
from models.layer import Layer
from sim import Exponential, Hold, Path, Pool, Station, Use


@dataclass(frozen=True)
class LobSession:
    """One database session.

    Attributes:
        session: one token: calls of a session follow one another.
        cpu: the cores of the node.
        call_s: time on a core for one call.
        memory, memory_s_per_byte: one server that all sessions of the node share; exponential, as pages of a
            chunk lie near or far on a machine of two sockets, and other copies interrupt.
        segment: one server for the whole cluster: space and inodes of the LOB segment.
        segment_s: mean time that one call keeps the segment; exponential, as it depends on which node had it last.
    """

    session: Pool
    cpu: Station
    call_s: float
    memory: Station
    memory_s_per_byte: float
    segment: Station
    segment_s: float
    below: Layer

    def path(self, io: IO) -> Path:
        """One call that moves ``io``."""
        return (
            Hold(
                self.session,
                Use(self.cpu, self.call_s),
                Use(self.memory, Exponential(io.size_bytes * self.memory_s_per_byte)),
                Use(self.segment, Exponential(self.segment_s)),
                *self.below.path(io),
            ),
        )
