"""Lowered models as templates: another model of the same shape is lowered by changing numbers in a copy.

Fits, prediction intervals and replications run one model hundreds of times, with other times or another seed.
Lowering takes longer than running it for a while. If nothing but the times of services, delays and thinking
differs, or capacities of places, all instructions are equal, and only cells of samplers and places change.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from threading import Lock

import numpy as np
from numpy.typing import NDArray

from sim.engine.events.compiled import layout as at
from sim.engine.events.compiled.changes import Changes, changes
from sim.engine.events.compiled.parts import Numbers, Source, Stream, room_cells
from sim.engine.events.random_streams import Streams
from sim.engine.model.addresses import Replayed
from sim.engine.model.distributions import Time
from sim.engine.model.model import Model
from sim.engine.model.once import once_for_each
from sim.engine.model.steps import Choose, Lookup, Path, Put, Repeat, Step, Take
from sim.engine.model.workloads import Open, RecordedGaps, ReplayedTimes

MAX_BYTES = 16 << 20
"""Largest memory of a lowered model that is kept; larger ones take much longer to run than to lower. The model
itself is not counted; it takes about as much again: 10 MB beside 8 for 512 users of dbfs."""

MAX_TEMPLATES = 100
"""Largest number of templates kept: those of a fit's figures, which are run repeatedly in turn."""


@dataclass(frozen=True)
class Program:
    """A model ready to run.

    Attributes:
        memory: int64; everything except the processes, which follow it.
        floats: float64; scales of samplers and limits of choices. Blocks of variates follow.
        sources: the streams, all empty at first.
        starts: for each workload, the first instruction of its clients, its counters, and the number of clients.
        places, counters: addresses of each place, and of the counters of each workload.
        histograms: address of the histograms of all groups.
        registers: cells that each process needs for loops and batches.
        nesting: upper bound of the events that one process and its branches can have due at one time: each
            instruction on the path may leave one behind, and before it is taken again time has to pass.
        code_cells: cells of all code.
        request_cells: upper bound of the cells of code of a request of each workload, every loop taken once; no
            loop in it is longer.
        finite: the number of workloads with a count.
    """

    memory: NDArray[np.int64]
    floats: NDArray[np.float64]
    sources: tuple[Source, ...]
    starts: tuple[tuple[int, int, int], ...]
    places: tuple[int, ...]
    counters: tuple[int, ...]
    histograms: int
    registers: int
    nesting: int
    code_cells: int
    request_cells: tuple[int, ...]
    finite: int


@dataclass(frozen=True)
class Template:
    """A lowered model without a seed: its program has no sources yet.

    Attributes:
        samplers: address of the sampler of each time of each place or workload.
    """

    model: Model
    lowered: Program
    streams: tuple[Stream, ...]
    samplers: Mapping[tuple[str, Time], int]

    def program(self, seed: int, changed: Changes | None = None) -> Program:
        """The program with streams of root ``seed``, and with the ``changed`` numbers."""
        drawn = Streams(seed)
        program = replace(self.lowered, sources=tuple(each.source(drawn) for each in self.streams))
        if not changed:
            return program
        memory, floats = program.memory.copy(), program.floats.copy()
        for index, place in changed.places.items():
            for column, number in room_cells(place).items():
                memory[program.places[index] + column] = number
        for key, time in changed.times.items():
            if key not in self.samplers:  # a delay in shared code, whose sampler is that of another workload
                continue
            numbers, start = Numbers.of(time), self.samplers[key]
            memory[start + at.CONSTANT_NS], memory[start + at.EACH_NS] = numbers.constant_ns, numbers.each_ns
            if memory[start + at.STREAM] != -1:
                floats[memory[start + at.SCALE]] = numbers.scale_ns
        return replace(program, memory=memory, floats=floats)


class Templates:
    """The latest templates, and the one by which the last model was lowered.

    A job is run several times with other seeds, and comparing two models reads every step of both.
    """

    def __init__(self) -> None:
        self._kept: list[Template] = []
        self._last: tuple[Model, Template, Changes] | None = None
        self._lock = Lock()

    def program(self, model: Model, seed: int) -> Program | None:
        """The program of ``model`` by one of the templates; None if none fits."""
        with self._lock:
            kept, last = self._kept[::-1], self._last
        if last and last[0] is model:
            return last[1].program(seed, last[2])
        for template in self._alike(model, kept, last[1] if last else None):
            changed = changes(template.model, model)
            if changed is not None:
                self._last = model, template, changed
                return template.program(seed, changed)
        return None

    def _alike(self, model: Model, kept: list[Template], last: Template | None) -> Iterator[Template]:
        """Templates by which ``model`` may be lowered; the ``last`` one first, as draws of a fit come in a row."""
        if last:
            yield last
        same = [template for template in kept if template.model is model]
        shape = 0 if same or not kept else shape_of(model)
        yield from (each for each in same or kept if each is not last and (same or shape_of(each.model) == shape))

    def keep(self, template: Template) -> None:
        """Keep ``template``, and drop the oldest if there are too many."""
        if template.lowered.memory.nbytes <= MAX_BYTES and not _recorded(template.model):
            with self._lock:
                self._kept = [*self._kept[1 - MAX_TEMPLATES :], template]
                self._last = template.model, template, Changes()


KEPT = Templates()
"""Templates of this process."""


@once_for_each
def shape_of(model: Model) -> int:
    """A hash that is equal for models of one shape; it covers most of what they have in common."""
    shape = _Shape()
    return hash((model.places, tuple((str(each), shape.of(each.path)) for each in model.workloads)))


class _Shape:
    """Hashes of the paths of one model; shared steps are read once."""

    def __init__(self) -> None:
        self._known: dict[int, int] = {}

    def of(self, path: Path) -> int:
        """Hash of ``path``."""
        return hash(tuple(map(self._step, path)))

    def _step(self, step: Step) -> int:
        if id(step) not in self._known:
            self._known[id(step)] = hash((type(step), *_counted(step), *map(self.of, step.inner)))
        return self._known[id(step)]


def _counted(step: Step) -> tuple[object, ...]:
    """Numbers of a step that determine its instructions; places and addresses are left to the comparison."""
    match step:
        case Repeat():
            return (step.times,)
        case Put() | Take():
            return (step.amount,)
        case Choose():
            return tuple(share for share, _ in step.options)
    return ()


def _recorded(model: Model) -> bool:
    """True if ``model`` holds records of a trace, which may take far more memory than its program."""
    arrivals = (each.arrivals for each in model.workloads if isinstance(each, Open))
    lookups = (step for step in model.steps() if isinstance(step, Lookup))
    return any(isinstance(each, ReplayedTimes | RecordedGaps) for each in arrivals) or any(
        isinstance(step.addresses, Replayed) for step in lookups
    )
