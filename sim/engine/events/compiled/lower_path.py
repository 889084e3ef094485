"""Lowering of one path: each step becomes a few instructions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sim.engine.errors import ModelError
from sim.engine.events.compiled import opcodes as op
from sim.engine.events.compiled.assembler import Operand, Piece, Reference, piece
from sim.engine.events.compiled.cache_lists import SEQUENTIAL, WRITE
from sim.engine.events.compiled.layout import EXCLUSIVE, HEAD
from sim.engine.events.compiled.parts import Parts
from sim.engine.events.compiled.shared_code import WAY_BACK, SharedCode
from sim.engine.model import places, steps


class PathLowering:
    """Lowering of one workload's path, step by step.

    Attributes:
        registers: cells that a process on this path needs, one for each loop and each batch.
    """

    def __init__(self, parts: Parts, shared: SharedCode, lengths: Lengths, owner: str) -> None:
        self.registers = shared.registers
        self._parts, self._shared, self._lengths = parts, shared, lengths
        self._assembler = parts.assembler
        self._owner = owner
        self._batches: dict[places.Place, int] = {}

    def request(self, path: steps.Path, begins: int = 0) -> None:
        """Emit a whole request, from BEGIN to FINISH; the first ``begins`` steps come before BEGIN."""
        self._path(path[:begins])
        self._assembler.emit(op.BEGIN)
        self._path(path[begins:])
        self._assembler.emit(op.FINISH)

    def _path(self, path: steps.Path) -> None:
        for step in path:
            _LOWERED[type(step)](self, step)

    def _register(self) -> int:
        self.registers += 1
        return self.registers - 1

    def use(self, step: steps.Use) -> None:
        emit, name = self._assembler.emit, step.station.name
        station = self._parts.places[step.station]
        sampler = self._parts.of_step(step)
        emit(op.REQUEST, station, sampler, note=name)
        emit(op.SERVE, station, sampler, note=lambda: f"{name}: {step.time}")
        emit(op.RELEASE, station, note=name)

    def delay(self, step: steps.Delay) -> None:
        self._assembler.emit(op.DELAY, 0, self._parts.of_step(step, self._owner), note=step.time.__str__)

    def hold(self, step: steps.Hold) -> None:
        emit, name = self._assembler.emit, step.held.name
        place = self._parts.places[step.held]
        if isinstance(step.held, places.Pool):
            tokens = self._parts.number(step.tokens)
            emit(op.ACQUIRE, place, tokens, note=name)
            emit(op.ACQUIRED, place, tokens, note=name)
            self._path(step.steps)
            emit(op.FREE, place, tokens, note=name)
        else:
            mode = f"{name} {'exclusive' if step.exclusive else 'shared'}"
            emit(op.LOCK, place, int(step.exclusive), note=mode)
            emit(op.LOCKED, place, int(step.exclusive), note=mode)
            self._path(step.steps)
            emit(op.UNLOCK, place, int(step.exclusive), note=mode)

    def put(self, step: steps.Put) -> None:
        self._level(step, op.PUT, op.PUT_DONE)

    def take(self, step: steps.Take) -> None:
        self._level(step, op.TAKE, op.TAKE_DONE)

    def _level(self, step: steps.Put | steps.Take, wait: int, granted: int) -> None:
        buffer, amount = self._parts.places[step.buffer], self._parts.number(step.amount)
        self._assembler.emit(wait, buffer, amount, note=f"{step.buffer.name} {step.amount}")
        self._assembler.emit(granted, buffer, amount, note=step.buffer.name)

    def fork(self, step: steps.Fork) -> None:
        """Emit a fork. Branches lowered here follow the FORK; the forking process jumps over them."""
        assembler = self._assembler
        fork = assembler.emit(op.FORK, 0, step.needed, note=f"{len(step.branches)} branches")
        over = assembler.emit(op.JUMP)
        begins = [self._branch(branch, wait=step.wait) for branch in step.branches]
        assembler.patch(over)
        assembler.patch(fork, assembler.add(piece([len(begins), *begins])))

    def _branch(self, path: steps.Path, *, wait: bool) -> Reference:
        """Address of the code of a branch, which is lowered here unless another fork has it already."""
        if begin := self._shared.branches.get((id(path), wait)):
            return begin
        assembler, begin = self._assembler, self._assembler.here
        if not wait:
            assembler.emit(op.BACKGROUND_BEGIN)
        self._path(path)
        assembler.emit(op.BRANCH_END if wait else op.BACKGROUND_END)
        if self._shared.same_for_all.path(path):
            self._shared.branches[id(path), wait] = begin
        return begin

    def await_(self, step: steps.Await) -> None:
        self._assembler.emit(op.AWAIT, self._parts.places[step.gate], note=step.gate.name)

    def gather(self, step: steps.Gather) -> None:
        register = self._batches.setdefault(step.gate, self._register())
        self._assembler.emit(op.GATHER, self._parts.places[step.gate], register, note=step.gate.name)

    def wake(self, step: steps.Wake) -> None:
        register = self._batches[step.gate]
        self._assembler.emit(op.WAKE, self._parts.places[step.gate], register, note=step.gate.name)

    def if_any(self, step: steps.IfAny) -> None:
        if isinstance(step.at, places.Buffer):
            tested: Operand = self._parts.number(step.least)
        else:
            tested = HEAD if isinstance(step.at, places.Gate) else EXCLUSIVE
        self._assembler.emit(op.IF_ANY, self._parts.places[step.at], tested, note=step.at.name)
        self._either(step.some, step.none)

    def choose(self, step: steps.Choose) -> None:
        """Emit a choice: each option ends with a jump to the common end; shared options end with RETURN."""
        if self._shared.has(step):
            self._choose_shared(step)
            return
        table = self._choice(step, 0)
        ends = []
        for _, option in step.options:
            table.cells.append(self._assembler.here)
            self._path(option)
            ends.append(self._assembler.emit(op.JUMP))
        for end in ends:
            self._assembler.patch(end)

    def _choose_shared(self, step: steps.Choose) -> None:
        """Emit a choice with shared options, which follow its first CHOOSE; returning processes jump over them."""
        assembler, tables = self._assembler, self._shared.tables
        if id(step) in tables:
            self._choice(step, WAY_BACK, tables[id(step)])
            return
        tables[id(step)] = table = self._choice(step, WAY_BACK)
        over = assembler.emit(op.JUMP)
        for _, option in step.options:
            table.cells.append(assembler.here)
            self._path(option)
            assembler.emit(op.RETURN, WAY_BACK)
        assembler.patch(over)

    def _choice(self, step: steps.Choose, way_back: int, table: Piece | None = None) -> Piece:
        """Emit a CHOOSE; return its table.

        The table has the cell of the way back, the number and index of the limits, and the address of each option.
        """
        if table is None:
            limits = steps.cumulated(step)
            table = self._assembler.add(piece([way_back, len(limits), self._parts.constant(*limits)]))
        stream = self._parts.uniforms(self._owner).cells
        self._assembler.emit(
            op.CHOOSE, table, stream, note=lambda: ", ".join(f"{share:g}" for share, _ in step.options)
        )
        return table

    def lookup(self, step: steps.Lookup) -> None:
        assembler = self._assembler
        stream = self._parts.addresses(self._owner, step.addresses).cells
        cache = self._parts.places[step.cache]
        code = op.LOOKUP + SEQUENTIAL * step.access.sequential + WRITE * step.access.write
        note = f"{step.cache.name}: {type(step.addresses).__name__}"
        assembler.emit(code, cache, stream, note=note)
        self._either(step.hit, step.miss)

    def _either(self, following: steps.Path, other: steps.Path) -> None:
        """Emit both paths behind an instruction that skips, or takes, the jump to the other one."""
        assembler = self._assembler
        elsewhere = assembler.emit(op.JUMP)
        self._path(following)
        end = assembler.emit(op.JUMP)
        assembler.patch(elsewhere)
        self._path(other)
        assembler.patch(end)

    def repeat(self, step: steps.Repeat) -> None:
        register = self._register()
        self._assembler.emit(op.REPEAT, register, self._parts.number(step.times), note=f"{step.times} times")
        if step.steps:  # repeating nothing takes no instruction
            again = self._assembler.here
            self._path(step.steps)
            loop = self._assembler.add(piece([again, self._lengths.of(step.steps)]))
            self._assembler.emit(op.LOOP, register, loop, note=f"→ {again.offset}")

    def custom(self, step: steps.Custom) -> None:
        raise ModelError(
            f"custom step '{step.name}' of {self._owner} is a Python generator, which only the "
            "reference engine takes; choose engine reference"
        )


_LOWERED: dict[type[steps.Step], Callable[[PathLowering, Any], None]] = {
    steps.Use: PathLowering.use,
    steps.Delay: PathLowering.delay,
    steps.Hold: PathLowering.hold,
    steps.Put: PathLowering.put,
    steps.Take: PathLowering.take,
    steps.Fork: PathLowering.fork,
    steps.Await: PathLowering.await_,
    steps.Gather: PathLowering.gather,
    steps.Wake: PathLowering.wake,
    steps.IfAny: PathLowering.if_any,
    steps.Choose: PathLowering.choose,
    steps.Lookup: PathLowering.lookup,
    steps.Repeat: PathLowering.repeat,
    steps.Custom: PathLowering.custom,
}

# A step emits at most 3 instructions of its own (a Use: REQUEST, SERVE, RELEASE), and around a path inside it at
# most 2 (a branch that nobody waits for: BACKGROUND_BEGIN, BACKGROUND_END). 4 covers both. The ring of events is
# sized by this: more would cost memory, less could let it overflow.
_MAX_INSTRUCTIONS = 4
"""Upper bound of the instructions of a step without its inner steps, and of those around a path inside it."""


_EITHER = frozenset({steps.Choose, steps.Lookup, steps.IfAny})
"""Steps of which a request takes one of the inner paths."""


class Lengths:
    """Upper bounds of instructions on the paths of one model; shared steps are read once."""

    def __init__(self) -> None:
        self._known: dict[int, int] = {}

    def of(self, path: steps.Path) -> int:
        """Upper bound of the instructions on ``path``, with all branches of forks; every loop is taken once."""
        return sum(map(self._step, path))

    def _step(self, step: steps.Step) -> int:
        if id(step) not in self._known:
            lengths = [_MAX_INSTRUCTIONS + self.of(each) for each in step.inner]
            inside = max(lengths, default=0) if type(step) in _EITHER else sum(lengths)
            self._known[id(step)] = _MAX_INSTRUCTIONS + inside
        return self._known[id(step)]
