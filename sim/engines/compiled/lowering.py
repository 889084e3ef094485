"""From a model to a program: each step becomes a few instructions, each place a stretch of memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from sim import places
from sim.addresses import AddressSource
from sim.compiled import layout as at
from sim.compiled import opcodes as op
from sim.compiled.assembler import Assembler, Piece, Reference, piece
from sim.compiled.directories import NUMBERS, directory
from sim.compiled.paths import PathLowering, longest
from sim.compiled.room import check_laid_out
from sim.distributions import (
    NANOSECONDS_PER_SECOND,
    Constant,
    Distribution,
    Exponential,
    PerItem,
    Time,
    nanoseconds,
)
from sim.errors import ModelError
from sim.histogram import BINS
from sim.model import Model
from sim.streams import Streams, gaps_owner
from sim.workloads import Closed, Open, Periodic, Poisson, RecordedGaps, ReplayedTimes, Workload

Draw = Callable[[int], NDArray[np.generic]]
"""Draws so many variates or addresses."""


@dataclass(eq=False)
class Source:
    """A stream of the program: how it is refilled, and whether among the floats or (addresses) the integers."""

    draw: Draw
    floating: bool
    cells: Piece = field(default_factory=lambda: piece(zeros=at.STREAM_SIZE))


_AROUND = 8
"""Instructions around a path at most."""


@dataclass(frozen=True)
class Program:
    """A model ready to run.

    Attributes:
        memory: int64; everything but the walkers, which come behind it.
        floats: float64; scales of samplers and limits of choices. Blocks of variates come behind.
        sources: the streams, which all begin empty.
        starts: where the clients of each workload begin: (index of the code, tally, how many).
        registers: cells that each walker needs for loops and batches.
        nesting: an upper limit to the events that one walker, and whom it sends off, can have due at one time:
            each instruction on its way may leave one behind, and before it comes to one again it has to wait.
        code_cells: cells of all code; no loop is longer.
        walk_cells: no fewer than the cells of code on a walk of each workload, every loop taken once.
        listing: writes the program as a person reads it.
    """

    memory: NDArray[np.int64]
    floats: NDArray[np.float64]
    sources: tuple[Source, ...]
    starts: tuple[tuple[int, int, int], ...]
    places: tuple[int, ...]
    tallies: tuple[int, ...]
    histograms: int
    registers: int
    nesting: int
    code_cells: int
    walk_cells: tuple[int, ...]
    finite: int
    listing: Callable[[], str]


def lower(model: Model, seed: int) -> Program:
    """Lower ``model``, with streams of root ``seed``.

    Raises:
        ModelError: a step that only the reference engine can take, by name.
    """
    return Lowering(model, seed).program()


class Lowering:
    """Collects the pieces of one program."""

    def __init__(self, model: Model, seed: int) -> None:
        self.model = model
        self.streams = Streams(seed)
        self.assembler = Assembler()
        self.floats: list[float] = []
        self.sources: dict[tuple[str, str | AddressSource], Source] = {}
        self.samplers: dict[tuple[str, Time], Piece] = {}
        self.places = {place: self.assembler.add(self._place(place)) for place in model.places}
        self.histograms = self.assembler.add(piece(zeros=len(model.groups) * BINS))
        self.tallies = [self.assembler.add(self._tally(number)) for number in range(len(model.workloads))]
        self.registers = 0

    def program(self) -> Program:
        starts = [
            self._workload(workload, tally)
            for workload, tally in zip(self.model.workloads, self.tallies, strict=True)
        ]
        for source in self.sources.values():
            self.assembler.add(source.cells)
        check_laid_out(self.model, self.assembler.cells)
        memory = self.assembler.lay_out(at.HEADER_SIZE)
        code = self.assembler.code.start
        lengths = [longest(workload.path) for workload in self.model.workloads]
        return Program(
            memory=memory,
            floats=np.array(self.floats, dtype=np.float64),
            sources=tuple(self.sources.values()),
            starts=tuple((code + start.offset, tally.start, count) for start, tally, count in starts),
            places=tuple(each.start for each in self.places.values()),
            tallies=tuple(each.start for each in self.tallies),
            histograms=self.histograms.start,
            registers=self.registers,
            nesting=max(lengths) + _AROUND,
            code_cells=self.assembler.here.offset,
            walk_cells=tuple(op.INSTRUCTION_SIZE * length for length in lengths),
            finite=sum(workload.count is not None for workload in self.model.workloads),
            listing=self.assembler.listing,
        )

    def _place(self, place: places.Place) -> Piece:
        cells: dict[int, int | Piece | Reference] = {}
        match place:
            case places.Station():
                cells = {at.CAPACITY: place.servers}
            case places.Pool():
                cells = {at.CAPACITY: place.tokens}
            case places.Buffer():
                cells = {at.CAPACITY: place.capacity, at.LEVEL: place.initial, at.BUSY: place.initial}
                cells |= {at.LOW: place.low, at.HIGH: place.high}
            case places.Cache():
                kept = directory(place, self.assembler, self.constant)
                cells = {at.CAPACITY: place.capacity, at.KEPT: kept, at.POLICY: NUMBERS[place.policy]}
        return piece([cells.get(column, 0) for column in range(at.PLACE_SIZE)])

    def _tally(self, number: int) -> Piece:
        workload = self.model.workloads[number]
        cells: dict[int, int | Reference] = {
            at.RESERVE: -1 if workload.count is None else workload.count,
            at.COUNT: -1 if workload.count is None else workload.count,
            at.HISTOGRAM: Reference(self.histograms, self.model.groups.index(workload.group) * BINS),
            at.NUMBER: number,
        }
        return piece([cells.get(column, 0) for column in range(at.TALLY_SIZE)])

    def _workload(self, workload: Workload, tally: Piece) -> tuple[Reference, Piece, int]:
        """Its instructions; return where its clients begin, its tally, and how many there are to begin with."""
        assembler, start = self.assembler, self.assembler.here
        path = PathLowering(self, str(workload))
        if isinstance(workload, Closed):
            if workload.start_s:
                assembler.emit(op.START, nanoseconds(workload.start_s), note=f"{workload.start_s:g} s")
            again = assembler.here
            stop = None
            if workload.stop_s is not None:
                stop = assembler.emit(op.STOP, nanoseconds(workload.stop_s), note=f"{workload.stop_s:g} s") + 1
            end = assembler.emit(op.TURN, note=workload.name)
            if workload.think is not None:
                assembler.emit(op.PAUSE, 0, self.sampler(str(workload), workload.think), note="think")
            path.walk(workload.path)
            assembler.emit(op.JUMP, again)
            assembler.patch(end)
            if stop is not None:
                assembler.patch(stop)
        elif isinstance(workload, Open):
            assembler.emit(op.ARRIVE, *self._arrivals(workload), note=workload.name)
            walk = assembler.emit(op.SPAWN)
            assembler.emit(op.JUMP, start)
            assembler.patch(walk)
            path.walk(workload.path)
        assembler.emit(op.DIE)
        self.registers = max(self.registers, path.registers)
        return start, tally, workload.clients if isinstance(workload, Closed) else 1

    def _arrivals(self, workload: Open) -> tuple[int | Piece, ...]:
        """The sampler of the gaps, a table of them with their number first, or a stream of them."""
        match workload.arrivals:
            case Poisson(per_second):
                return self.sampler(str(workload), Exponential(1.0 / per_second)), 0
            case Periodic(interval_s):
                return self.sampler(str(workload), Constant(interval_s)), 0
            case RecordedGaps(gaps):
                return 0, 0, self.addresses(gaps_owner(workload), gaps).cells
            case ReplayedTimes(times_s):
                due = np.diff([0, *map(nanoseconds, times_s)]).tolist()
                return 0, self.assembler.add(piece([len(due), *due]))
        raise ModelError(f"workload '{workload.name}' arrives in a way that is not known: {workload.arrivals!r}")

    def sampler(self, owner: str, time: Time) -> Piece:
        """Where times of ``time`` come from, for the place or workload ``owner``."""
        if (owner, time) not in self.samplers:
            each_ns = nanoseconds(time.each) if isinstance(time, PerItem) else 0
            fixed = time.fixed if isinstance(time, PerItem) else time
            if isinstance(fixed, Constant):
                made = piece([-1, nanoseconds(fixed.mean), 0, each_ns])
            else:
                scale = self.constant(fixed.scale_s * NANOSECONDS_PER_SECOND)
                made = piece([self.variates(owner, fixed).cells, 0, scale, each_ns])
            self.samplers[owner, time] = self.assembler.add(made)
        return self.samplers[owner, time]

    def constant(self, *values: float) -> int:
        """Where ``values`` lie among the floats."""
        self.floats += values
        return len(self.floats) - len(values)

    def variates(self, owner: str, distribution: Distribution) -> Source:
        """The stream of standard variates of ``distribution`` for ``owner``."""
        generator = self.streams.generator(owner, distribution.standard)
        return self._source((owner, distribution.standard), lambda count: distribution.draw(generator, count))

    def uniforms(self, owner: str) -> Source:
        """The stream of choices of ``owner``."""
        generator = self.streams.generator(owner, "uniform")
        return self._source((owner, "uniform"), generator.random)

    def addresses(self, owner: str, addresses: AddressSource) -> Source:
        """The stream of addresses of ``owner``."""
        generator = self.streams.generator(owner, repr(addresses))
        blocks: list[Iterator[NDArray[np.int64]]] = []

        def draw(count: int) -> NDArray[np.int64]:
            if not blocks:
                blocks.append(addresses.blocks(generator, count))
            return next(blocks[0])

        return self._source((owner, addresses), draw, floating=False)

    def _source(self, key: tuple[str, str | AddressSource], draw: Draw, *, floating: bool = True) -> Source:
        return self.sources.setdefault(key, Source(draw, floating))
