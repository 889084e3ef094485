"""The event engines by name, and the default."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from sim.engine import checks

if TYPE_CHECKING:
    from sim.engine.events.protocol import Engine
    from sim.engine.events.trace import Trace
    from sim.engine.model.model import Model


class Create(Protocol):
    """Function that creates an engine for a model and a root seed.

    The engine records all requests in ``trace``, and raises ``TooLongError`` after ``max_steps``, if given.
    """

    def __call__(
        self, model: Model, seed: int, *, trace: Trace | None = None, max_steps: int | None = None
    ) -> Engine: ...


def _reference(model: Model, seed: int, *, trace: Trace | None = None, max_steps: int | None = None) -> Engine:
    from sim.engine.events.reference import ReferenceEngine  # lazily: SimPy

    return ReferenceEngine(model, seed, trace=trace, max_steps=max_steps)


def _compiled(model: Model, seed: int, *, trace: Trace | None = None, max_steps: int | None = None) -> Engine:
    from sim.engine.events.compiled import CompiledEngine  # lazily: Numba takes a third of a second

    return CompiledEngine(model, seed, trace=trace, max_steps=max_steps)


def _auto(model: Model, seed: int, *, trace: Trace | None = None, max_steps: int | None = None) -> Engine:
    """Compiled, unless the model needs Python: the results are the same bit for bit."""
    return (_reference if needs_python(model) else _compiled)(model, seed, trace=trace, max_steps=max_steps)


def needs_python(model: Model) -> bool:
    """True if a step or a cache policy is written in Python, so that only the reference engine can run it."""
    from sim.engine.model.places import Cache  # lazily: listing the names of engines needs no model
    from sim.engine.model.policies import POLICIES  # lazily: as above
    from sim.engine.model.steps import Custom  # lazily: as above

    custom = any(issubclass(kind, Custom) for kind in set(map(type, model.steps())))
    return custom or any(isinstance(place, Cache) and place.policy not in POLICIES for place in model.places)


ENGINES: dict[str, Create] = {"auto": _auto, "compiled": _compiled, "reference": _reference}
"""Engines by their name in ``simulate``."""


def engine(name: str) -> Create:
    """The engine ``name``; an unknown one is refused with the nearest name."""
    return ENGINES[checks.known("engine", name, ENGINES)]
