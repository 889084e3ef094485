"""stacksim: ask storage stacks what they would do.

    >>> import stacksim
    >>> answer = stacksim.predict("dbfs", users=8, block="8KiB", precision=0.05)
    >>> answer.unit
    'MB/s'
    >>> answer.limit.kind
    'place'

A system is the name of an installed one (``stacksim systems`` lists them), a stack file (``"mine.toml"``), a
system in Python (``"mine.py:NAME"``), or what ``stacksim.system("mine.toml", fitted="fit.json")`` makes of one.
Settings are named arguments, as values or as people write them. Every function raises ``InputError`` for what is
not allowed, in one line that says what is.

Functions and records are loaded when they are first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from sim.engine.extensions import load, registered

if TYPE_CHECKING:
    from sim.calibration.calibrate import Calibration
    from sim.decision.compare import Comparison
    from sim.decision.find import Finding
    from sim.decision.growth import Growth
    from sim.engine.errors import InputError, StacksimError
    from sim.prediction.degraded import Degraded
    from sim.prediction.explanation import Explanation
    from sim.prediction.over_time import PredictionOverTime
    from sim.prediction.prediction import Prediction
    from sim.prediction.report import Report
    from sim.prediction.swept import Sweep
    from sim.system.system import System
    from stacksim.asking import compare, explain, fail, fit, over_time, predict, report, sweep, system
    from stacksim.planning import find, growth

GROUP = "stacksim.verbs"
"""Entry-point group of functions that guests of the core bring, by name."""

_RECORDS = {
    "Calibration": "sim.calibration.calibrate",
    "Comparison": "sim.decision.compare",
    "Degraded": "sim.prediction.degraded",
    "Explanation": "sim.prediction.explanation",
    "Finding": "sim.decision.find",
    "Growth": "sim.decision.growth",
    "InputError": "sim.engine.errors",
    "Prediction": "sim.prediction.prediction",
    "PredictionOverTime": "sim.prediction.over_time",
    "Report": "sim.prediction.report",
    "StacksimError": "sim.engine.errors",
    "Sweep": "sim.prediction.swept",
    "System": "sim.system.system",
}
_ASKED = ("compare", "explain", "fail", "fit", "over_time", "predict", "report", "sweep", "system")
_HOME = {
    **_RECORDS,
    **dict.fromkeys(_ASKED, "stacksim.asking"),
    **dict.fromkeys(("find", "growth"), "stacksim.planning"),
}
_GUESTS = ("claim", "measure")
"""Functions of guests that belong to stacksim, which an installation may lack."""

__all__ = [
    "Calibration",
    "Comparison",
    "Degraded",
    "Explanation",
    "Finding",
    "Growth",
    "InputError",
    "Prediction",
    "PredictionOverTime",
    "Report",
    "StacksimError",
    "Sweep",
    "System",
    "compare",
    "explain",
    "fail",
    "find",
    "fit",
    "growth",
    "over_time",
    "predict",
    "report",
    "sweep",
    "system",
]
__all__ += [name for name in _GUESTS if name in registered(GROUP)]
__all__.sort()


def __getattr__(name: str) -> Any:
    """Load ``name`` from its module, or from the guest that brings it.

    Raises:
        AttributeError: nobody brings it; says which installation does.
    """
    if name in _HOME:
        return getattr(import_module(_HOME[name]), name)
    if name in (verbs := registered(GROUP)):
        return load(verbs[name])
    if name in _GUESTS:
        raise AttributeError(f"stacksim.{name} is not in this installation; pip install stacksim")
    raise AttributeError(f"module 'stacksim' has no attribute '{name}'")


def __dir__() -> list[str]:
    return sorted({*__all__, *registered(GROUP)})
