"""The protocol of all layers: the path of an I/O through this layer and all below it."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Protocol

from models.io import IO, FileIO, PagedIO
from sim import Closed, Path


class Layer(Protocol):
    """One mechanism of a stack. What is below arrives as an argument; a layer never knows its neighbour."""

    def path(self, io: IO) -> Path:
        """The steps that ``io`` takes from here down and back."""


class PagedLayer(Protocol):
    """A layer with a cache of pages."""

    def path(self, io: PagedIO) -> Path:
        """The steps that ``io`` takes from here down and back."""

    def behind(self, io: PagedIO) -> list[Closed]:
        """What is done for all I/Os like ``io`` when nobody waits for it."""


class FileLayer(Protocol):
    """A layer of a stack file, to which every I/O says its file and its process."""

    def path(self, io: FileIO) -> Path:
        """The steps that ``io`` takes from here down and back."""


@dataclass(frozen=True)
class Degraded:
    """What is below, whose devices take ``slow`` times as long."""

    below: FileLayer
    slow: float

    def path(self, io: FileIO) -> Path:
        """The path of ``io``, which says so to the devices."""
        return self.below.path(replace(io, slow=io.slow * self.slow))


@dataclass(frozen=True, eq=False)
class SharedPaths:
    """Equal I/Os get one path object, so that what many of them have in common is built and checked once."""

    below: Layer
    paths: dict[IO, Path] = field(default_factory=dict)

    def path(self, io: IO) -> Path:
        if io not in self.paths:
            self.paths[io] = self.below.path(io)
        return self.paths[io]
