"""Shared parts of a program: places, samplers of times, constants, and streams of random numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from sim.engine.events.compiled import layout as at
from sim.engine.events.compiled.assembler import Assembler, Piece, piece
from sim.engine.events.random_streams import Streams
from sim.engine.model.addresses import AddressSource
from sim.engine.model.distributions import (
    NANOSECONDS_PER_SECOND,
    Constant,
    Distribution,
    Exponential,
    PerItem,
    Time,
    nanoseconds,
)
from sim.engine.model.places import Buffer, Cache, Place, Pool, Station
from sim.engine.model.steps import Delay, Use
from sim.engine.model.workloads import Arrivals, Periodic, Poisson

Draw = Callable[[int], NDArray[np.generic]]
"""Function that draws a given number of variates or addresses."""


@dataclass(frozen=True)
class Source:
    """A stream of the program at its start.

    Attributes:
        draw: draws its next block.
        floating: True if its variates are among the floats; False for integers (addresses) in the memory.
        start: address of its cells.
    """

    draw: Draw
    floating: bool
    start: int


@dataclass(eq=False)
class Stream:
    """Stream without a seed; ``begin`` returns the drawing function for the streams of a seed."""

    begin: Callable[[Streams], Draw]
    floating: bool
    cells: Piece = field(default_factory=lambda: piece(zeros=at.STREAM_SIZE))

    def source(self, streams: Streams) -> Source:
        """The stream with a seed."""
        return Source(self.begin(streams), self.floating, self.cells.start)


@dataclass(frozen=True)
class Numbers:
    """Numbers of a sampler in nanoseconds: a constant, or the scale of a variate; and the time per item."""

    constant_ns: int
    scale_ns: float
    each_ns: int

    @classmethod
    def of(cls, time: Time) -> Numbers:
        """Numbers of ``time``."""
        each_ns = nanoseconds(time.each) if isinstance(time, PerItem) else 0
        fixed = time.fixed if isinstance(time, PerItem) else time
        if isinstance(fixed, Constant):
            return cls(nanoseconds(fixed.mean), 0.0, each_ns)
        return cls(0, fixed.scale_s * NANOSECONDS_PER_SECOND, each_ns)


def varying(time: Time) -> Distribution | None:
    """Distribution of the part of ``time`` that varies; None if it is constant."""
    fixed = time.fixed if isinstance(time, PerItem) else time
    return None if isinstance(fixed, Constant) else fixed


def gap_of(arrivals: Arrivals) -> Time | None:
    """The time between two arrivals; None if a table or a trace has them."""
    match arrivals:
        case Poisson(per_second):
            return Exponential(1.0 / per_second)
        case Periodic(interval_s):
            return Constant(interval_s)
    return None


def room_cells(place: Place) -> dict[int, int]:
    """Initial cells of ``place`` for its capacity and level, by column; all others begin as 0."""
    match place:
        case Station():
            return {at.CAPACITY: place.servers}
        case Pool():
            return {at.CAPACITY: place.tokens}
        case Buffer():
            levels = {at.LEVEL: place.initial, at.BUSY: place.initial}
            return {at.CAPACITY: place.capacity, **levels, at.LOW: place.low, at.HIGH: place.high}
        case Cache():
            return {at.CAPACITY: place.capacity}
    return {}


class Parts:
    """The parts of one program, each added once.

    Attributes:
        assembler: lays the parts out.
        places: the memory of each place.
        floats: scales of samplers and limits of choices.
        numbers: numbers too large for an instruction, each in a cell.
        streams: by the place or workload that draws, and the kind of variate.
        samplers: by the place or workload that takes the time.
    """

    def __init__(self) -> None:
        self.assembler = Assembler()
        self.places: dict[Place, Piece] = {}
        self.floats: list[float] = []
        self.numbers: dict[int, Piece] = {}
        self.streams: dict[tuple[str, str | AddressSource], Stream] = {}
        self.samplers: dict[tuple[str, Time], Piece] = {}
        self._of_steps: dict[tuple[str, int], Piece] = {}

    def of_step(self, step: Use | Delay, workload: str = "") -> Piece:
        """The sampler of ``step``, for a delay that of ``workload``; cached, as many paths may share a step."""
        key = workload, id(step)
        if key not in self._of_steps:
            self._of_steps[key] = self.sampler(workload or str(step.place), step.time)
        return self._of_steps[key]

    def sampler(self, owner: str, time: Time) -> Piece:
        """The sampler of ``time`` for the place or workload ``owner``."""
        if (owner, time) not in self.samplers:
            numbers, distribution = Numbers.of(time), varying(time)
            cells: list[int | Piece] = [-1, numbers.constant_ns, 0, numbers.each_ns]
            if distribution:
                cells[at.STREAM] = self.variates(owner, distribution).cells
                cells[at.SCALE] = self.constant(numbers.scale_ns)
            self.samplers[owner, time] = self.assembler.add(piece(cells))
        return self.samplers[owner, time]

    def constant(self, *values: float) -> int:
        """The index of the first of ``values`` among the floats."""
        self.floats += values
        return len(self.floats) - len(values)

    def number(self, number: int) -> Piece:
        """Cell with ``number``."""
        if number not in self.numbers:
            self.numbers[number] = self.assembler.add(piece([number]))
        return self.numbers[number]

    def variates(self, owner: str, distribution: Distribution) -> Stream:
        """The stream of standard variates of ``distribution`` for ``owner``."""

        def begin(streams: Streams) -> Draw:
            generator = streams.generator(owner, distribution.standard)
            return lambda count: distribution.draw(generator, count)

        return self._stream((owner, distribution.standard), begin)

    def uniforms(self, owner: str) -> Stream:
        """The stream of choices of ``owner``."""
        return self._stream((owner, "uniform"), lambda streams: streams.generator(owner, "uniform").random)

    def addresses(self, owner: str, addresses: AddressSource) -> Stream:
        """The stream of addresses of ``owner``."""

        def begin(streams: Streams) -> Draw:
            generator = streams.generator(owner, repr(addresses))
            blocks: list[Iterator[NDArray[np.int64]]] = []

            def draw(count: int) -> NDArray[np.int64]:
                if not blocks:
                    blocks.append(addresses.blocks(generator, count))
                return next(blocks[0])

            return draw

        return self._stream((owner, addresses), begin, floating=False)

    def _stream(
        self, key: tuple[str, str | AddressSource], begin: Callable[[Streams], Draw], *, floating: bool = True
    ) -> Stream:
        if key not in self.streams:
            self.streams[key] = Stream(begin, floating)
        return self.streams[key]
