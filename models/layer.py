"""The protocol of all layers: the way of an I/O through this layer and all below it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol

from models.io import IO
from sim import Path


class Layer(Protocol):
    """One mechanism of a stack. What is below arrives as an argument; a layer never knows its neighbour."""

    def path(self, io: IO) -> Path:
        """The steps that ``io`` takes from here down and back."""


@dataclass(frozen=True, eq=False)
class Shared:
    """Equal requests get one path object, however many ask: what many share is built and looked at once."""

    below: Layer
    known: dict[IO, Path] = field(default_factory=dict)

    def path(self, io: IO) -> Path:
        if io not in self.known:
            self.known[io] = self.below.path(io)
        return self.known[io]
