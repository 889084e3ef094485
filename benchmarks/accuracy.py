"""How far off the analytic engine is, by what is in a model: random models of each kind, simulated to a percent.

The quantiles are those of ``sim.analytic.accuracy``; other seeds than those of the table say whether it holds.
"""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from benchmarks.mechanisms import MECHANISMS
from benchmarks.table import Row
from sim import Model, Open, StacksimError, simulate
from sim.analytic import solve
from sim.result import Result
from sim.statistics.estimates import Estimate

MODELS = 40
MADE, TRIED = ("b", "c"), ("d",)
"""Seeds of the table, and of the models that try it; with seed a the engine was made."""

PRECISION, OPEN_PRECISION, MOST_STEPS = 0.01, 0.003, 6_000_000
"""Of closed and of open models; what is not known of the latency of open ones counts as an error of the answer."""


def accuracy() -> Iterator[Row]:
    """For every kind of model: nine of ten are within so much, and what part of new ones is within the stated."""
    for name in MECHANISMS:
        made, tried = ([each for seed in seeds for each in _errors(name, seed)] for seeds in (MADE, TRIED))
        throughput, latency = (sorted(each[side] for each in made) for side in (0, 1))
        held = [sum(each[side + 2] for each in tried) / len(tried) for side in (0, 1)]
        yield Row(
            f"{name}: {len(made)} models, {len(tried)} to try",
            f"±{_ninth(throughput):.1%} ±{_ninth(latency):.1%}",
            f"{held[0]:.0%} {held[1]:.0%}",
            "within",
        )


def _ninth(errors: list[float]) -> float:
    """What nine of ten are below."""
    return errors[min(int(0.9 * len(errors)), len(errors) - 1)]


def _errors(name: str, seed: str) -> Iterator[tuple[float, float, bool, bool]]:
    """Of throughput and mean latency: by which factor, less one, and whether the truth is within the interval."""
    for number in range(MODELS):
        model = MECHANISMS[name](Random(f"{seed} {name} {number}"))  # noqa: S311  (models, not secrets)
        group = model.groups[0]
        try:
            found = solve(model).result(group, seed=1).groups[group]
            simulated = _simulated(model)
        except StacksimError:
            continue
        rate, latency = simulated.groups[group].throughput, simulated.groups[group].latency.mean
        if rate.precision <= 2 * PRECISION:
            yield (
                _factor(found.throughput.value, rate.value),
                _factor(found.latency.mean.value, latency.value),
                _within(found.throughput, rate),
                _within(found.latency.mean, latency),
            )


def _simulated(model: Model) -> Result:
    is_open = any(isinstance(workload, Open) for workload in model.workloads)
    return simulate(model, precision=OPEN_PRECISION if is_open else PRECISION, most_steps=MOST_STEPS)


def _factor(computed: float, true: float) -> float:
    return max(computed / true, true / computed) - 1.0


def _within(stated: Estimate, true: Estimate) -> bool:
    """Whether some of the interval of ``true`` is within what is stated; what is exact has none."""
    return not stated.low > true.high and not stated.high < true.low
