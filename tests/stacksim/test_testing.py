"""The checks for packages outside pass what is right, and name what is not."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator
from dataclasses import dataclass, replace
from importlib.metadata import EntryPoint
from itertools import count as count_up

import pytest

import layers
from sim import (
    Cache,
    Closed,
    Delay,
    Exponential,
    Hold,
    InputError,
    Lock,
    Lookup,
    Model,
    Path,
    Station,
    Use,
    Zipf,
)
from sim.engine.events.compiled import CompiledEngine
from sim.engine.model.policies import LRU, Policy
from sim.system import Parameters, Scenario, Settings, System, parameter
from sim.system.installed import find
from sim.system.stack.kinds import LAYERS, kinds
from stacksim.layers import FLUSH, Below, FileIO, FileLayer, bandwidth, choice, count, duration, number
from stacksim.testing import check_layer, check_policy, check_system
from stacksim.testing.below import check_below, check_flush
from stacksim.testing.effects import check_effects


@dataclass(frozen=True)
class Compress:
    """Cores that compress what goes down."""

    resizes = True
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
class Halving(Compress):
    """Declares nothing."""

    resizes = False


@dataclass(frozen=True)
class Plain:
    """A field that no setting reads."""

    ratio: float = 0.5

    def layer(self, name, below):
        raise NotImplementedError


@dataclass(frozen=True)
class Crowded:
    """Slower with each process that there is."""

    def layer(self, name, below):
        return Slower(Lock(name), below(""))


@dataclass(frozen=True)
class Slower:
    lock: Lock
    below: FileLayer

    def path(self, io):
        return (Hold(self.lock.exclusive, *(io.processes**2 * self.below.path(io))),)


@dataclass(frozen=True)
class Disk:
    """A device, which has no layer below."""

    def layer(self, name, _below):
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


class EvictsTooSoon(LRU):
    """Evicts at the last place, after the block is in."""

    def insert(self, block, access):
        super().insert(block, access)
        if len(self) == self.capacity:
            self.evict()


class FindsNone(LRU):
    """Forgets to return."""

    def find(self, block, access):
        super().find(block, access)


class WithoutCapacity(LRU):
    """Does not call the class above."""

    def __init__(self, capacity):
        del capacity
        self._blocks = {}


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
    check_layer(Compress, ratio=0.25)
    check_system(find("redo"), sessions=4)
    check_policy(LRU)
    check_layer(Crowded, falls=True)
    check_layer(Disk, ends=True)


def test_a_field_that_is_no_setting_is_refused():
    with pytest.raises(InputError, match="field 'ratio' of Plain is no setting; write such as"):
        check_layer(Plain)


@pytest.mark.parametrize(
    ("check", "wrong", "line"),
    [
        (check_layer, Crowded, "of more processes, .* of fewer"),
        (check_layer, Disk, "reads of 512 bytes never reach the layer below; a layer that may end them says"),
        (check_layer, Fickle, "two equal I/Os take different paths"),
        (check_layer, Hanging, "reads of 2: process 0 hangs while others go on"),
        (check_layer, Crossed, "reads of 2: .*layer o"),
        (
            check_layer,
            Halving,
            "reads of 512 bytes reach the layer below with 256; pass on all of them, or say resizes = True",
        ),
        (check_layer, Loose, "Loose can be changed while it is used; write @dataclass"),
        (check_policy, NeverEvicts, "keeps none of 2 new blocks, each used 20 times, and holds 1 of 1"),
        (check_policy, Hoards, "says that it holds 1 blocks, and finds"),
        (check_policy, EvictsTooSoon, "keeps none of 2 new blocks, each used 20 times, and holds 0 of 1; insert"),
        (check_policy, FindsNone, "find.. of block .* returns None; allowed: True, False"),
        (check_policy, WithoutCapacity, "WithoutCapacity has no capacity; call super"),
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


HERE = r"in \S+, .*test_testing.py:\d+; fix that function"


def kind(path, **functions):
    """A kind of layer with this path, and optional functions."""
    layer = type("Layer", (Compressing,), {"path": path})

    def make(self, name, below):
        return layer(Station(f"{name} cores"), self, below(""))

    return dataclass(frozen=True)(type("Kind", (), {"__doc__": "A kind.", "layer": make, **functions}))


def passes(layer, io):
    return layer.below.path(io)


def fixed(layer, io):
    return (Use(Station("cores"), 1e-4), *layer.below.path(io))


@pytest.mark.parametrize(
    ("path", "line"),
    [
        (lambda *_given: None, r"path\(\) of Layer returns None; allowed: a tuple of steps"),
        (lambda layer, io: Hold(Lock("l").exclusive, *passes(layer, io)), r"path\(\) of Layer returns Hold"),
        (lambda layer, io: (1e-6, *passes(layer, io)), r"path\(\) of Layer returns \(1e-06"),
        (lambda layer, io: passes(layer, io.pieces), rf"path\(\) of Layer: AttributeError: .*'pieces' {HERE}"),
        (
            lambda layer, io: passes(layer, io.piece(0)),
            "reads of 512 bytes reach the layer below with 0 bytes; allowed: whole",
        ),
        (
            lambda layer, io: passes(layer, io.piece(0.3)),
            "reads of 512 bytes reach the layer below with 0.3 bytes",
        ),
        (fixed, "place 'cores' is one for all such layers; begin its name with the layer's"),
    ],
)
def test_wrong_paths_are_named(path, line):
    with pytest.raises((AssertionError, InputError), match=line):
        check_layer(kind(path))


@dataclass(frozen=True)
class Costly:
    """A time for each I/O, and a field that is forgotten."""

    time: float = duration(1e-5, "core time of an I/O")
    cores: int = count(4, "cores")

    def layer(self, name, below):
        return Compressing(Station(f"{name} cores"), Compress(), below(""))


def forgets_small(layer, io):
    return () if 0 < io.size_bytes < 4096 else layer.below.path(io)


def cut(layer, io):
    return layer.below.path(io.piece(min(io.size_bytes, 1 << 20)))


def swallows(layer, io):
    return () if io.op == "flush" else layer.below.path(io)


def asks_and_forgets(layer, io):
    below = layer.below.path(io)
    return () if io.op == "flush" else below


@pytest.mark.parametrize("declared", [{}, {"resizes": True}, {"own_process": True}])
@pytest.mark.parametrize(
    ("path", "line"),
    [
        (
            swallows,
            r"^a flush takes no step of the layer below; return self.below.path\(io\) for io.op 'flush', or let",
        ),
        (asks_and_forgets, "^a flush takes no step of the layer below; return"),
        (
            lambda layer, io: passes(layer, replace(io, op="write") if io.op == "read" else io),
            "^reads of 512 bytes reach the layer below as a write alone; pass on io itself",
        ),
        (
            lambda layer, io: passes(layer, replace(io, op="read") if io.op == "write" else io),
            "^writes of 512 bytes reach the layer below as a read alone; pass on io itself",
        ),
        (
            forgets_small,
            "^reads of 512 bytes never reach the layer below; a layer that may end them says ends=True",
        ),
    ],
)
def test_lost_flushes_and_operations_are_named(path, line, declared):
    with pytest.raises(AssertionError, match=line):
        check_layer(kind(path, **declared))


@pytest.mark.parametrize(
    ("path", "declared", "line"),
    [
        (
            cut,
            {},
            "^reads of 2097152 bytes reach the layer below with 1048576; pass on all of them, or say resizes",
        ),
        (
            cut,
            {"resizes": True},
            "^reads of 4194304 bytes .* with 1048576, those of 2097152 with 1048576: bytes are lost",
        ),
        (
            lambda layer, io: passes(layer, replace(io, process=0)),
            {},
            r"^reads of 8 processes reach the layer below as those of 1; pass on io itself, io.piece\(bytes\) or",
        ),
        (
            lambda layer, io: passes(layer, FileIO(io.op, io.size_bytes)),
            {},
            "^reads of 8 processes .* as those of 1;",
        ),
    ],
)
def test_lost_bytes_and_processes_are_named(path, declared, line):
    with pytest.raises(AssertionError, match=line):
        check_layer(kind(path, **declared))


def test_a_kind_may_declare_what_it_changes():
    check_layer(kind(lambda layer, io: passes(layer, replace(io, process=0)), own_process=True))
    safe = kind(swallows, gives=lambda _kind, _written: (FLUSH,))
    check_layer(safe)


def test_fields_without_effect_are_named():
    with pytest.raises(
        AssertionError, match=r"^no value of time, cores of Costly changes a path; use it, take it out"
    ):
        check_layer(Costly)


ENDING = ("array cache", "copy", "disk", "page cache", "ssd", "zfs")
DRIVE = {"capacity": 1 << 40, "block": 1 << 24, "program": 6e-4, "erase": 5e-3}
UNDER = {"ssd": {"command": 65536, "cache": 1 << 20, "sustained": 1e9, **DRIVE}, "lsm": {"log": "appended"}}
RECORDS = ("lsm",)
"""A read gets one record, whatever it asks for."""

OF_MYSQL = ("checkpoints",)
"""Has fields of commits that count for mysql alone."""


@pytest.mark.parametrize("name", sorted(kinds(LAYERS)))
def test_shipped_kinds_pass_on_all_that_is_checked(name):
    made = layers.made(kinds(LAYERS)[name])
    check_flush(made)
    for op in ("write",) if name in RECORDS else ("read", "write"):
        check_below(made, op, ends=name in ENDING)
    if name not in OF_MYSQL:
        check_effects(type(made), UNDER.get(name, {}))


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted({*kinds(LAYERS)} - {*RECORDS, *OF_MYSQL}))
def test_shipped_kinds_pass_all_checks(name):
    check_layer(kinds(LAYERS)[name], ends=name in ENDING, **UNDER.get(name, {}))


@pytest.mark.parametrize(
    ("function", "returned", "line"),
    [
        ("gives", FLUSH, "returns 'a flush'; allowed: a tuple of texts"),
        ("gives", ("a flus",), "no feature for gives.. of Kind: 'a flus'; did you mean 'a flush'"),
        ("needs", None, "returns None; allowed: a tuple of texts"),
        ("refuses", "it is old", "returns 'it is old'; allowed: a dict, such as {IO_URING"),
        ("refuses", {"uring": "it is old"}, "no feature for refuses.. of Kind: 'uring'; did you mean 'io_uring'"),
        ("notes", "abc", "returns 'abc'; allowed: a tuple of texts"),
        ("notes", [3], "returns 3; allowed: a tuple of texts"),
        ("layer", None, r"returns None; allowed: an object with the function path\(io\)"),
    ],
)
def test_wrong_results_of_functions_are_named(function, returned, line):
    with pytest.raises(InputError, match=line):
        check_layer(kind(passes, **{function: lambda *_given: returned}))


@pytest.mark.parametrize("returned", [Closed("refill", 1, [Delay(1.0)]), None])
def test_background_that_is_no_list_is_named(returned, monkeypatch):
    monkeypatch.setattr(Compressing, "background", lambda _layer: returned, raising=False)
    with pytest.raises(
        InputError, match=r"background\(\) of Compressing returns .*; allowed: a list of workloads"
    ):
        check_layer(Compress)


@pytest.mark.parametrize(
    ("wrong", "line"),
    [
        (kind(passes, layer=None), "Kind has no function layer; write def layer"),
        (kind(passes, layer=lambda _kind: None), r"layer\(\) of Kind: TypeError: .*were given; fix that function"),
        (kind(passes, __doc__=None), "Kind has no docstring"),
        (Compress(), r"is no dataclass; give a class with @dataclass"),
    ],
)
def test_layers_that_are_no_kind_are_named(wrong, line):
    with pytest.raises((AssertionError, InputError), match=line):
        check_layer(wrong)


@pytest.mark.parametrize(
    ("ops", "line"), [("read", "ops are 'read'; allowed: a list"), (["reed"], "no operation 'reed'")]
)
def test_wrong_operations_are_named(ops, line):
    with pytest.raises(InputError, match=line):
        check_layer(Compress, ops=ops)


@pytest.mark.parametrize(
    ("wrong", "line"),
    [
        (EvictsOthers, rf"insert\(\) of EvictsOthers: KeyError: .* {HERE}"),
        (LRU(3), "it is <.*LRU object .*; allowed: a class of stacksim.layers.Policy"),
        ("lru", "it is 'lru'; allowed: a class"),
        (OrderedDict, "it is <class 'collections.OrderedDict'>; allowed: a class"),
        (type("Hollow", (Policy,), {}), "Hollow has no __len__, find, insert, evict"),
    ],
)
def test_classes_that_are_no_policy_are_named(wrong, line):
    with pytest.raises(InputError, match=line):
        check_policy(wrong)


@dataclass(frozen=True)
class Users:
    users: int = count(1, "processes that read", high=9)
    policy: str = choice("newest", "of the cache", ["newest", "lru"])


@dataclass(frozen=True)
class Times:
    access_s: float = parameter(1e-3, "s", 1e-4, 1e-2, "assumed", "a guess")


def reading(build):
    return System("own", "readers", Settings.of(Users), Parameters.of(Times), build)


def cached(settings, parameters):
    cache = Cache("cache", 8, settings.policy)
    miss = (Use(Station("disk"), Exponential(parameters.access_s)),)
    look = Lookup(cache, Zipf(100, 0.9), hit=(Delay(1e-6),), miss=miss)
    return Scenario(Model([Closed("reader", settings.users, [look])]), watch="reader", amount=1.0, unit="MB/s")


class Newest(LRU):
    """Evicts what came last."""

    def evict(self):
        self._blocks.popitem()


def test_a_system_with_a_policy_in_python_is_checked_in_the_reference_engine(monkeypatch):
    point = EntryPoint("newest", f"{__name__}:Newest", "stacksim.policies")
    monkeypatch.setattr("sim.engine.model.policies.registered", lambda _group: {"newest": point})
    check_system(reading(cached), users=2)


def test_a_setting_and_a_parameter_that_nothing_reads_are_named():
    with pytest.raises(AssertionError, match=r"^nothing reads users, access_s; use it, take it out, or give"):
        check_system(reading(lambda settings, _: cached(Users(policy=settings.policy), Times())), policy="lru")


@pytest.mark.parametrize(
    ("make", "line"),
    [
        (
            lambda: replace(reading(cached), settings=Users),
            r"settings of system 'own' are .*write settings=Settings.of",
        ),
        (lambda: replace(reading(cached), parameters=Times), "write parameters=Parameters.of"),
        (lambda: check_system(Users), "system is <class .*Users'>; allowed: a System, or the name of one"),
    ],
)
def test_systems_of_wrong_parts_are_named(make, line):
    with pytest.raises(InputError, match=line):
        make()


def test_engines_that_differ_are_named(monkeypatch):
    class Late(CompiledEngine):
        def advance(self, until_ns):
            return super().advance(until_ns // 2)

    monkeypatch.setattr("stacksim.testing.runs.CompiledEngine", Late)
    with pytest.raises(AssertionError, match="reads of 1: the engines differ"):
        check_layer(Compress)


def test_an_analytic_answer_that_is_off_is_named(monkeypatch):
    monkeypatch.setattr("stacksim.testing.layers.CLOSE", -1.0)
    with pytest.raises(AssertionError, match=r"reads of 1: .*/s computed, .*/s simulated"):
        check_layer(Compress)


def test_a_parameter_without_a_source_is_named():
    redo = find("redo")
    first, *others = redo.parameters.entries
    nameless = replace(redo.parameters, entries=(replace(first, source=""), *others))
    with pytest.raises(AssertionError, match=f"parameter '{first.name}' does not say where it is from"):
        check_system(replace(redo, parameters=nameless))
