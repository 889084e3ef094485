"""The event engines by name, and which one is taken when nobody says."""

from __future__ import annotations

from collections.abc import Callable

from sim.errors import InputError, nearest
from sim.measures import Engine
from sim.model import Model
from sim.steps import Custom, walk

Create = Callable[[Model, int], Engine]
"""Makes an engine for a model and a root seed."""


def _reference(model: Model, seed: int) -> Engine:
    from sim.reference import ReferenceEngine  # lazily: SimPy

    return ReferenceEngine(model, seed)


def _compiled(model: Model, seed: int) -> Engine:
    from sim.compiled import CompiledEngine  # lazily: Numba takes a third of a second

    return CompiledEngine(model, seed)


def _auto(model: Model, seed: int) -> Engine:
    """Compiled, unless a step needs SimPy: the results are the same bit for bit."""
    custom = any(isinstance(step, Custom) for workload in model.workloads for step in walk(workload.path))
    return (_reference if custom else _compiled)(model, seed)


ENGINES: dict[str, Create] = {"auto": _auto, "compiled": _compiled, "reference": _reference}
"""What ``simulate`` takes as ``engine``."""


def engine(name: str) -> Create:
    """The engine ``name``; an unknown one is refused with the nearest name."""
    if name not in ENGINES:
        raise InputError(f"no engine '{name}'; {nearest(name, ENGINES)}")
    return ENGINES[name]
