"""Laws of every system: faster, larger or more parts lose no throughput; halving all times doubles it.

They are tested on the analytic engine, which is quick and has no noise, and on simulations of the same length
if it cannot solve the model. A loss there is confirmed with other random numbers before it is reported.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from sim.engine.errors import ModelError, StacksimError
from sim.engine.simulation.fixed_length import RunLength, run_for
from sim.engine.simulation.options import ANALYTIC, RunOptions
from sim.engine.statistics.answers import THROUGHPUT
from sim.engine.statistics.estimates import Estimate, mean, point
from sim.prediction.solvers import solution, solved_case
from sim.system.case import Case
from sim.system.parameters import Parameter
from sim.system.quantities import Quantity
from sim.system.settings import Count, Number, Setting, Size
from sim.system.system import System

STEP = 2.0
"""Every number is doubled and halved, and all times are halved together."""

EXACT = 1e-3
"""Tolerance for rounding: the clock counts whole nanoseconds."""

SEEDS = 4
"""Pairs of simulations that have to agree on a loss."""

SERVERS = ("cores", "disks", "queues")
"""Units of parameters that count parallel servers."""

ROOM = ("cache", "buffer", "memory", "pipe", "window")
"""Endings of the names, without unit, of sizes of buffers and caches."""

_CONFIDENCE = 0.95

_PRECISION = 0.02
"""Precision of the simulation that sets the length of the others."""


@dataclass(frozen=True)
class Loss:
    """Throughput fell by the share ``lost`` when the number ``name`` was changed from ``worse`` to ``better``."""

    name: str
    worse: str
    better: str
    lost: float


@dataclass(frozen=True)
class Laws:
    """Result of the tests on a case, with the laws that it breaks.

    Attributes:
        moved: names of numbers that were doubled and halved.
        losses: changes for the better that lost throughput.
        factor: divisor of all times and multiplier of all rates, as far as bounds allow.
        held_back: the number whose bounds allow no more; empty if all times were halved.
        grown: logarithm of the ratio of throughputs.
    """

    moved: tuple[str, ...]
    losses: tuple[Loss, ...]
    factor: float
    held_back: str
    grown: Estimate

    @property
    def times(self) -> float:
        """Ratio of throughputs."""
        return math.exp(self.grown.value)

    @property
    def in_proportion(self) -> bool:
        """True if throughput grew by ``factor``, within the interval of simulations."""
        expected = math.log(self.factor)
        return self.grown.low - EXACT <= expected <= self.grown.high + EXACT


def laws_of(case: Case) -> Laws:
    """Test the laws on ``case``.

    Raises:
        StacksimError: ``case`` itself has no answer, or breaks Little's law.
    """
    trial = _Trial(case)
    trial.length  # noqa: B018  (a simulation, which is held against Little's law)
    numbers = list(_numbers(case))
    losses = tuple(loss for number in numbers for loss in _losses(trial, number))
    factor, held_back = _most(numbers)
    grown = trial.grown(_faster(case, numbers, factor), factor)
    return Laws(tuple(number.name for number in numbers), losses, factor, held_back, grown)


@dataclass(frozen=True)
class _Number:
    """A setting or parameter whose good direction is known: 1 up, -1 down.

    Attributes:
        timed: True if it is a time or a rate.
    """

    entry: Setting | Parameter
    value: float
    direction: int
    timed: bool
    low: float
    high: float

    @property
    def name(self) -> str:
        return self.entry.name

    @property
    def whole(self) -> bool:
        """True if it is a whole number, even one that stands for a rate."""
        if isinstance(self.entry, Number):
            return False
        return isinstance(self.entry, Count) or (not self.timed and float(self.value).is_integer())

    def times(self, factor: float) -> float:
        """``factor`` times its value, or the nearest allowed value."""
        value = min(max(self.value * factor, self.low), self.high)
        return round(value) if self.whole else value

    def shown(self, value: float) -> str:
        return self.entry.show(value) if isinstance(self.entry, Setting) else f"{value:g} {self.entry.unit}"


def _numbers(case: Case) -> Iterator[_Number]:
    """Numbers with a known good direction: times, rates, counts, room, hits, and settings of failures."""
    rates = _rates(case.system)
    for setting in case.system.settings:
        value = case.settings[setting.name]
        if isinstance(setting, Count | Quantity | Number | Size) and math.isfinite(value):
            timed = isinstance(setting, Quantity) or setting.name in rates
            direction = _worse(case.system).get(setting.name) or _of_setting(setting)
            if direction and value:
                yield _Number(setting, value, direction, timed, setting.low, setting.high)
    for entry in case.system.parameters.entries:
        direction, timed = _of_parameter(entry)
        if direction and entry.value and math.isfinite(entry.value):
            timed = timed or entry.name in rates
            yield _Number(entry, entry.value, direction, timed, entry.low, entry.high)


def _rates(system: System) -> set[str]:
    """Names of rates that their units do not show, as in stack files."""
    from sim.system.stack.build import Stack  # lazily: pydantic
    from sim.system.stack.remarks import rates  # lazily: as above

    return rates(system.build) if isinstance(system.build, Stack) else set()


def _of_setting(setting: Count | Quantity | Number | Size) -> int:
    """The good direction; 0 if unknown."""
    if isinstance(setting, Quantity):
        return -1 if setting.unit == "second" else 1
    if isinstance(setting, Number):
        return int(setting.name.endswith(("hits", "speed")))
    return int(isinstance(setting, Count) or _is_room(setting.name))


def _is_room(name: str) -> bool:
    return name.removesuffix("_bytes").endswith(ROOM)


def _of_parameter(entry: Parameter) -> tuple[int, bool]:
    """The good direction, 0 if unknown, and True if it is a time or a rate."""
    if entry.unit == "s" or entry.unit.startswith("s/"):
        return -1, True
    if entry.unit.endswith("/s"):
        return 1, True
    if entry.unit == "bytes":
        return int(_is_room(entry.name)), False
    if entry.unit in SERVERS or (entry.unit == "1" and entry.source.startswith("speed ")):
        return 1, False
    whole = all(map(float.is_integer, map(float, (entry.value, entry.low))))
    return int(whole and entry.low >= 1), False


def _worse(system: System) -> Mapping[str, int]:
    """Settings that some failure changes, with the direction away from it."""
    defaults = {each.name: each.default for each in system.settings}
    changed = ((name, value) for failure in system.failures for name, value in failure.settings.items())
    numbers = ((name, value) for name, value in changed if isinstance(value, int | float))
    return {name: -1 for name, value in numbers if not isinstance(value, bool) and value > float(defaults[name])}


def _losses(trial: _Trial, number: _Number) -> Iterator[Loss]:
    for value in {number.times(STEP), number.times(1.0 / STEP)} - {number.value}:
        worse, better = sorted((number.value, value), key=lambda each: number.direction * each)
        try:
            lost = trial.lost(*(_moved(trial.case, {number: each}) for each in (worse, better)))
        except StacksimError:
            continue  # no model or no steady state with such a value
        if lost > EXACT:
            yield Loss(number.name, number.shown(worse), number.shown(better), lost)


def _moved(case: Case, values: Mapping[_Number, float]) -> Case:
    """``case`` with other ``values`` of some numbers."""
    settings: dict[str, Any] = dict(case.settings)
    parameters: dict[str, float] = {}
    for number, value in values.items():
        (settings if isinstance(number.entry, Setting) else parameters)[number.name] = value
    system = replace(case.system, parameters=case.system.parameters.changed(parameters))
    return Case(system, settings)


def _most(numbers: list[_Number]) -> tuple[float, str]:
    """The largest factor by which everything can be made faster, and the number that limits it."""
    factor, held_back = STEP, ""
    for number in numbers:
        if number.timed:
            allowed = number.value / number.low if number.direction < 0 and number.low else math.inf
            allowed = number.high / number.value if number.direction > 0 else allowed
            if allowed < factor:
                factor, held_back = allowed, number.name
    return factor, held_back


def _faster(case: Case, numbers: list[_Number], factor: float) -> Case:
    timed = [number for number in numbers if number.timed]
    return _moved(case, {number: number.times(factor**number.direction) for number in timed})


@dataclass(frozen=True)
class _Trial:
    """Solver of ``case`` and of the cases that it is compared with."""

    case: Case

    @cached_property
    def length(self) -> RunLength | None:
        """Length of simulations; the run that sets it is checked by Little's law."""
        scenario = self.case.scenario
        result = solution(scenario, RunOptions(precision=_PRECISION, answers=THROUGHPUT))
        return RunLength.of_difference(result)

    @cached_property
    def analytic(self) -> bool:
        """True if the analytic engine solves the case."""
        try:
            _analysed(self.case)
        except ModelError:
            return False
        return True

    def grown(self, faster: Case, factor: float) -> Estimate:
        """Logarithm of the throughput ratio of ``faster``, whose times are divided by ``factor``."""
        if self.analytic:
            log = math.log(_analysed(faster) / _analysed(self.case))
            return Estimate(log, log, log, _CONFIDENCE)
        seeds = range(1, SEEDS + 1)
        rates = [(self._simulated(self.case, seed), self._simulated(faster, seed, factor)) for seed in seeds]
        return _mean_log(rates)

    def lost(self, worse: Case, better: Case) -> float:
        """The share of throughput that ``better`` loses; 0 unless simulations agree on a loss.

        Of hundreds of comparisons some seem to lose by chance: these are repeated with fresh pairs alone.
        """
        if self.analytic and _analysed(better) >= _analysed(worse) * (1.0 - EXACT):
            return 0.0
        if not self.analytic and self._simulated(better, 1) >= self._simulated(worse, 1) * (1.0 - EXACT):
            return 0.0
        change = point(0.0)
        for seeds in (range(1, SEEDS + 1), range(SEEDS + 1, 3 * SEEDS + 1)):
            change = _mean_log((self._simulated(worse, seed), self._simulated(better, seed)) for seed in seeds)
            if change.high >= 0.0:
                return 0.0
        return -math.expm1(change.value)

    def _simulated(self, case: Case, seed: int, factor: float = 1.0) -> float:
        length = self.length and RunLength(
            round(self.length.warmup_ns / factor), round(self.length.measured_ns / factor)
        )
        scenario = case.scenario
        result = run_for(scenario.model, scenario.watch, length, seed, settle=True, intervals=False)
        return scenario.answers(result)["throughput"].estimate.value


def _mean_log(pairs: Iterable[tuple[float, float]]) -> Estimate:
    """Mean logarithm of after / before over ``pairs`` of (before, after)."""
    return mean(np.array([math.log(after / before) for before, after in pairs]), _CONFIDENCE)


def _analysed(case: Case) -> float:
    scenario, result = solved_case(case, RunOptions(engine=ANALYTIC))
    return scenario.answers(result)["throughput"].estimate.value
