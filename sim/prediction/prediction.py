"""Ask a system: settings in, throughput in the system's unit out, with everything the simulation found."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from sim.checks import quoted
from sim.errors import InputError
from sim.prediction.solvers import ANALYTIC, analysed, solution
from sim.prediction.uncertainty import Band, bands
from sim.prediction.usage import share
from sim.result import Latency, Result
from sim.simulation.limits import Limit, judged
from sim.simulation.options import Progress
from sim.simulation.simulate import MOST_STEPS
from sim.statistics.answers import ANSWERS
from sim.statistics.estimates import Estimate
from sim.system.parameters import Parameter
from sim.system.settings import Values, complete
from sim.system.system import Answer, Foldable, Scenario, System, found_system, refusals_named

_BANDLESS = ("reference", ANALYTIC)
"""A band takes many runs, too slow by the one, and compares runs of equal length, which the other has not."""


@dataclass(frozen=True)
class Choices:
    """How to simulate. See ``sim.simulate`` for the meaning of each.

    ``bands``: whether to carry what is not known of the parameters into the answer, which takes some runs more.
    ``watch``: the answers that a run goes on for.
    """

    engine: str = "auto"
    precision: float = 0.01
    seed: int = 1
    bands: bool = True
    watch: tuple[str, ...] = ANSWERS
    most_steps: int = MOST_STEPS


@dataclass(frozen=True)
class Prediction:
    """What a system does under given settings.

    Attributes:
        settings: a value for every setting; ``shown`` has them as people write them.
        amount: how many ``unit``-seconds one walk of the watched workloads stands for.
        limit: why throughput is not higher.
        answers: everything that can be held against a published figure, by measure.
        bands: where measurements would lie, as far as the fit can tell; empty if not asked for, or nothing fitted.
        assumed: the parameters that nothing but plausibility speaks for.
    """

    system: str
    settings: Mapping[str, Any]
    shown: Mapping[str, str]
    unit: str
    amount: float
    result: Result
    limit: Limit
    answers: Mapping[str, Answer]
    bands: Mapping[str, Band]
    assumed: tuple[Parameter, ...]

    @property
    def throughput(self) -> Estimate:
        """In ``unit``."""
        return self.answers["throughput"].estimate

    @property
    def further(self) -> Mapping[str, Answer]:
        """The answers beside throughput: elapsed time if the job ends, and the system's own."""
        return {name: each for name, each in self.answers.items() if name != "throughput"}

    def record(self) -> dict[str, Any]:
        """The stable interface of ``predict --json``. What is not known is None."""
        result, latency = self.result, self.result.groups[self.result.watched].latency
        bound = result.bound
        return {
            "system": self.system,
            "settings": dict(self.settings),
            "engine": result.engine,
            "seed": result.seed,
            "throughput": _estimate(self.throughput, self.unit),
            "band": _band(self.bands["throughput"], self.unit) if self.bands else None,
            "elapsed": _estimate(result.elapsed, "s") if result.elapsed else None,
            "latency": _latency(latency),
            "measures": {name: _estimate(each.estimate, each.unit) for name, each in self.further.items()},
            "utilisation": {name: _number(share(place)) for name, place in result.places.items()},
            "bottleneck": bound.place if bound else None,
            "bound": {"value": bound.throughput * self.amount, "unit": self.unit, "place": bound.place}
            if bound
            else None,
            "limit": self.limit.record(),
            "bursts": [
                {
                    "place": each.place,
                    "throughput": _estimate(each.throughput.scaled(self.amount), self.unit),
                    "seconds": _estimate(each.seconds, "s"),
                }
                for each in result.bursts
            ],
            "events": result.steps,
            "warnings": list(result.warnings),
        }


def _latency(latency: Latency) -> dict[str, Any]:
    """Of an interval without an upper end, that end is None."""
    found = vars(latency)
    return {
        **{name: _number(each.value) for name, each in found.items()},
        "unit": "s",
        "intervals": {name: [_number(each.low), _number(each.high)] for name, each in found.items()},
        "known": {name: each.known for name, each in found.items()},
    }


def _number(value: float) -> float | None:
    return value if math.isfinite(value) else None


def _band(band: Band, unit: str) -> dict[str, Any]:
    return {
        "low": band.low,
        "high": band.high,
        "unit": unit,
        "confidence": band.confidence,
        "parameters": band.parameters,
        "scatter": band.scatter,
        "known": band.known,
    }


def _estimate(estimate: Estimate, unit: str) -> dict[str, Any]:
    return {
        "value": _number(estimate.value),
        "unit": unit,
        "low": _number(estimate.low),
        "high": _number(estimate.high),
        "confidence": _number(estimate.confidence),
        "known": estimate.known,
    }


def predict(
    system: System | str, given: Values, choices: Choices | None = None, progress: Progress | None = None
) -> Prediction:
    """Simulate ``system``, or the one of that name, under the settings ``given``; the others keep their defaults.

    Raises:
        InputError: a setting or choice that is not allowed.
    """
    system = found_system(system)
    choices = choices or Choices()
    if not isinstance(choices, Choices):
        raise InputError(f"choices are {quoted(choices)}; allowed: Choices(engine=…, precision=…, …)")
    settings = complete(system.settings, given)
    scenario, found = _found(system, settings, choices, progress)
    result = replace(found, warnings=found.warnings + system.parameters.warnings)
    return Prediction(
        system=system.name,
        settings=settings,
        shown={
            setting.name: scenario.replaced.get(setting.name) or setting.show(settings[setting.name])
            for setting in system.settings
        },
        unit=scenario.unit,
        amount=scenario.amount,
        result=result,
        limit=judged(scenario.model, result),
        answers=scenario.answers(result),
        bands=bands(system, settings, result, progress) if _banded(choices) else {},
        assumed=system.parameters.assumed(),
    )


def _banded(choices: Choices) -> bool:
    return choices.bands and choices.engine not in _BANDLESS


def _found(
    system: System, settings: Values, choices: Choices, progress: Progress | None
) -> tuple[Scenario, Result]:
    if choices.engine == ANALYTIC and isinstance(system, Foldable):
        with refusals_named(system, settings):
            scenario, folded = system.fold(settings, system.parameters)
        return scenario, analysed(scenario, folded, choices.seed)
    with refusals_named(system, settings):
        scenario = system.build(settings, system.parameters)
    return scenario, solution(
        scenario,
        solver=choices.engine,
        seed=choices.seed,
        precision=choices.precision,
        answers=choices.watch,
        most_steps=choices.most_steps,
        progress=progress,
    )


def listing(system: System, given: Values) -> str:
    """The program to which the model of ``system`` is lowered, an instruction a line."""
    from sim.engines.compiled.lowering import lower  # lazily: Numba

    settings = complete(system.settings, given)
    return lower(system.build(settings, system.parameters).model, seed=0).listing()


def predict_by_name(
    system: str | System, given: Values, choices: Choices, progress: Progress | None = None
) -> Prediction:
    """The same for another process, which finds an installed system by its name."""
    return predict(system, given, choices, progress)
