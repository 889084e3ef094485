"""Ask a system: settings in, throughput in the system's unit out, with everything the simulation found."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sim.engines import ENGINES
from sim.errors import InputError, nearest
from sim.estimates import Estimate
from sim.parameters import Parameter
from sim.result import Result
from sim.settings import Values, complete
from sim.simulate import simulate
from sim.symmetry import symmetry
from sim.system import Foldable, Scenario, System, find
from sim.wish import Progress

ANALYTIC = "analytic"

SOLVERS = (*ENGINES, ANALYTIC)
"""What predicts: the event engines, and the analytic one, which is quick and approximate."""


def check_solver(name: str) -> None:
    """Refuse an unknown solver with the nearest name."""
    if name not in SOLVERS:
        raise InputError(f"no engine '{name}'; {nearest(name, SOLVERS)}")


@dataclass(frozen=True)
class Choices:
    """How to simulate. See ``sim.simulate`` for the meaning of each."""

    engine: str = "auto"
    precision: float = 0.01
    seed: int = 1


@dataclass(frozen=True)
class Prediction:
    """What a system does under given settings.

    Attributes:
        settings: a value for every setting; ``shown`` has them as people write them.
        amount: how many ``unit``-seconds one walk of the watched workloads stands for.
        assumed: the parameters that nothing but plausibility speaks for.
    """

    system: str
    settings: Mapping[str, Any]
    shown: Mapping[str, str]
    unit: str
    amount: float
    result: Result
    assumed: tuple[Parameter, ...]

    @property
    def throughput(self) -> Estimate:
        """In ``unit``."""
        return self.result.throughput.scaled(self.amount)

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
            "elapsed": _estimate(result.elapsed, "s") if result.elapsed else None,
            "latency": {
                "mean": _number(latency.mean.value),
                "p50": _number(latency.p50),
                "p95": _number(latency.p95),
                "p99": _number(latency.p99),
                "unit": "s",
            },
            "utilisation": {name: _number(place.utilisation) for name, place in result.places.items()},
            "bottleneck": bound.place if bound else None,
            "bound": {"value": bound.throughput * self.amount, "unit": self.unit, "place": bound.place}
            if bound
            else None,
            "events": result.steps,
            "warnings": list(result.warnings),
        }


def _number(value: float) -> float | None:
    return value if math.isfinite(value) else None


def _estimate(estimate: Estimate, unit: str) -> dict[str, Any]:
    return {
        "value": _number(estimate.value),
        "unit": unit,
        "low": _number(estimate.low),
        "high": _number(estimate.high),
        "confidence": _number(estimate.confidence),
    }


def predict(
    system: System, given: Values, choices: Choices | None = None, progress: Progress | None = None
) -> Prediction:
    """Simulate ``system`` under the settings ``given``; the others keep their defaults.

    Raises:
        InputError: a setting or choice that is not allowed.
    """
    choices = choices or Choices()
    settings = complete(system.settings, given)
    if choices.engine == ANALYTIC:
        scenario, result = _analysed(system, settings, choices.seed)
    else:
        scenario = system.build(settings, system.parameters)
        result = simulate(
            scenario.model,
            seed=choices.seed,
            precision=choices.precision,
            engine=choices.engine,
            watch=scenario.watch,
            progress=progress,
        )
    shown = {setting.name: setting.show(settings[setting.name]) for setting in system.settings}
    return Prediction(
        system.name, settings, shown, scenario.unit, scenario.amount, result, system.parameters.assumed()
    )


def _analysed(system: System, settings: Values, seed: int) -> tuple[Scenario, Result]:
    from sim.analytic.solve import solved  # lazily: simulations do without

    if isinstance(system, Foldable):
        scenario, folded = system.fold(settings, system.parameters)
    else:
        scenario = system.build(settings, system.parameters)
        folded = symmetry(scenario.model)
    return scenario, solved(folded).result(scenario.watch, seed)


def listing(system: System, given: Values) -> str:
    """The program to which the model of ``system`` is lowered, an instruction a line."""
    from sim.compiled.lowering import lower  # lazily: Numba

    settings = complete(system.settings, given)
    return lower(system.build(settings, system.parameters).model, seed=0).listing


def predict_by_name(name: str, given: Values, choices: Choices) -> Prediction:
    """The same for another process, which finds the system by its name."""
    return predict(find(name), given, choices)
