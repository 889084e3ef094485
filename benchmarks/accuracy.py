"""How far off the analytic engine is, by what is in a model: random models of each kind, simulated to a percent.

The quantiles are those of ``sim.analytic.accuracy``; other seeds than those of the table say whether it holds.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from random import Random

from benchmarks.mechanisms import MECHANISMS
from benchmarks.table import Row
from sim import Model, Open, StacksimError, simulate
from sim.analytic.solve import solve
from sim.result import Result
from sim.statistics.estimates import Estimate

MODELS = 40
MADE, TRIED = ("b", "c"), ("d",)
"""Seeds of the table, and of the models that try it; with seed a the engine was made."""

PRECISION, OPEN_PRECISION, MIXED_PRECISION, MAX_STEPS = 0.01, 0.003, 0.02, 6_000_000
"""Of closed, open and mixed models; of the latter two, what is not known of latency counts as an error."""


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
        sought, mixed = _sought(model)
        try:
            answer = solve(model).result(model.groups[0], seed=1)
            truth = simulate(model, precision=sought, max_steps=MAX_STEPS)
        except StacksimError:
            continue
        if truth.groups[model.groups[0]].throughput.precision <= max(2 * PRECISION, sought):
            yield _worst(answer, truth, model.groups if mixed else model.groups[:1])


def _sought(model: Model) -> tuple[float, bool]:
    """To which precision to simulate ``model``, and whether open arrivals stand beside closed clients in it."""
    opens = {isinstance(workload, Open) for workload in model.workloads}
    mixed = len(opens) > 1
    return MIXED_PRECISION if mixed else OPEN_PRECISION if True in opens else PRECISION, mixed


def _worst(answer: Result, truth: Result, groups: Sequence[str]) -> tuple[float, float, bool, bool]:
    """Of the worst of ``groups``; where open arrivals are among them, their throughput is no question."""
    rates = [(answer.groups[name].throughput, truth.groups[name].throughput) for name in groups]
    known = [pair for pair in rates if pair[1].precision <= 2 * MIXED_PRECISION]
    latencies = [(answer.groups[name].latency.mean, truth.groups[name].latency.mean) for name in groups]
    return (
        max(_factor(found.value, true.value) for found, true in known),
        max(_factor(found.value, true.value) for found, true in latencies),
        all(_within(found, true) for found, true in known),
        all(_within(found, true) for found, true in latencies),
    )


def _factor(computed: float, true: float) -> float:
    return max(computed / true, true / computed) - 1.0


def _within(stated: Estimate, true: Estimate) -> bool:
    """Whether some of the interval of ``true`` is within what is stated; what is exact has none."""
    return not stated.low > true.high and not stated.high < true.low
