"""The protocol of all layers: the path of an I/O through this layer and all below it."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Protocol

from models.io import IO, FileIO, PagedIO
from sim import Closed, Path


class Layer(Protocol):
    """One mechanism of a stack. The layer below is an argument; a layer never imports its neighbour."""

    def path(self, io: IO) -> Path:
        """The steps that ``io`` takes from here down and back."""


class PagedLayer(Protocol):
    """A layer with a cache of pages."""

    def path(self, io: PagedIO) -> Path:
        """The steps that ``io`` takes from here down and back."""

    def behind(self, io: PagedIO) -> list[Closed]:
        """Background workloads for all I/Os like ``io``."""


class FileLayer(Protocol):
    """A layer of a stack file, for I/Os with a file and a process."""

    def path(self, io: FileIO) -> Path:
        """The steps that ``io`` takes from here down and back."""


@dataclass(frozen=True)
class Degraded:
    """The layer below, with devices that take ``slow`` times as long."""

    below: FileLayer
    slow: float

    def path(self, io: FileIO) -> Path:
        """The path of ``io``, with the factor for devices."""
        return self.below.path(replace(io, slow=io.slow * self.slow))


@dataclass(frozen=True, eq=False)
class SharedPaths:
    """Cache of paths: equal I/Os get one path object, so that common parts are built and checked once."""

    below: Layer
    paths: dict[IO, Path] = field(default_factory=dict)

    def path(self, io: IO) -> Path:
        if io not in self.paths:
            self.paths[io] = self.below.path(io)
        return self.paths[io]
