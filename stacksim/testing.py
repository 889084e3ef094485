"""Checks that a package outside runs on its own layers, systems and cache policies, in one line each.

    from stacksim.testing import check_layer

    def test_compress():
        check_layer(Compress, ratio=2.0)

Each raises ``AssertionError`` with what does not hold, and ``InputError`` for what cannot be built.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, fields, is_dataclass
from itertools import pairwise
from typing import Any

from models.io import FileIO
from models.layer import FileLayer
from sim.engine.analytic.solve import solve
from sim.engine.errors import ModelError
from sim.engine.events.compiled import CompiledEngine
from sim.engine.events.reference import ReferenceEngine
from sim.engine.model.distributions import Exponential
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

NOT_LESS = 0.97
"""Throughput of twice the clients, as a share of that of half as many, below which it is said to fall."""

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
    **settings: Any,
) -> None:
    """Check a kind of layer, above a device, under reads and under writes of 1, 2 and 8 processes.

    Fields have help and units; equal I/Os take equal paths, which reach the device; both event engines complete
    the same requests at the same times; the analytic engine gives what simulation does, within a tenth, or
    refuses; and throughput does not fall with more processes. How often an I/O should reach the device only its
    author knows.

    Args:
        kind: a frozen dataclass of fields with ``layer(name, below)``.
        ops: what is asked of it.
        ends: True if it may answer without the layer below, as a device or a cache does.
        falls: True if more processes may get less from it.
        settings: of its fields; those not named keep their defaults.

    Raises:
        AssertionError: says what does not hold.
    """
    _check_kind(kind)
    for op in ops:
        _check_paths(kind, settings, op, ends=ends)
        rates = [_check_model(f"{op}s of {count}", _model(kind, settings, op, count)) for count in (1, 2, 8)]
        _check_rates(op, rates, falls=falls)


def check_system(system: System, **settings: Any) -> None:
    """Check a system: settings and parameters explain themselves, and under ``settings`` both engines agree.

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
    scenario = Case.of(system, settings).scenario
    _check_engines(system.name, scenario.model)


def check_policy(policy: Callable[[int], Policy], *, seed: int = 1) -> None:
    """Check a cache policy: it keeps to its capacity, hits no more than can be, and decides by its history alone.

    Args:
        policy: makes one of so many blocks.

    Raises:
        AssertionError: says what does not hold.
    """
    draw = random.Random(seed)  # noqa: S311  (a sample that a printed seed makes again)
    blocks = [int(draw.paretovariate(1.0)) % 200 for _ in range(5000)]
    most = len(blocks) - len(set(blocks))
    for capacity in (1, 8, 64):
        one, other = policy(capacity), policy(capacity)
        hits = 0
        for block in blocks:
            hit = _looked_up(one, block)
            assert hit == _looked_up(other, block), "two with the same history decide otherwise"
            assert len(one) <= capacity, f"holds {len(one)} blocks; allowed: {capacity}"
            hits += hit
        assert hits <= most, f"{hits} hits, of which {most} are possible"


def _check_kind(kind: type) -> None:
    assert is_dataclass(kind), f"{kind.__name__} is no dataclass"
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
    found = simulate(model, watch="all", precision=0.02, answers=("throughput",))
    group = found.groups["all"]
    assert group.completed > 0, f"{what}: nothing was completed"
    rate = found.throughput.value
    try:
        analytic = solve(model).result("all", seed=1).throughput.value
    except ModelError:
        return rate  # a refusal is an answer
    assert abs(analytic / rate - 1.0) <= CLOSE, f"{what}: {analytic:.4g}/s computed, {rate:.4g}/s simulated"
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
        policy.insert(block, Access())
    return hit
