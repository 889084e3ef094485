"""Work that a cluster does one piece at a time, for all nodes: found in figures; no part is known that does it.

request ──> [cluster request work]  for the request, and for each database block it touches ──> below

Eight users a node lose 10 to 20 % at small blocks among four nodes, and four users next to nothing: what one
server with little variance does that nears its limit. A server on each node, four times as slow, would make a lone
user on four nodes 12 to 22 % too slow. What nobody waits for, and more than four nodes, the figures do not tell.
"""

from __future__ import annotations

from dataclasses import dataclass

from models.io import IO
from models.layer import Layer
from sim import Path, Station, Use

BLOCK_BYTES = 8192
"""Size of a database block (Oracle's default, and that of SecureFile chunks)."""


@dataclass(frozen=True)
class ClusterWork:
    """What each request waits for, whichever node it comes from.

    Attributes:
        server: one for the whole cluster.
        request_s: time there for a request, and for each block.
    """

    server: Station
    request_s: float
    below: Layer

    def path(self, io: IO) -> Path:
        """Once for the request and, in proportion to its size, for its blocks; then go on below."""
        times = 1.0 + io.size_bytes / BLOCK_BYTES
        return (Use(self.server, times * self.request_s), *self.below.path(io))
