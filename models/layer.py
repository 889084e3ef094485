"""The protocol of all layers: the way of an I/O through this layer and all below it."""

from __future__ import annotations

from typing import Protocol

from models.io import IO
from sim.steps import Path


class Layer(Protocol):
    """One mechanism of a stack. What is below arrives as an argument; a layer never knows its neighbour."""

    def path(self, io: IO) -> Path:
        """The steps that ``io`` takes from here down and back."""
