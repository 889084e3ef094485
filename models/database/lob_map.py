"""The map of a LOB: a reader follows it from its head to each chunk, which takes ever longer.

behind each file that is read:

    [cpu] follow the map as far as the place in the file ──> below ──> put a chunk into [buffer]

A writer appends at the end of the map, whose place is known. The map grows with the file (white paper on DBFS,
"Row chaining effect": the LOB map of GB-sized files).
"""

from __future__ import annotations

from dataclasses import dataclass

from models.io import IO
from models.layer import Layer
from sim import Empirical, Path, Station, Use

_PLACES = 16
"""Places of a file at which a reader may be: so many that their number does not show."""


@dataclass(frozen=True)
class LobMap:
    """A file of ``file_bytes`` bytes; a reader is as likely at one place of it as at another.

    Attributes:
        cpu: the cores that follow the map.
        map_s_per_byte: time to follow the map of a byte.
    """

    cpu: Station
    map_s_per_byte: float
    file_bytes: int
    below: Layer

    def path(self, io: IO) -> Path:
        """One chunk."""
        if io.op == "write":
            return self.below.path(io)
        whole_s = self.file_bytes * self.map_s_per_byte
        time_s = Empirical([(place + 0.5) / _PLACES * whole_s for place in range(_PLACES)])
        return (Use(self.cpu, time_s), *self.below.path(io))
