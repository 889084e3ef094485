"""Questions in lessons: settings by name, at the precision that the lesson sets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sim.decision.compare import Comparison
from sim.decision.compare import compare as compared
from sim.engine.simulation.options import RunOptions
from sim.prediction.explanation import Explanation
from sim.prediction.explanation import explain as explained
from sim.prediction.prediction import Prediction, predict_case
from sim.prediction.swept import Sweep
from sim.prediction.swept import sweep as swept
from sim.system.case import Case
from sim.system.installed import resolved
from sim.system.system import System
from sim.system.what_if import with_set

_LESSON = {"precision": 0.03}
"""Relative half-width of intervals in lessons: large enough to be seen in a picture."""


def precision(share: float) -> None:
    """Set the relative precision of all simulations from here on."""
    _LESSON["precision"] = share


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
    return predict_case(_case(system, parameters, settings), options_of(engine), intervals=intervals)


def sweep(
    system: System | str,
    *,
    parameters: Mapping[str, Sequence[float]] | None = None,
    engine: str = "auto",
    **values: Any,
) -> Sweep:
    """Predict ``system`` under all combinations of ``values``, each one value or a list."""
    lists = {name: each if isinstance(each, list | tuple | range) else [each] for name, each in values.items()}
    return swept(system, lists, options_of(engine), parameters)


def explain(
    system: System | str, *, parameters: Mapping[str, float] | None = None, **settings: Any
) -> Explanation:
    """Explain where a request spends its time, the limit, and what would change it."""
    return explained(predict(system, parameters=parameters, **settings))


def compare(a: Case | tuple[str, Mapping[str, Any]], b: Case | tuple[str, Mapping[str, Any]]) -> Comparison:
    """Compare two designs, each a name with settings, by paired runs with common random numbers."""
    return compared(_side(a), _side(b), options_of("auto"))


def _side(given: Case | tuple[str, Mapping[str, Any]]) -> Case:
    return given if isinstance(given, Case) else Case.of(*given)


def _case(system: System | str, parameters: Mapping[str, float] | None, settings: Mapping[str, Any]) -> Case:
    system = resolved(system)
    return Case.of(with_set(system, parameters) if parameters else system, settings)


def options_of(engine: str) -> RunOptions:
    """Run options of a lesson: the ``engine``, at the lesson's precision."""
    return RunOptions(engine=engine, precision=_LESSON["precision"])
