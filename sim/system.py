"""A published system: settings and parameters to a model; how it is found and asked."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.metadata import entry_points
from pathlib import Path
from typing import Protocol, runtime_checkable

from sim.errors import InputError, nearest
from sim.model import Model
from sim.parameters import Parameters
from sim.settings import Setting, Values
from sim.symmetry import Symmetry

GROUP = "stacksim.systems"
"""Entry-point group by which another package brings its own systems."""


@dataclass(frozen=True)
class Scenario:
    """A model, and what to read off it.

    Attributes:
        watch: the group of workloads whose throughput is the answer.
        amount: how many ``unit``-seconds one walk stands for: walks/s × amount = throughput in ``unit``.
        unit: of the answer, such as MB/s.
    """

    model: Model
    watch: str
    amount: float
    unit: str


class System(Protocol):
    """What a stack must tell to be predicted, swept and reported.

    Attributes:
        name: as the command knows it.
        title: one line for a person.
        data_package: folder of the published figures it is compared with.
    """

    name: str
    title: str
    settings: tuple[Setting, ...]
    parameters: Parameters
    data_package: Path

    def build(self, settings: Values, parameters: Parameters) -> Scenario:
        """Wire the layers for a complete set of settings."""


@runtime_checkable
class Foldable(Protocol):
    """A system that knows what is alike in it, so that its size costs the analytic engine nothing."""

    def fold(self, settings: Values, parameters: Parameters) -> tuple[Scenario, Symmetry]:
        """A small scenario whose parts stand for all, and how many each stands for."""


def systems() -> dict[str, System]:
    """All installed systems, by name."""
    return {point.name: point.load() for point in sorted(entry_points(group=GROUP))}


def find(name: str) -> System:
    """The system ``name``; an unknown one is refused with the nearest name."""
    known = {point.name: point for point in entry_points(group=GROUP)}
    if name not in known:
        raise InputError(f"no system '{name}'; {nearest(name, known)}")
    system: System = known[name].load()
    return system
