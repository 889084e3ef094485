"""The map of a LOB: a reader follows it from its head to each chunk, which takes ever longer.

behind each file that is read, at any place of it or in sequence:

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
"""Places of a file at which a reader may be: so many that their number does not show."""

_CHUNKS_A_PLACE = 32
"""Chunks that a reader in sequence takes near a place before it is looked at elsewhere: in truth thousands, but
what is buffered, two chunks, hardly shows among so many."""


@dataclass(frozen=True)
class LobMap:
    """A file of ``file_bytes`` bytes; a reader is as likely at one place of it as at another, from chunk to chunk.

    Attributes:
        cpu: the cores that follow the map.
        map_s_per_byte: time to follow the map of a byte.
        places: at which a chunk may be, as shares of the file.
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
        """What a reader repeats that goes through the file: chunks near one place, each ``moved`` from there."""
        near = [moved(replace(self, places=(place,))) for place in self.places]
        return Choose(*((1.0 / len(near), (Repeat(_CHUNKS_A_PLACE, *path),)) for path in near))
