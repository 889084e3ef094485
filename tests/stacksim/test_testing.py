"""The checks for packages outside pass what is right, and name what is not."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import count as count_up

import pytest

from sim import Hold, InputError, Lock, Path, Station, Use
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


def test_what_is_right_passes():
    check_layer(Compress, ratio=0.25)
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
        (check_policy, Forgetful, "holds 2 blocks; allowed: 1"),
        (check_policy, Moody, "two with the same history decide otherwise"),
    ],
)
def test_what_is_wrong_is_named(check, wrong, line):
    with pytest.raises(AssertionError, match=line):
        check(wrong)


def test_engines_that_differ_are_named(monkeypatch):
    class Late(CompiledEngine):
        def advance(self, until_ns):
            return super().advance(until_ns // 2)

    monkeypatch.setattr("stacksim.testing.CompiledEngine", Late)
    with pytest.raises(AssertionError, match="reads of 1: the engines differ"):
        check_layer(Compress)


def test_an_analytic_answer_that_is_off_is_named(monkeypatch):
    monkeypatch.setattr("stacksim.testing.CLOSE", -1.0)
    with pytest.raises(AssertionError, match=r"reads of 1: .*/s computed, .*/s simulated"):
        check_layer(Compress)


def test_a_parameter_without_a_source_is_named():
    redo = find("redo")
    first, *others = redo.parameters.entries
    nameless = replace(redo.parameters, entries=(replace(first, source=""), *others))
    with pytest.raises(AssertionError, match=f"parameter '{first.name}' does not say where it is from"):
        check_system(replace(redo, parameters=nameless))
