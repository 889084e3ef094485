"""Lowering of a model to a program: each step becomes a few instructions, each place a piece of memory."""

from __future__ import annotations

import numpy as np

from sim.engine.errors import ModelError
from sim.engine.events.compiled import layout as at
from sim.engine.events.compiled import opcodes as op
from sim.engine.events.compiled.assembler import Piece, Reference, piece
from sim.engine.events.compiled.cache_memory import NUMBERS, directory
from sim.engine.events.compiled.lower_path import Lengths, PathLowering
from sim.engine.events.compiled.parts import Parts, gap_of, room_cells
from sim.engine.events.compiled.room import check_laid_out
from sim.engine.events.compiled.shared_code import SharedCode
from sim.engine.events.compiled.templates import KEPT, Program, Template
from sim.engine.events.random_streams import gaps_owner
from sim.engine.model import places
from sim.engine.model.distributions import (
    nanoseconds,
)
from sim.engine.model.model import Model
from sim.engine.model.workloads import Closed, Open, RecordedGaps, ReplayedTimes, Workload
from sim.engine.statistics.histogram import BINS

_AROUND = 8
"""Largest number of instructions around a path: START, STOP, TURN, PAUSE, BEGIN, FINISH, JUMP and DIE."""


def lower(model: Model, seed: int) -> Program:
    """Lower ``model``, with streams of root ``seed``; for a known shape, only numbers are changed.

    Raises:
        ModelError: a step that only the reference engine can take, by name.
    """
    program = KEPT.program(model, seed)
    if program is None:
        template = Lowering(model).template()
        KEPT.keep(template)
        program = template.program(seed)
    return program


def listing(model: Model) -> str:
    """The program of ``model`` as text, one instruction per line."""
    lowering = Lowering(model)
    lowering.template()
    return lowering.assembler.listing()


class Lowering:
    """Collector of the pieces of one program."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self.parts, self.shared, self.lengths = Parts(), SharedCode(model), Lengths()
        self.assembler = self.parts.assembler
        self.parts.places.update((place, self.assembler.add(self._place(place))) for place in model.places)
        self.histograms = self.assembler.add(piece(zeros=len(model.groups) * BINS))
        self.counters = [self.assembler.add(self._counters(number)) for number in range(len(model.workloads))]
        self.registers = 0

    def template(self) -> Template:
        """Lower all workloads, and lay the program out."""
        starts = [
            self._workload(workload, counters)
            for workload, counters in zip(self.model.workloads, self.counters, strict=True)
        ]
        for stream in self.parts.streams.values():
            self.assembler.add(stream.cells)
        check_laid_out(self.model, self.assembler.cells)
        memory = self.assembler.lay_out(at.HEADER_SIZE)
        code = self.assembler.code.start
        lengths = [self.lengths.of(workload.path) for workload in self.model.workloads]
        program = Program(
            memory=memory,
            floats=np.array(self.parts.floats, dtype=np.float64),
            sources=(),
            starts=tuple((code + start.offset, counters.start, count) for start, counters, count in starts),
            places=tuple(each.start for each in self.parts.places.values()),
            counters=tuple(each.start for each in self.counters),
            histograms=self.histograms.start,
            registers=self.registers,
            nesting=max(lengths) + _AROUND,
            code_cells=self.assembler.here.offset,
            request_cells=tuple(lengths),
            finite=sum(workload.count is not None for workload in self.model.workloads),
        )
        samplers = {key: sampler.start for key, sampler in self.parts.samplers.items()}
        return Template(self.model, program, tuple(self.parts.streams.values()), samplers)

    def _place(self, place: places.Place) -> Piece:
        cells: dict[int, int | Piece | Reference] = {**room_cells(place)}
        if isinstance(place, places.Cache):
            if place.policy not in NUMBERS:
                raise ModelError(f"policy '{place.policy}' of {place} is in Python; choose engine reference")
            resident = directory(place, self.assembler, self.parts.constant)
            cells |= {at.DIRECTORY: resident, at.POLICY: NUMBERS[place.policy]}
        return piece([cells.get(column, 0) for column in range(at.PLACE_SIZE)])

    def _counters(self, number: int) -> Piece:
        workload = self.model.workloads[number]
        cells: dict[int, int | Reference] = {
            at.RESERVE: -1 if workload.count is None else workload.count,
            at.COUNT: -1 if workload.count is None else workload.count,
            at.HISTOGRAM: Reference(self.histograms, self.model.groups.index(workload.group) * BINS),
            at.NUMBER: number,
        }
        return piece([cells.get(column, 0) for column in range(at.COUNTERS_SIZE)])

    def _workload(self, workload: Workload, counters: Piece) -> tuple[Reference, Piece, int]:
        """Emit the instructions of ``workload``; return the first one, its counters, and its initial clients."""
        assembler, start = self.assembler, self.assembler.here
        path = PathLowering(self.parts, self.shared, self.lengths, str(workload))
        if isinstance(workload, Closed):
            if workload.start_s:
                when = self.parts.number(nanoseconds(workload.start_s))
                assembler.emit(op.START, when, note=f"{workload.start_s:g} s")
            again = assembler.here
            stop = None
            if workload.stop_s is not None:
                when = self.parts.number(nanoseconds(workload.stop_s))
                stop = assembler.emit(op.STOP, 0, when, note=f"{workload.stop_s:g} s")
            end = assembler.emit(op.TURN, note=workload.name)
            if workload.think is not None:
                assembler.emit(op.PAUSE, 0, self.parts.sampler(str(workload), workload.think), note="think")
            path.request(workload.path, workload.begins)
            assembler.emit(op.JUMP, again)
            assembler.patch(end)
            if stop is not None:
                assembler.patch(stop)
        elif isinstance(workload, Open):
            assembler.emit(op.ARRIVE, *self._arrivals(workload), note=workload.name)
            begins = assembler.emit(op.SPAWN)
            assembler.emit(op.JUMP, start)
            assembler.patch(begins)
            path.request(workload.path)
        assembler.emit(op.DIE)
        self.registers = max(self.registers, path.registers)
        return start, counters, workload.clients if isinstance(workload, Closed) else 1

    def _arrivals(self, workload: Open) -> tuple[Piece, int]:
        """The operands of ARRIVE: a sampler of gaps, a table of their number and the gaps, or a stream of gaps."""
        if gap := gap_of(workload.arrivals):
            return self.parts.sampler(str(workload), gap), op.BY_SAMPLER
        match workload.arrivals:
            case RecordedGaps(gaps):
                return self.parts.addresses(gaps_owner(workload), gaps).cells, op.BY_STREAM
            case ReplayedTimes(times_s):
                due = np.diff([0, *map(nanoseconds, times_s)]).tolist()
                return self.assembler.add(piece([len(due), *due])), op.BY_TABLE
        raise ModelError(f"workload '{workload.name}' arrives in a way that is not known: {workload.arrivals!r}")
