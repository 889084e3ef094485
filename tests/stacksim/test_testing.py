"""The checks for packages outside pass what is right, and name what is not."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import count as count_up

import pytest

from sim import Delay, Hold, InputError, Lock, Path, Station, Use
from sim.engine.events.compiled import CompiledEngine
from sim.engine.model.policies import LRU
from sim.system.installed import find
from stacksim.layers import Below, FileIO, FileLayer, bandwidth, count, number
from stacksim.testing import check_layer, check_policy, check_system


@dataclass(frozen=True)
class Compress:
    """Cores that compress what goes down."""

    ratio: float = number(0.5, "bytes left of one", high=1.0)
    speed: float = bandwidth(1e9, "bytes a second of a core")

    def layer(self, name: str, below: Below) -> Compressing:
        return Compressing(Station(f"{name} cores"), self, below(""))


@dataclass(frozen=True)
class Compressing:
    cores: Station
    kind: Compress
    below: FileLayer

    def path(self, io: FileIO) -> Path:
        less = replace(io, size_bytes=max(1, int(io.size_bytes * self.kind.ratio)))
        return (Use(self.cores, io.size_bytes / self.kind.speed), *self.below.path(less))


@dataclass(frozen=True)
class Plain:
    """A field that no setting reads."""

    ratio: float = 0.5

    def layer(self, name, below):
        raise NotImplementedError


@dataclass(frozen=True)
class Crowded:
    """Slower with each process that there is."""

    limit: int = count(1, "at once")

    def layer(self, name, below):
        return Slower(Lock(name), below(""))


@dataclass(frozen=True)
class Slower:
    lock: Lock
    below: FileLayer

    def path(self, io):
        return (Hold(self.lock.exclusive, *(io.processes**2 * self.below.path(io))),)


@dataclass(frozen=True)
class Lossy:
    """Drops what it should write."""

    time: float = number(0.5, "lost", high=1.0)

    def layer(self, name, below):
        below("")
        return Dropping(Station(name))


@dataclass(frozen=True)
class Dropping:
    place: Station

    def path(self, io):
        del io
        return (Use(self.place, 1e-4),)


@dataclass(frozen=True)
class Fickle:
    """Another path each time."""

    time: float = number(0.5, "chance", high=1.0)

    def layer(self, name, below):
        return Changing(Station(name), count_up(1), below(""))


@dataclass(frozen=True)
class Changing:
    place: Station
    times: Iterator[int]
    below: FileLayer

    def path(self, io):
        return (Use(self.place, 1e-6 * next(self.times)), *self.below.path(io))


@dataclass(frozen=True)
class Hanging:
    """Lets all but the first of several processes pass."""

    limit: int = count(1, "at once")

    def layer(self, _name, below):
        return Stuck(below(""))


@dataclass(frozen=True)
class Stuck:
    below: FileLayer

    def path(self, io):
        return (*(Delay(1e6) for _ in range(io.processes > 1 and io.process == 0)), *self.below.path(io))


@dataclass(frozen=True)
class Crossed:
    """Two locks, which every other process takes in another order."""

    limit: int = count(1, "at once")

    def layer(self, name, below):
        return Crossing((Lock(f"{name} one"), Lock(f"{name} other")), below(""))


@dataclass(frozen=True)
class Crossing:
    locks: tuple[Lock, Lock]
    below: FileLayer

    def path(self, io):
        first, second = self.locks if io.process % 2 else self.locks[::-1]
        return (Hold(first.exclusive, Delay(1e-5), Hold(second.exclusive, *self.below.path(io))),)


@dataclass
class Loose:
    """Fields that can be changed."""

    limit: int = count(1, "at once")

    def layer(self, _name, below):
        return below("")


class NeverEvicts(LRU):
    """Keeps what came first."""

    def insert(self, block, access):
        if len(self) < self.capacity:
            super().insert(block, access)


class Hoards(LRU):
    """Keeps all, and does not say so."""

    def __len__(self):
        return min(self.capacity, super().__len__())

    def insert(self, block, access):
        del access
        self._blocks[block] = None


class EvictsOthers(LRU):
    """Evicts the block before the one that it holds."""

    def evict(self):
        del self._blocks[next(iter(self._blocks)) - 1]


class EvictsNone(LRU):
    """Counts one less, though it still holds the block that goes."""

    gone = 0

    def __len__(self):
        return super().__len__() - self.gone

    def evict(self):
        self.gone += 1


class ForgetsHits(LRU):
    """Drops what is used."""

    def find(self, block, access):
        hit = super().find(block, access)
        self._blocks.pop(block, None)
        return hit


class DropsOthers(LRU):
    """Drops another block at a hit."""

    def _use(self, block, access):
        super()._use(block, access)
        if len(self) > 1:
            self.evict()


class Forgetful(LRU):
    """Keeps one more than it may."""

    def __init__(self, capacity):
        super().__init__(capacity + 1)


class Moody(LRU):
    """Every other one bypasses."""

    made = 0

    def __init__(self, capacity):
        super().__init__(capacity)
        Moody.made += 1
        self.bypasses = Moody.made % 2 == 0

    def insert(self, block, access):
        if not self.bypasses:
            super().insert(block, access)


def test_correct_extensions_pass():
    check_layer(Compress, ratio=0.25, resizes=True)
    check_system(find("redo"), sessions=4)
    check_policy(LRU)
    check_layer(Crowded, falls=True)
    check_layer(Lossy, ends=True)


def test_a_field_that_is_no_setting_is_refused():
    with pytest.raises(InputError, match="field 'ratio' of Plain is no setting; write such as"):
        check_layer(Plain)


@pytest.mark.parametrize(
    ("check", "wrong", "line"),
    [
        (check_layer, Crowded, "of more processes, .* of fewer"),
        (check_layer, Lossy, "reads never reach the layer below"),
        (check_layer, Fickle, "two equal I/Os take different paths"),
        (check_layer, Hanging, "reads of 2: process 0 hangs while others go on"),
        (check_layer, Crossed, "reads of 2: .*layer o"),
        (check_layer, Compress, "reads of 4096 bytes reach the layer below with 2048; a layer that changes them"),
        (check_layer, Loose, "Loose can be changed while it is used; write @dataclass"),
        (check_policy, NeverEvicts, "never evicts: 2 new blocks, each used 20 times, are not kept"),
        (check_policy, Hoards, "says that it holds 1 blocks, and finds"),
        (check_policy, EvictsOthers, "insert of block .*: KeyError: .*; does it evict what it does not hold"),
        (check_policy, EvictsNone, "says that it holds 1 blocks, and finds 12"),
        (check_policy, ForgetsHits, "after a hit of block .* it holds others than before"),
        (check_policy, DropsOthers, "says that it holds 2 blocks, and finds 1"),
        (check_policy, Forgetful, "holds 2 blocks; allowed: 1"),
        (check_policy, Moody, "two with the same history decide otherwise"),
    ],
)
def test_errors_of_extensions_are_named(check, wrong, line):
    with pytest.raises(AssertionError, match=line):
        check(wrong)


def test_engines_that_differ_are_named(monkeypatch):
    class Late(CompiledEngine):
        def advance(self, until_ns):
            return super().advance(until_ns // 2)

    monkeypatch.setattr("stacksim.testing.CompiledEngine", Late)
    with pytest.raises(AssertionError, match="reads of 1: the engines differ"):
        check_layer(Compress, resizes=True)


def test_an_analytic_answer_that_is_off_is_named(monkeypatch):
    monkeypatch.setattr("stacksim.testing.CLOSE", -1.0)
    with pytest.raises(AssertionError, match=r"reads of 1: .*/s computed, .*/s simulated"):
        check_layer(Compress, resizes=True)


def test_a_parameter_without_a_source_is_named():
    redo = find("redo")
    first, *others = redo.parameters.entries
    nameless = replace(redo.parameters, entries=(replace(first, source=""), *others))
    with pytest.raises(AssertionError, match=f"parameter '{first.name}' does not say where it is from"):
        check_system(replace(redo, parameters=nameless))
