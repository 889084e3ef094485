"""For tests of the layers of stack files: one is made of its kind, and run on both engines."""

from __future__ import annotations

from dataclasses import dataclass, field

from models.io import FileIO
from sim import Closed, Delay, Model, simulate
from sim.engine.events.compiled import CompiledEngine
from sim.engine.events.reference import ReferenceEngine
from sim.system import Settings
from sim.system.settings import complete


@dataclass
class Below:
    """Takes any number of I/Os at once, each for ``time_s``, and remembers which came."""

    time_s: float = 1e-3
    seen: list[FileIO] = field(default_factory=list)

    def path(self, io):
        self.seen.append(io)
        return (Delay(self.time_s),)


def made(kind, **fields):
    """The kind with these fields, read as those of a stack file are."""
    return kind(**complete(Settings.of(kind), fields))


def layer_of(kind, below=None, **fields):
    """The layer of such a kind, on ``below``."""
    return made(kind, **fields).layer(kind.__name__.lower(), lambda _name: below or Below())


def model_of(layer, io, processes=1, *, group="all"):
    """Processes that make one such request after another."""
    loads = [Closed(f"process {number}", 1, layer.path(io(number)), group=group) for number in range(processes)]
    background = layer.background() if hasattr(layer, "background") else ()
    return Model([*loads, *background])


def per_second(model, *, precision=0.05, **options):
    """Requests a second of the group ``all``."""
    return simulate(model, watch="all", precision=precision, answers=("throughput",), **options).throughput.value


def engines_agree(model, until_ns=(10**5, 10**7, 3 * 10**7), *, finished=False):
    """True if both event engines complete equal requests at equal times, with equal counters."""
    reference, compiled = engines = [engine(model, 7, record=True) for engine in (ReferenceEngine, CompiledEngine)]
    for until in until_ns:
        for engine in engines:
            engine.advance(until)
        ours, theirs = ((each.completions, each.now_ns, each.snapshot().places.tolist()) for each in engines)
        if ours != theirs:
            return False
    return bool(reference.completions) and compiled.finished >= finished
