"""A host bus adapter limits the size of a request: a larger call becomes several simultaneous requests.

call ──┬──> request ──> below ──┐
       ├──> request ──> below ──┼──> done
       └──> request ──> below ──┘

So its bytes cross the fabric while drives still deliver others, and use several paths.
"""

from __future__ import annotations

from dataclasses import dataclass

from models.io import IO
from models.layer import Layer
from sim import Fork, Path


@dataclass(frozen=True)
class BusAdapter:
    """A host bus adapter, which splits large calls.

    Attributes:
        request_bytes: size of the largest request.
    """

    request_bytes: int
    below: Layer

    def path(self, io: IO) -> Path:
        """Steps of all requests of one call."""
        requests = [self.below.path(piece) for times, piece in io.split(self.request_bytes) for _ in range(times)]
        return requests[0] if len(requests) == 1 else (Fork(*requests),)
