"""Decodes the rows that the event loop has recorded into a trace."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sim.engines.compiled import layout as at
from sim.engines.compiled import opcodes as op
from sim.engines.compiled.rare_ops import WAITS_TO_GATHER
from sim.engines.compiled.templates import Program
from sim.engines.trace import Activity, Held, Interval, Trace
from sim.model.model import Model

_ACTIVITIES: dict[int, Activity] = {
    op.SERVE: "serve",
    op.DELAY: "delay",
    op.FORK: "join",
    **dict.fromkeys((op.REQUEST, op.ACQUIRE, op.LOCK, op.PUT, op.TAKE, op.AWAIT, op.GATHER), "wait"),
}
"""The activity that takes time at each instruction. At others, such as a think time, there is no request."""


class _Doing(NamedTuple):
    """What a process does while it stands at an instruction, and what it has meanwhile."""

    activity: Activity
    place: str
    held: tuple[Held, ...]


@dataclass
class _Branch:
    """What a process has at some instruction of a branch: what is held inside a path is given back inside it."""

    held: list[Held] = field(default_factory=list)
    batches: list[Held] = field(default_factory=list)

    def past(self, code: int, place: str, second: int) -> None:
        """Let the process take an instruction."""
        match code:
            case op.ACQUIRED:
                self.held.append(Held(place, second))
            case op.LOCKED:
                self.held.append(Held(place, exclusive=bool(second)))
            case op.FREE | op.UNLOCK:
                self.held.pop()
            case op.GATHER:
                self.batches.append(Held(place))
            case op.WAKE:
                self.batches.remove(Held(place))


class Decoder:
    """Knows what a process does at each instruction of the program of a model."""

    def __init__(self, model: Model, program: Program) -> None:
        self._workloads = [workload.name for workload in model.workloads]
        self._places = {address: place.name for address, place in zip(program.places, model.places, strict=True)}
        self._doing = dict(self._read(program))

    def _read(self, program: Program) -> Iterator[tuple[int, _Doing]]:
        """Each instruction that takes time. The branches of a FORK lie behind it, one after the other."""
        memory, branches = program.memory, [_Branch()]
        for address in range(at.HEADER_SIZE, at.HEADER_SIZE + program.code_cells, op.INSTRUCTION_SIZE):
            code, first, second = (int(cell) for cell in memory[address : address + 3])
            place, branch = self._places.get(first, ""), branches[-1]
            if code in _ACTIVITIES:
                yield address, _Doing(_ACTIVITIES[code], place, (*branch.held, *branch.batches))
            branch.past(code, place, second)
            if code == op.FORK:
                branches += (_Branch() for _ in range(memory[first]))
            elif code in (op.BRANCH_END, op.BACKGROUND_END):
                branches.pop()

    def look(self, memory: NDArray[np.int64], trace: Trace) -> None:
        """Note in ``trace`` what each process in ``memory`` is doing."""
        begin, count, size = (int(memory[cell]) for cell in (at.PROCESS_BASE, at.PROCESSES, at.PROCESS_SIZE))
        for process in range(begin, begin + count * size, size):
            if doing := self._doing.get(_stands_at(memory, process)):
                since_ns = int(memory[process + memory[at.TRACED]])
                now = Interval(doing.activity, doing.place, since_ns, int(memory[at.NOW]), doing.held)
                trace.look(process, now)

    def decode(self, rows: Iterable[list[int]], trace: Trace) -> None:
        """Add to ``trace`` what ``rows`` say; ``layout`` describes a row."""
        for kind, process, first, second, since_ns, now_ns in rows:
            if kind == at.TIME_SPENT:
                if doing := self._doing.get(first):
                    trace.spend(process, doing.activity, doing.place, since_ns, now_ns, doing.held)
            elif kind == at.REQUEST_BEGUN:
                trace.begin(process, self._workloads[first], second, now_ns)
            elif kind == at.BRANCH_SENT:
                trace.fork(process, first, now_ns, background=bool(second))
            else:
                trace.end(process, now_ns)


def _stands_at(memory: NDArray[np.int64], process: int) -> int:
    """The instruction that ``process`` has not finished, as in ``note_time_spent``; below 1 if there is none."""
    address = int(memory[process + at.PC])
    register = process + at.REGISTERS + int(memory[address + 2])
    if address > 0 and memory[address] == op.GATHER and memory[register] == WAITS_TO_GATHER:
        return address
    return address - op.INSTRUCTION_SIZE
