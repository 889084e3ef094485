"""The check of a kind of layer, above a device: its functions, its paths, and models of one to eight processes."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, get_args

from models.io import FileIO, Op
from models.layer import FileLayer
from sim.engine import checks
from sim.engine.analytic.solve import solve
from sim.engine.errors import ModelError
from sim.engine.model.distributions import Exponential
from sim.engine.model.model import Model
from sim.engine.model.places import Station
from sim.engine.model.steps import Path, Use, places_of
from sim.engine.model.workloads import Closed
from sim.system.blame import blaming
from sim.system.settings import Settings, complete
from sim.system.stack.kinds import checked_layer
from sim.system.stack.optional import FEATURES, background, features, layer_of, notes, path_of, refusals
from stacksim.testing.below import check_below, check_flush
from stacksim.testing.effects import check_effects
from stacksim.testing.runs import check_engines, check_frozen, check_progress

CLOSE = 0.1
"""By what share an analytic answer may miss the simulated one."""

NOT_LESS = 0.97
"""Throughput of twice the clients, as a share of that of half as many, below which it is said to fall."""


@dataclass(frozen=True)
class Device:
    """A device under the layer that is tried: one server with exponential times for each ``copy`` of it."""

    copy: str
    time_s: float = 1e-4

    @property
    def server(self) -> Station:
        """Its place."""
        return Station(f"{self.copy}device")

    def path(self, io: FileIO) -> Path:  # noqa: ARG002  (all take as long)
        """One service."""
        return (Use(self.server, Exponential(self.time_s)),)


def check_layer(
    kind: type,
    *,
    ops: Collection[Op] = ("read", "write"),
    ends: bool = False,
    falls: bool = False,
    **settings: Any,
) -> None:
    """Check a kind of layer, above a device, under reads and under writes of 1, 2 and 8 processes.

    Fields have help and units, are frozen, and each changes some path; all functions return what they should;
    places are named after the layer; equal I/Os take equal paths. I/Os of 512 bytes to 4 MiB reach the layer below
    as what they are, with all their bytes, unless the kind says ``resizes = True``, and of several processes as
    those of as many, unless it says ``own_process = True``; so does a flush, unless ``gives()`` returns ``FLUSH``:
    then what the layer took is safe without. Both event engines complete the same requests at the same times;
    every process goes on to complete requests; the analytic engine gives what simulation does, within a tenth, or
    refuses; and throughput does not fall with more processes. How often an I/O should reach the device only its
    author knows.

    Args:
        kind: a frozen dataclass of fields with ``layer(name, below)``.
        ops: what is asked of it.
        ends: True if it may answer without the layer below, as a device or a cache does.
        falls: True if more processes may get less from it.
        settings: values of its fields; all others keep their defaults.

    Raises:
        AssertionError: says what does not hold.
        InputError: an error of one of its functions, with its line, or another result than it should have.
    """
    _check_kind(kind)
    made = kind(**complete(Settings.of(kind), settings))
    _check_functions(made)
    check_flush(made)
    check_effects(kind, settings)
    for op in checks.listed("ops", ops):
        checks.known("operation", op, get_args(Op))
        _check_paths(made, op)
        check_below(made, op, ends=ends)
        rates = [_check_model(f"{op}s of {count}", _model(made, op, count)) for count in (1, 2, 8)]
        _check_rates(op, rates, falls=falls)


def _check_kind(kind: type) -> None:
    check_frozen(checked_layer(kind))
    name, text = kind.__name__, kind.__doc__ or ""
    explained = text and not text.startswith(f"{name}(")  # a dataclass without a docstring gets its call as one
    assert explained, f"{name} has no docstring, which `stacksim stack schema` prints"
    for setting in Settings.of(kind):
        assert setting.help, f"field '{setting.name}' has no help"


def _check_functions(made: Any) -> None:
    """Call the optional functions of a kind and of its layer, which refuse wrong results."""
    features(made, "gives", {})
    features(made, "needs")
    refusals(made)
    for asked in ({}, dict.fromkeys(FEATURES, "asked")):
        notes(made, asked)
    background(_layer(made))


def _layer(made: Any, name: str = "layer") -> FileLayer:
    layer: FileLayer = layer_of(made, name, Device)
    return layer


def _path(layer: FileLayer, io: FileIO) -> Path:
    return blaming(f"path() of {type(layer).__name__}", lambda: path_of(layer, io))


def _check_paths(made: Any, op: Op) -> None:
    io = FileIO(op, 4096)
    layer, other = _layer(made), _layer(made, "other")
    path = _path(layer, io)
    assert path == _path(layer, io), f"{op}s: two equal I/Os take different paths; use a distribution"
    names = [{place.name for place in places_of(each)} for each in (path, _path(other, io))]
    for shared in (each for each in set.intersection(*names) if not each.endswith(Device("").server.name)):
        raise AssertionError(f"place '{shared}' is one for all such layers; begin its name with the layer's")


def _model(made: Any, op: Op, processes: int) -> Model:
    layer = _layer(made)
    ios = (FileIO(op, 4096, file=number, process=number, processes=processes) for number in range(processes))
    loads = [Closed(f"process {io.process}", 1, _path(layer, io), group="all") for io in ios]
    return Model([*loads, *background(layer)])


def _check_model(what: str, model: Model) -> float:
    """Requests a second of ``model``."""
    check_engines(what, model)
    rate = check_progress(what, model, "all", 0.02)
    try:
        analytic = solve(model).result("all", seed=1).throughput.value
    except ModelError:
        return rate  # a refusal is an answer
    assert abs(analytic / rate - 1.0) <= CLOSE, f"{what}: {analytic:.4g}/s computed, {rate:.4g}/s simulated"
    return rate


def _check_rates(op: str, rates: list[float], *, falls: bool) -> None:
    for fewer, more in pairwise(rates):
        assert falls or more >= NOT_LESS * fewer, f"{op}s: {more:.4g}/s of more processes, {fewer:.4g}/s of fewer"
