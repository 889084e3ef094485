"""A published system: settings and parameters to a model; how it is found and asked."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from importlib.util import find_spec
from pathlib import Path
from typing import Protocol, runtime_checkable

import numpy as np

from sim import checks
from sim.errors import InputError, ModelError
from sim.model.model import Model
from sim.model.symmetry import Symmetry
from sim.result import Result
from sim.statistics import intervals
from sim.statistics.estimates import Estimate
from sim.system.parameters import Parameters
from sim.system.settings import Setting, Values

CONFIDENCE, WELL = 0.95, 0.05
"""Of the interval of an answer that only parts of a run tell, and up to which half-width it counts as known."""
OWN = Path(__file__).resolve().parents[2] / "models"
"""The models that came with this package."""

GROUP = "stacksim.systems"
"""Entry-point group by which another package brings its own systems."""


@dataclass(frozen=True)
class Measure:
    """An answer beside throughput: its unit, and how it is read off what a simulation found."""

    unit: str
    read: Callable[[Result], Estimate]


@dataclass(frozen=True)
class Answer:
    """One answer of a system, in ``unit``."""

    estimate: Estimate
    unit: str


@dataclass(frozen=True)
class Scenario:
    """A model, and what to read off it.

    Attributes:
        watch: the group of workloads whose throughput is the answer.
        amount: how many ``unit``-seconds one walk stands for: walks/s × amount = throughput in ``unit``.
        unit: of the answer, such as MB/s.
        measures: further answers, by name; ``throughput`` and ``elapsed`` (of a finite job) need no entry.
        replaced: settings that have no effect here, and what a heading says in place of their values.
    """

    model: Model
    watch: str
    amount: float
    unit: str
    measures: Mapping[str, Measure] = field(default_factory=dict)
    replaced: Mapping[str, str] = field(default_factory=dict)

    @property
    def units(self) -> Mapping[str, str]:
        """The unit of each answer, by measure."""
        elapsed = {"elapsed": "s"} if self.model.finite else {}
        return {"throughput": self.unit, **elapsed, **{name: each.unit for name, each in self.measures.items()}}

    def answers(self, found: Result) -> dict[str, Answer]:
        """Everything that ``found`` says in the system's terms, by measure."""
        answers = {"throughput": Answer(found.throughput.scaled(self.amount), self.unit)}
        if found.elapsed:
            answers["elapsed"] = Answer(found.elapsed, "s")
        return answers | {name: Answer(_read(each, found), each.unit) for name, each in self.measures.items()}


def _read(measure: Measure, found: Result) -> Estimate:
    """What ``measure`` says of ``found``; where it knows no interval, the parts of the run tell one."""
    read = measure.read(found)
    if not (math.isnan(read.low) and len(found.parts) > 1):
        return read
    parts = np.array([measure.read(each).value for each in found.parts])
    told = intervals.ratio(parts, np.ones(len(parts)), CONFIDENCE, runs=found.elapsed is not None).estimate
    if found.elapsed is None:  # the whole run says it better than the mean of its parts
        told = replace(
            told,
            value=read.value,
            low=read.value + told.low - told.value,
            high=read.value + told.high - told.value,
        )
    return told.judged(known=told.precision <= WELL or told.low == told.high)


@dataclass(frozen=True)
class Ceiling:
    """The ``most`` that hardware allows of ``measure``, in the system's unit of it, and which hardware that is."""

    measure: str
    most: float
    why: str


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


@runtime_checkable
class Bounded(Protocol):
    """A system that knows what its hardware cannot exceed, so that a measurement beyond it is refused."""

    def ceilings(self, settings: Values) -> tuple[Ceiling, ...]:
        """Limits under a complete set of settings, from published rates of the hardware alone."""


def ceilings(system: System, settings: Values) -> tuple[Ceiling, ...]:
    """The physical limits that ``system`` states; none if it states none."""
    return system.ceilings(settings) if isinstance(system, Bounded) else ()


@contextmanager
def refusals_named(system: System, settings: Values) -> Iterator[None]:
    """Where a model cannot be built from ``settings``, say of which system it is, and which settings to look at.

    A setting is to blame if with its default the model could be built; if no single one is, all that differ.

    Raises:
        ModelError: the same, with both in its line.
    """
    try:
        yield
    except ModelError as error:
        changed = [each for each in system.settings if settings[each.name] != each.default]
        blamed = [each for each in changed if _builds(system, {**settings, each.name: each.default})]
        told = ", ".join(f"{each.name}={each.show(settings[each.name])}" for each in blamed or changed)
        raise ModelError(f"system '{system.name}': {error}; look at {told or 'its parameters'}") from error


def _builds(system: System, settings: Values) -> bool:
    try:
        system.build(settings, system.parameters)
    except InputError:
        return False
    return True


@cache
def installed() -> dict[str, EntryPoint]:
    """Where each system is, by name: found once, in all installed packages; none is loaded."""
    return {point.name: point for point in sorted(entry_points(group=GROUP))}


def systems() -> dict[str, System]:
    """All installed systems, by name."""
    return {name: _loaded(point) for name, point in installed().items()}


def find(name: str) -> System:
    """The system ``name``; an unknown one is refused with the nearest name."""
    known = installed()
    return _loaded(known[checks.known("system", name, known)])


def found_system(given: System | str) -> System:
    """The system ``given``, or the one of that name."""
    if isinstance(given, str):
        return find(given)
    if not hasattr(given, "build"):
        raise InputError(f"system is {checks.quoted(given)}; allowed: a system, or the name of one")
    return given


def _loaded(point: EntryPoint) -> System:
    if point.module.partition(".")[0] == OWN.name:
        _refuse_hidden()
    system: System = point.load()
    return system


def _refuse_hidden() -> None:
    """Refuse any other package of models than the one that came with this one.

    Raises:
        InputError: Python finds another one first, beside a notebook for instance; names both folders.
    """
    spec = find_spec(OWN.name)
    places = [] if spec is None else [*(spec.submodule_search_locations or [str(spec.origin)])]
    found = [Path(each).resolve() for each in places]
    if OWN not in found:
        what = f"'{found[0]}' hides" if found else "Python cannot find"
        mend = "rename what hides them, or start Python elsewhere"
        raise InputError(f"{what} the models that came with stacksim, in '{OWN}'; {mend}")
