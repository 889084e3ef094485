"""What the paths of a program share: places, samplers of times, constants, and streams of random numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from sim.engines.compiled import layout as at
from sim.engines.compiled.assembler import Assembler, Piece, piece
from sim.engines.random_streams import Streams
from sim.model.addresses import AddressSource
from sim.model.distributions import NANOSECONDS_PER_SECOND, Constant, Distribution, PerItem, Time, nanoseconds
from sim.model.places import Place

Draw = Callable[[int], NDArray[np.generic]]
"""Draws a number of variates or addresses."""


@dataclass(eq=False)
class Source:
    """A stream of the program: how it is refilled, and whether its block lies among the floats or the integers."""

    draw: Draw
    floating: bool
    cells: Piece = field(default_factory=lambda: piece(zeros=at.STREAM_SIZE))


class Parts:
    """The parts of one program, each added once.

    Attributes:
        assembler: lays them out.
        places: the memory of each place.
        floats: scales of samplers and limits of choices.
        sources: the streams, by the place or workload that draws from them and by what is drawn.
    """

    def __init__(self, seed: int) -> None:
        self.assembler = Assembler()
        self.places: dict[Place, Piece] = {}
        self.floats: list[float] = []
        self.sources: dict[tuple[str, str | AddressSource], Source] = {}
        self._samplers: dict[tuple[str, Time], Piece] = {}
        self._streams = Streams(seed)

    def sampler(self, owner: str, time: Time) -> Piece:
        """The sampler of ``time`` for the place or workload ``owner``."""
        if (owner, time) not in self._samplers:
            each_ns = nanoseconds(time.each) if isinstance(time, PerItem) else 0
            fixed = time.fixed if isinstance(time, PerItem) else time
            if isinstance(fixed, Constant):
                cells = piece([-1, nanoseconds(fixed.mean), 0, each_ns])
            else:
                scale = self.constant(fixed.scale_s * NANOSECONDS_PER_SECOND)
                cells = piece([self.variates(owner, fixed).cells, 0, scale, each_ns])
            self._samplers[owner, time] = self.assembler.add(cells)
        return self._samplers[owner, time]

    def constant(self, *values: float) -> int:
        """The index of the first of ``values`` among the floats."""
        self.floats += values
        return len(self.floats) - len(values)

    def variates(self, owner: str, distribution: Distribution) -> Source:
        """The stream of standard variates of ``distribution`` for ``owner``."""
        generator = self._streams.generator(owner, distribution.standard)
        return self._source((owner, distribution.standard), lambda count: distribution.draw(generator, count))

    def uniforms(self, owner: str) -> Source:
        """The stream of choices of ``owner``."""
        generator = self._streams.generator(owner, "uniform")
        return self._source((owner, "uniform"), generator.random)

    def addresses(self, owner: str, addresses: AddressSource) -> Source:
        """The stream of addresses of ``owner``."""
        generator = self._streams.generator(owner, repr(addresses))
        blocks: list[Iterator[NDArray[np.int64]]] = []

        def draw(count: int) -> NDArray[np.int64]:
            if not blocks:
                blocks.append(addresses.blocks(generator, count))
            return next(blocks[0])

        return self._source((owner, addresses), draw, floating=False)

    def _source(self, key: tuple[str, str | AddressSource], draw: Draw, *, floating: bool = True) -> Source:
        return self.sources.setdefault(key, Source(draw, floating))
