"""Decoding of the rows recorded by the event loop into a trace."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sim.engine.events.compiled import layout as at
from sim.engine.events.compiled import opcodes as op
from sim.engine.events.compiled.instructions import code_of, first_of, second_of
from sim.engine.events.compiled.rare_ops import WAITS_TO_GATHER
from sim.engine.events.compiled.templates import Program
from sim.engine.events.trace import Activity, Held, Interval, Trace
from sim.engine.model.model import Model

Fork = Literal["waited for", "left behind"]
"""Kind of a branch of a fork."""

_ACTIVITIES: dict[int, Activity] = {
    op.SERVE: "serve",
    op.DELAY: "delay",
    op.FORK: "join",
    **dict.fromkeys((op.REQUEST, op.ACQUIRE, op.LOCK, op.PUT, op.TAKE, op.AWAIT, op.GATHER), "wait"),
}
"""The activity during each instruction that takes time. Others, such as a think time, belong to no request."""


class Doing(NamedTuple):
    """Activity of a process at an instruction, and its holdings.

    Attributes:
        shared: True for shared code, which processes may reach with different holdings.
        of: kind of the branch that does it; None for a request.
    """

    activity: Activity
    place: str
    held: tuple[Held, ...]
    shared: bool
    of: Fork | None


@dataclass
class _Branch:
    """Holdings of a process at an instruction of a branch: holds begin and end inside one path.

    Attributes:
        end: end of shared code from which processes return; 0 for a branch of a fork.
        of: as in ``Doing``.
    """

    held: list[Held] = field(default_factory=list)
    batches: list[Held] = field(default_factory=list)
    end: int = 0
    of: Fork | None = None

    def past(self, code: int, place: str, second: int) -> None:
        """Update the holdings by one instruction."""
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
    """Decoder with the activity of a process at each instruction of the program of a model."""

    def __init__(self, model: Model, program: Program) -> None:
        self._workloads = [workload.name for workload in model.workloads]
        self._places = {address: place.name for address, place in zip(program.places, model.places, strict=True)}
        self._came_with: dict[int, _Branch] = {}  # by address to which a process returns: the places that it holds
        self._doing = dict(self._read(program))

    def _read(self, program: Program) -> Iterator[tuple[int, Doing]]:
        """Yield each instruction that takes time. Code that a FORK or CHOOSE is the first to use follows it."""
        memory, branches = program.memory, [_Branch()]
        for address in range(at.HEADER_SIZE, at.HEADER_SIZE + program.code_cells):
            word = int(memory[address])
            code, first, second = code_of(word), first_of(word), second_of(word)
            if branches[-1].end == address:
                branches.pop()
            place, branch = self._places.get(first, ""), branches[-1]
            if code in _ACTIVITIES:
                held = (*branch.held, *branch.batches)
                yield address, Doing(_ACTIVITIES[code], place, held, shared=branch.end > 0, of=branch.of)
            branch.past(code, place, int(memory[second]) if code == op.ACQUIRED else second)
            if code == op.FORK:
                begins = set(memory[first + 1 : first + 1 + memory[first]].tolist())
                of: Fork = "waited for" if second else "left behind"
                branches += (_Branch(of=of) for begin in begins if begin > address)
            elif code in (op.BRANCH_END, op.BACKGROUND_END):
                branches.pop()
            elif code == op.CHOOSE and memory[first]:
                back = address + 1
                self._came_with[back] = replace(branch, held=[*branch.held], batches=[*branch.batches])
                if memory[first + 3] > address:
                    branches.append(_Branch(end=first_of(int(memory[back]))))

    def _held(self, doing: Doing, way_back: int) -> tuple[Held, ...]:
        """Holdings of a process that is ``doing`` something; in shared code it returns to ``way_back``."""
        if not doing.shared:
            return doing.held
        came_with = self._came_with[way_back]
        return (*came_with.held, *doing.held, *came_with.batches)

    def doing(self, memory: NDArray[np.int64]) -> Iterator[tuple[int, Doing]]:
        """Address and activity of each process in ``memory``."""
        begin, count, size = (int(memory[cell]) for cell in (at.PROCESS_BASE, at.PROCESSES, at.PROCESS_SIZE))
        for process in range(begin, begin + count * size, size):
            if doing := self._doing.get(_stands_at(memory, process)):
                way_back = int(memory[process + at.REGISTERS])
                of = self._came_with[way_back].of if doing.shared else doing.of
                yield process, doing._replace(held=self._held(doing, way_back), of=of)

    def look(self, memory: NDArray[np.int64], trace: Trace) -> None:
        """Record in ``trace`` the present activity of each process in ``memory``."""
        for process, doing in self.doing(memory):
            since_ns = int(memory[process + memory[at.TRACED]])
            trace.look(process, Interval(doing.activity, doing.place, since_ns, int(memory[at.NOW]), doing.held))

    def decode(self, rows: Iterable[list[int]], trace: Trace) -> None:
        """Add ``rows`` to ``trace``; ``layout`` defines a row."""
        for kind, process, first, second, since_ns, now_ns in rows:
            if kind == at.TIME_SPENT:
                if doing := self._doing.get(first):
                    held = self._held(doing, second)
                    trace.spend(process, doing.activity, doing.place, since_ns, now_ns, held)
            elif kind == at.REQUEST_BEGUN:
                trace.begin(process, self._workloads[first], second, now_ns)
            elif kind == at.BRANCH_SENT:
                trace.fork(process, first, now_ns, background=bool(second))
            else:
                trace.end(process, now_ns)


def _stands_at(memory: NDArray[np.int64], process: int) -> int:
    """Address of the unfinished instruction of ``process``, as in ``note_time_spent``; below 1 if none."""
    address = int(memory[process + at.PC])
    word = int(memory[address])
    register = process + at.REGISTERS + second_of(word)
    if address > 0 and code_of(word) == op.GATHER and memory[register] == WAITS_TO_GATHER:
        return address
    return address - 1
