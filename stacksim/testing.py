"""Checks that a package outside runs on its own layers, systems and cache policies, in one line each.

    from stacksim.testing import check_layer

    def test_compress():
        check_layer(Compress, ratio=2.0, resizes=True)

Each raises ``AssertionError`` with what does not hold, and ``InputError`` for what cannot be built.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable
from copy import deepcopy
from dataclasses import dataclass, field, fields, is_dataclass
from itertools import pairwise
from typing import Any

from models.io import FileIO
from models.layer import FileLayer
from sim.engine.analytic.solve import solve
from sim.engine.errors import DeadlockError, ModelError
from sim.engine.events.compiled import CompiledEngine
from sim.engine.events.protocol import WORKLOAD_COLUMNS
from sim.engine.events.reference import ReferenceEngine
from sim.engine.model.demands import demands_of
from sim.engine.model.distributions import NANOSECONDS_PER_SECOND, Exponential
from sim.engine.model.model import Model
from sim.engine.model.places import Station
from sim.engine.model.policies import Access, Policy
from sim.engine.model.steps import Path, Use
from sim.engine.model.workloads import Closed
from sim.engine.simulation.simulate import simulate
from sim.system.case import Case
from sim.system.settings import Settings, complete
from sim.system.system import System

__all__ = ["check_layer", "check_policy", "check_system"]

CLOSE = 0.1
"""By what share an analytic answer may miss the simulated one."""

_BLOCKS = 200
"""Blocks that a policy is tried on, numbered from 0."""

_PROBED, _OFTEN = 50, 20
"""One access of so many is looked at closely; a new block is used so often before it should be kept."""

NOT_LESS = 0.97
"""Throughput of twice the clients, as a share of that of half as many, below which it is said to fall."""

_ENOUGH = 200
"""Requests of each process within the time in which one that completes none is said to hang."""

_SIZES = (4096, 1 << 20)
"""Bytes of the I/Os of which all should come out below."""

_METERED_BYTES_PER_S = 1e9

_UNTIL_NS = (10**6, 10**7, 10**8)


@dataclass(frozen=True)
class Device:
    """A device under the layer that is tried: one server with exponential times, which remembers what came.

    Attributes:
        seen: I/Os whose paths were asked for.
    """

    server: Station = field(default_factory=lambda: Station("device"))
    time_s: float = 1e-4
    seen: list[FileIO] = field(default_factory=list)

    def path(self, io: FileIO) -> Path:
        """One service."""
        self.seen.append(io)
        return (Use(self.server, Exponential(self.time_s)),)


def check_layer(
    kind: type,
    *,
    ops: Iterable[str] = ("read", "write"),
    ends: bool = False,
    falls: bool = False,
    resizes: bool = False,
    **settings: Any,
) -> None:
    """Check a kind of layer, above a device, under reads and under writes of 1, 2 and 8 processes.

    Fields have help and units, and are frozen; equal I/Os take equal paths, which reach the device with all their
    bytes; both event engines complete the same requests at the same times; every process goes on to complete
    requests; the analytic engine gives what simulation does, within a tenth, or refuses; and throughput does not
    fall with more processes. How often an I/O should reach the device only its author knows.

    Args:
        kind: a frozen dataclass of fields with ``layer(name, below)``.
        ops: what is asked of it.
        ends: True if it may answer without the layer below, as a device or a cache does.
        falls: True if more processes may get less from it.
        resizes: True if other bytes than asked may reach the layer below, as of a compressor or a mirror.
        settings: values of its fields; all others keep their defaults.

    Raises:
        AssertionError: says what does not hold.
    """
    _check_kind(kind)
    for op in ops:
        _check_paths(kind, settings, op, ends=ends)
        if not (ends or resizes):
            _check_bytes(kind, settings, op)
        rates = [_check_model(f"{op}s of {count}", _model(kind, settings, op, count)) for count in (1, 2, 8)]
        _check_rates(op, rates, falls=falls)


def check_system(system: System, **settings: Any) -> None:
    """Check a system: settings and parameters explain themselves, and under ``settings`` both engines agree.

    Each client of a load without end goes on to complete requests.

    Raises:
        AssertionError: says what does not hold.
    """
    for setting in system.settings:
        assert setting.help, f"setting '{setting.name}' has no help"
        assert setting.parse(setting.show(setting.default)) == setting.default, (
            f"'{setting.name}' is not read back"
        )
    for parameter in system.parameters.entries:
        assert parameter.source, f"parameter '{parameter.name}' does not say where it is from"
        assert parameter.low <= parameter.value <= parameter.high, f"'{parameter.name}' is outside its bounds"
    for record in (system.settings.record, system.parameters.record):
        if isinstance(record, type) and is_dataclass(record):
            _check_frozen(record)
    scenario = Case.of(system, settings).scenario
    _check_engines(system.name, scenario.model)
    if not scenario.model.finite:
        _check_progress(system.name, scenario.model, scenario.watch, 0.05)


def check_policy(policy: Callable[[int], Policy], *, seed: int = 1) -> None:
    """Check a cache policy: it keeps to its capacity, hits no more than can be, and decides by its history alone.

    What it holds changes by insertions and evictions only, and is as much as it says.

    Args:
        policy: makes one of so many blocks.

    Raises:
        AssertionError: says what does not hold.
    """
    draw = random.Random(seed)  # noqa: S311  (a sample that a printed seed makes again)
    blocks = [int(draw.paretovariate(1.0)) % _BLOCKS for _ in range(5000)]
    for capacity in (1, 8, 64):
        one, other = policy(capacity), policy(capacity)
        hits = 0
        for number, block in enumerate(blocks):
            before = _kept(one, blocks) if number % _PROBED == 0 else None
            hit = _looked_up(one, block)
            assert hit == _looked_up(other, block), "two with the same history decide otherwise"
            assert len(one) <= capacity, f"holds {len(one)} blocks; allowed: {capacity}"
            hits += hit
            if before is not None:
                _check_kept(one, before, block, blocks, hit=hit)
        most = _most_hits(blocks, capacity)
        assert hits <= most, f"{hits} hits with {capacity} blocks, of which {most} are possible"
        _check_evictions(one, capacity)


def _check_kept(policy: Policy, before: set[int], block: int, blocks: list[int], *, hit: bool) -> None:
    """Check what is kept after a use of ``block``, with what was kept before."""
    kept = _kept(policy, blocks)
    assert len(kept) == len(policy), f"says that it holds {len(policy)} blocks, and finds {len(kept)}"
    assert hit == (block in before), f"block {block} was {'not ' * hit}kept, and is {'a hit' if hit else 'a miss'}"
    if hit:
        assert kept == before, f"after a hit of block {block} it holds others than before"
    odd = kept - before - {block}
    assert not odd, f"holds block {min(odd, default=0)}, which nobody inserted"


def _check_evictions(policy: Policy, capacity: int) -> None:
    """Check that new blocks that are used again and again get in, and that ``evict`` makes room."""
    new = range(_BLOCKS, _BLOCKS + 2 * capacity)
    for block in new:
        for _ in range(_OFTEN):
            _looked_up(policy, block)
    assert _kept(policy, new), f"never evicts: {len(new)} new blocks, each used {_OFTEN} times, are not kept"
    for left in range(len(policy) - 1, -1, -1):
        _evict(policy)
        assert len(policy) == left, f"holds {len(policy)} blocks after evicting one of {left + 1}"


def _evict(policy: Policy) -> None:
    try:
        policy.evict()
    except LookupError as error:
        raise AssertionError(
            f"evict of {len(policy)} blocks: {type(error).__name__}: {error}; is that block kept?"
        ) from error


def _kept(policy: Policy, blocks: Iterable[int]) -> set[int]:
    """Those of ``blocks`` that are kept, asked of a copy, which the uses change."""
    copied = deepcopy(policy)
    return {block for block in {*blocks} if copied.find(block, Access())}


def _most_hits(blocks: list[int], capacity: int) -> int:
    """Hits of the best policy there can be, which keeps the blocks that are used soonest.

    Source: L. A. Belady, IBM Systems Journal 5 (1966), 78-101; a block that is used last of all is not taken in.
    """
    ahead: dict[int, int] = {}
    following = [0] * len(blocks)
    for number in range(len(blocks) - 1, -1, -1):
        following[number] = ahead.get(blocks[number], len(blocks) + number)
        ahead[blocks[number]] = number
    kept: dict[int, int] = {}
    hits = 0
    for number, block in enumerate(blocks):
        hits += block in kept
        kept[block] = following[number]
        if len(kept) > capacity:
            del kept[max(kept, key=kept.__getitem__)]
    return hits


def _check_kind(kind: type) -> None:
    assert is_dataclass(kind), f"{kind.__name__} is no dataclass"
    _check_frozen(kind)
    assert kind.__doc__, f"{kind.__name__} has no docstring, which `stacksim stack schema` prints"
    described = {setting.name: setting for setting in Settings.of(kind)}
    for each in fields(kind):
        assert each.name in described, (
            f"field '{each.name}' is made by none of stacksim.layers; write count(…), size(…)"
        )
        assert described[each.name].help, f"field '{each.name}' has no help"


def _check_paths(kind: type, settings: dict[str, Any], op: str, *, ends: bool) -> None:
    device = Device()
    layer: FileLayer = kind(**complete(Settings.of(kind), settings)).layer("layer", lambda _prefix: device)
    io = FileIO(op, 4096)  # type: ignore[arg-type]
    assert layer.path(io) == layer.path(io), f"{op}s: two equal I/Os take different paths; use a distribution"
    assert device.seen or ends, f"{op}s never reach the layer below; a layer that may end them says ends=True"


def _check_frozen(record: type) -> None:
    frozen = record.__dataclass_params__.frozen  # type: ignore[attr-defined]
    assert frozen, f"{record.__name__} can be changed while it is used; write @dataclass(frozen=True)"


def _check_bytes(kind: type, settings: dict[str, Any], op: str) -> None:
    meter = _Meter()
    layer: FileLayer = kind(**complete(Settings.of(kind), settings)).layer("layer", lambda _prefix: meter)
    for size_bytes in _SIZES:
        (demands,) = demands_of([layer.path(FileIO(op, size_bytes))])  # type: ignore[arg-type]
        passed = demands.get(meter.place, 0.0) * _METERED_BYTES_PER_S
        assert abs(passed - size_bytes) < 1.0, (
            f"{op}s of {size_bytes} bytes reach the layer below with {passed:.0f}; a layer that changes them says "
            "resizes=True"
        )


@dataclass(frozen=True)
class _Meter:
    """A device below the layer, whose time is proportional to the bytes that reach it."""

    place: Station = field(default_factory=lambda: Station("bytes"))

    def path(self, io: FileIO) -> Path:
        return (Use(self.place, io.size_bytes / _METERED_BYTES_PER_S),)


def _model(kind: type, settings: dict[str, Any], op: str, processes: int) -> Model:
    device = Device()
    made = kind(**complete(Settings.of(kind), settings))
    layer: FileLayer = made.layer("layer", lambda _prefix: device)
    ios = (FileIO(op, 4096, file=number, process=number, processes=processes) for number in range(processes))  # type: ignore[arg-type]
    loads = [Closed(f"process {io.process}", 1, layer.path(io), group="all") for io in ios]
    return Model([*loads, *(layer.background() if hasattr(layer, "background") else ())])


def _check_model(what: str, model: Model) -> float:
    """Requests a second of ``model``."""
    _check_engines(what, model)
    rate = _check_progress(what, model, "all", 0.02)
    try:
        analytic = solve(model).result("all", seed=1).throughput.value
    except ModelError:
        return rate  # a refusal is an answer
    assert abs(analytic / rate - 1.0) <= CLOSE, f"{what}: {analytic:.4g}/s computed, {rate:.4g}/s simulated"
    return rate


def _check_progress(what: str, model: Model, watch: str, precision: float) -> float:
    """Requests a second of the group ``watch``, of which each closed load goes on to complete requests."""
    try:
        rate = simulate(model, watch=watch, precision=precision, answers=("throughput",)).throughput.value
    except DeadlockError as error:
        raise AssertionError(f"{what}: {error}") from None
    assert rate > 0.0, f"{what}: nothing was completed"
    watched = [each for each in model.workloads if each.group == watch]
    half_ns = round(_ENOUGH * len(watched) / rate * NANOSECONDS_PER_SECOND)
    run = CompiledEngine(model, 7)
    run.advance(half_ns)
    before = run.snapshot()
    run.advance(2 * half_ns)
    completed = run.snapshot().since(before).workloads[:, WORKLOAD_COLUMNS.index("completed")]
    for load, number in zip(model.workloads, completed.tolist(), strict=True):
        goes_on = number or load not in watched or not isinstance(load, Closed)
        assert goes_on, f"{what}: {load.name} hangs while others go on"
    return rate


def _check_engines(what: str, model: Model) -> None:
    reference, compiled = (engine(model, 7, record=True) for engine in (ReferenceEngine, CompiledEngine))
    for until_ns in _UNTIL_NS:
        reference.advance(until_ns)
        compiled.advance(until_ns)
        assert compiled.completions == reference.completions, f"{what}: the engines differ"
    ours, theirs = reference.snapshot(), compiled.snapshot()
    assert ours.places.tolist() == theirs.places.tolist(), f"{what}: the engines count otherwise"


def _check_rates(op: str, rates: list[float], *, falls: bool) -> None:
    for fewer, more in pairwise(rates):
        assert falls or more >= NOT_LESS * fewer, f"{op}s: {more:.4g}/s of more processes, {fewer:.4g}/s of fewer"


def _looked_up(policy: Policy, block: int) -> bool:
    hit = policy.find(block, Access())
    if not hit:
        try:
            policy.insert(block, Access())
        except LookupError as error:
            raise AssertionError(
                f"insert of block {block}: {type(error).__name__}: {error}; does it evict what it does not hold?"
            ) from error
    return hit
