"""Work of a cluster, one piece at a time for all nodes: inferred from figures; the responsible part is unknown.

request ──> [cluster request work]  for the request, and for each database block it touches ──> below

Eight users a node lose 10 to 20 % at small blocks among four nodes, and four users almost nothing: the behaviour
of one server with little variance near its limit. A server on each node, four times as slow, would make a single
user on four nodes 12 to 22 % too slow. Figures do not show asynchronous work, nor more than four nodes.
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
    """A server for each request, from any node.

    Attributes:
        server: one for the whole cluster.
        request_s: time there for a request, and for each block.
    """

    server: Station
    request_s: float
    below: Layer

    def path(self, io: IO) -> Path:
        """One visit for the request and, in proportion to its size, for its blocks; then go on below."""
        times = 1.0 + io.size_bytes / BLOCK_BYTES
        return (Use(self.server, times * self.request_s), *self.below.path(io))
