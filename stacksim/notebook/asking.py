"""Functions of ``stacksim`` for lessons, at a lower precision, so that a class need not wait."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sim.decision.compare import Comparison
from sim.engine.simulation.options import RunOptions
from sim.prediction.explanation import Explanation
from sim.prediction.prediction import Prediction
from sim.prediction.swept import Sweep
from sim.system.system import System
from stacksim import asking
from stacksim.asking import Side

PRECISION = 0.03
"""Relative half-width of intervals in lessons: large enough to be seen in a picture."""


def predict(
    system: System | str,
    *,
    parameters: Mapping[str, float] | None = None,
    engine: str = "auto",
    intervals: bool = False,
    **settings: Any,
) -> Prediction:
    """Predict ``system`` under ``settings``; others keep their defaults.

    Args:
        parameters: values that replace the system's own.
        intervals: True to compute prediction intervals, which takes 17 to 33 more runs.
    """
    changed = asking.system(system, parameters=parameters)
    return asking.predict(changed, precision=PRECISION, engine=engine, intervals=intervals, **settings)


def sweep(
    system: System | str,
    *,
    parameters: Mapping[str, Sequence[float]] | None = None,
    engine: str = "auto",
    **values: Any,
) -> Sweep:
    """Predict ``system`` under all combinations of ``values``, each one value or a list."""
    return asking.sweep(system, parameters=parameters, precision=PRECISION, engine=engine, **values)


def explain(
    system: System | str, *, parameters: Mapping[str, float] | None = None, **settings: Any
) -> Explanation:
    """Explain where a request spends its time, what limits throughput, and what would change it."""
    return asking.explain(asking.system(system, parameters=parameters), precision=PRECISION, **settings)


def compare(a: Side, b: Side) -> Comparison:
    """Compare two designs, each a name with settings, simulated in pairs with common random numbers."""
    return asking.compare(a, b, precision=PRECISION)


def options_of(engine: str) -> RunOptions:
    """Options of a run in a lesson, by ``engine``."""
    return RunOptions(engine=engine, precision=PRECISION)
