"""The check of what reaches the layers below: flushes, and all operations, bytes and processes."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from models.io import FileIO, Op
from models.layer import FileLayer
from sim.engine.model.demands import demands_of
from sim.engine.model.places import Station
from sim.engine.model.steps import Path, Use, places_of
from sim.system.blame import blaming
from sim.system.stack.kinds import FLUSH
from sim.system.stack.optional import background, features, layer_of, path_of, refusals

SIZES = (512, 4096, 1 << 16, 2 << 20, 4 << 20)
"""Bytes of the I/Os that are tried: a sector, a page, and twice more than most systems take in one request."""

PROCESSES = 8

_BYTES_PER_S = 1e9
_FLUSH = FileIO("flush", 0, durable="all", synced="all")


@dataclass(frozen=True)
class Meter:
    """A copy of the layer below: a place for each operation, whose time is proportional to the bytes.

    Attributes:
        seen: I/Os whose paths were asked for.
    """

    copy: str
    seen: list[FileIO] = field(default_factory=list)

    def path(self, io: FileIO) -> Path:
        """One service."""
        self.seen.append(io)
        return (Use(self.place(io.op), io.size_bytes / _BYTES_PER_S),)

    def place(self, op: Op) -> Station:
        """The place of ``op``."""
        return Station(f"{self.copy}{op}s below")


@dataclass(frozen=True)
class Tried:
    """A layer, and the copies of the layer below that it makes."""

    layer: FileLayer
    below: list[Meter]

    @classmethod
    def of(cls, made: Any) -> Tried:
        """The layer of the kind ``made``."""
        below: list[Meter] = []

        def make(copy: str) -> Meter:
            below.append(Meter(copy))
            return below[-1]

        return cls(layer_of(made, "layer", make), below)

    def path(self, io: FileIO) -> Path:
        """The path of ``io``, which is one."""
        return blaming(f"path() of {type(self.layer).__name__}", lambda: path_of(self.layer, io))

    def reached(self, io: FileIO) -> dict[Op, float]:
        """Operations that reach a layer below, on the path of ``io`` or later, and bytes of each on the path.

        Their bytes are 0 where only a run can tell, as behind a cache.
        """
        path = self.path(io)
        later = (step for load in background(self.layer) for step in load.path)
        places, (demands,) = places_of((*path, *later)), demands_of([path])
        return {
            op: sum(demands.get(meter.place(op), 0.0) for meter in self.below) * _BYTES_PER_S
            for op in ("read", "write", "flush")
            if any(meter.place(op) in places for meter in self.below)
        }


def check_flush(made: Any) -> None:
    """Refuse a layer that ends a flush, unless what it took is safe by itself."""
    tried = Tried.of(made)
    if FLUSH in features(made, "gives", {}) or FLUSH in refusals(made) or not tried.below:
        return
    assert tried.reached(_FLUSH).keys() & {"flush", "write"}, (
        "a flush takes no step of the layer below; return self.below.path(io) for io.op 'flush', or let gives() "
        "return (FLUSH,) if what the layer took is safe without it"
    )


def check_below(made: Any, op: Op, *, ends: bool) -> None:
    """Check what becomes of I/Os of ``op`` below; ``ends`` and what the kind declares as for ``check_layer``."""
    if op == "flush":
        return
    exact = not (ends or getattr(made, "resizes", False))
    passed = {size_bytes: _passed(made, _io(op, size_bytes), ends=ends) for size_bytes in SIZES}
    for size_bytes, below in passed.items():
        assert not exact or abs(below - size_bytes) < 1.0, (
            f"{op}s of {size_bytes} bytes reach the layer below with {below:.0f}; pass on all of them, or say "
            "resizes = True in a kind that changes them"
        )
    _check_growth(op, {size_bytes: below for size_bytes, below in passed.items() if below})
    if not getattr(made, "own_process", False):
        _check_processes(made, op)


def _io(op: Op, size_bytes: int) -> FileIO:
    return FileIO(op, size_bytes, aligned_bytes=size_bytes & -size_bytes)


def _passed(made: Any, io: FileIO, *, ends: bool) -> float:
    """Bytes of ``io`` that reach the layer below as what they are."""
    tried = Tried.of(made)
    reached = tried.reached(io)
    said = f"{io.op}s of {io.size_bytes} bytes"
    for size_bytes in (each.size_bytes for meter in tried.below for each in meter.seen if each.op != "flush"):
        whole = isinstance(size_bytes, int) and size_bytes > 0
        assert whole, f"{said} reach the layer below with {size_bytes} bytes; allowed: whole bytes, at least 1"
    assert reached or ends, f"{said} never reach the layer below; a layer that may end them says ends=True"
    assert io.op in reached or not reached, (
        f"{said} reach the layer below as a {' and a '.join(reached)} alone; pass on io itself, io.piece(bytes) "
        f"or replace(io, …), which stay a {io.op}"
    )
    return reached.get(io.op, 0.0)


def _check_growth(op: Op, passed: dict[int, float]) -> None:
    """Refuse lost bytes where others than asked may be passed on: larger I/Os bring no fewer, the largest more."""
    for smaller, larger in pairwise(passed):
        grows = passed[larger] > passed[smaller] or (passed[larger] == passed[smaller] and larger < SIZES[-1])
        assert grows, (
            f"{op}s of {larger} bytes reach the layer below with {passed[larger]:.0f}, those of {smaller} with "
            f"{passed[smaller]:.0f}: bytes are lost; pass on all pieces of io"
        )


def _check_processes(made: Any, op: Op) -> None:
    """Refuse a layer under which processes, or those of several hosts, are no longer distinct."""
    tried = Tried.of(made)
    for process in range(PROCESSES):
        tried.path(FileIO(op, SIZES[1], file=process, process=process, processes=PROCESSES))
    seen = {(meter.copy, io.host, io.process) for meter in tried.below for io in meter.seen if io.op == op}
    assert not seen or len(seen) >= PROCESSES, (
        f"{op}s of {PROCESSES} processes reach the layer below as those of {len(seen)}; pass on io itself, "
        "io.piece(bytes) or replace(io, …), which keep io.process, or say own_process = True in a kind whose own "
        "process asks"
    )
