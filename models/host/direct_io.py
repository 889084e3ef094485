"""A file under direct I/O: each call goes to storage as it is, and waits for it.

    call ──> [system time] ──> below, in one I/O of the call's size

No read-ahead, no write-behind, no copy: the caller alone decides how large and how many the I/Os are.
"""

from __future__ import annotations

from dataclasses import dataclass

from models.host.processor import Processor
from models.io import IO
from models.layer import Layer
from sim import Path


@dataclass(frozen=True)
class DirectFile:
    """One open file on a direct I/O mount.

    Attributes:
        call_s: system time of one call, whatever its size.
    """

    cpu: Processor
    call_s: float
    below: Layer

    def path(self, io: IO) -> Path:
        """One call."""
        return (self.cpu.system(self.call_s), *self.below.path(io))
