"""The database side of one open file: a session that moves one piece of a SecureFile LOB at a time.

piece ──> hold the session ── [cpu]                 call, LOB layer
                           ├─ [serial work]         of the node, one byte after the other
                           ├─ [cluster chunk work]  of all nodes, one piece after the other
                           └─ below                 the piece, to or from storage

Two of these are inferred from figures; the responsible parts are unknown. A node moves at most 0.92 GB/s, for any
number of users. Five copies of each byte would leave 4 GB/s of its memory, so the limit is in its single mount or
in its database instance. Four nodes move less than four times one. For writes this may be space of the LOB
segment, which passes between nodes; for reads, which take none, the cause is unknown.
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
        node_work, node_work_s_per_byte: one server that all sessions of the node share; exponential, because four
            users approach its limit as with an exponential server.
        cluster_work: one server for the whole cluster.
        cluster_work_s: mean exponential time of one call there, for the same reason; 0 if there is none.
    """

    session: Pool
    cpu: Station
    call_s: float
    node_work: Station
    node_work_s_per_byte: float
    cluster_work: Station
    cluster_work_s: float
    below: Layer

    def path(self, io: IO) -> Path:
        """One call that moves ``io``."""
        of_all = (Use(self.cluster_work, Exponential(self.cluster_work_s)),) if self.cluster_work_s else ()
        return (
            Hold(
                self.session,
                Use(self.cpu, self.call_s),
                Use(self.node_work, Exponential(io.size_bytes * self.node_work_s_per_byte)),
                *of_all,
                *self.below.path(io),
            ),
        )
