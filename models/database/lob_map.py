"""The map of a LOB: a reader follows it from its head to each chunk, which takes ever longer.

for each file that is read, randomly or sequentially:

    [cpu] follow the map as far as the place in the file ──> below ──> put a chunk into [buffer]

A writer appends at the end of the map, whose place is known. The map grows with the file (white paper on DBFS,
"Row chaining effect": the LOB map of GB-sized files).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from models.io import IO
from models.layer import Layer
from sim import Choose, Empirical, Path, Repeat, Station, Step, Use

_PLACES = 16
"""Number of places of a reader in a file: enough that the number has no effect."""

_CHUNKS_A_PLACE = 32
"""Chunks that a sequential reader takes near one place before the model moves it: in reality thousands, but the
two buffered chunks hardly matter among so many."""


@dataclass(frozen=True)
class LobMap:
    """A file of ``file_bytes`` bytes, with a reader at any place of it, drawn anew for each chunk.

    Attributes:
        cpu: the cores that follow the map.
        map_s_per_byte: time to follow the map of a byte.
        places: possible places of a chunk, as shares of the file.
    """

    cpu: Station
    map_s_per_byte: float
    file_bytes: int
    below: Layer
    places: tuple[float, ...] = tuple((number + 0.5) / _PLACES for number in range(_PLACES))

    def path(self, io: IO) -> Path:
        """One chunk."""
        if io.op == "write":
            return self.below.path(io)
        whole_s = self.file_bytes * self.map_s_per_byte
        time_s = Empirical([place * whole_s for place in self.places])
        return (Use(self.cpu, time_s), *self.below.path(io))

    def in_sequence(self, moved: Callable[[Layer], Path]) -> Step:
        """Repeated steps of a sequential reader: chunks near one place, each ``moved`` from there."""
        near = [moved(replace(self, places=(place,))) for place in self.places]
        return Choose(*((1.0 / len(near), (Repeat(_CHUNKS_A_PLACE, *path),)) for path in near))
