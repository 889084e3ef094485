"""dd: one I/O after the other.

[call and copy on a core] ──> layer below ──> again
"""

from __future__ import annotations

from models.io import IO
from models.layer import Layer
from sim import Closed, Station, Use


def dd(name: str, io: IO, below: Layer, cpu: Station, call_s: float, *, group: str) -> Closed:
    """One ``dd``: one I/O after the other, each a system call of ``call_s`` seconds on a core of ``cpu``."""
    return Closed(name, clients=1, path=[Use(cpu, call_s), *below.path(io)], group=group)
