"""Functions for lessons: predictions, sweeps, decisions, published figures; results show themselves in Jupyter."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from stacksim.notebook.animating import animate
    from stacksim.notebook.asking import compare, explain, predict, sweep
    from stacksim.notebook.citing import Figure, published
    from stacksim.notebook.claiming import claim
    from stacksim.notebook.drawing import curves
    from stacksim.notebook.failing import fails
    from stacksim.notebook.guessing import Guess
    from stacksim.notebook.planning import fail, find, growth
    from stacksim.notebook.telling import say, times
    from stacksim.notebook.tracing import breakdown, timeline
    from stacksim.notebook.with_sliders import Sliders, sliders

_NAMES = {
    "animating": ("animate",),
    "asking": ("compare", "explain", "predict", "sweep"),
    "citing": ("Figure", "published"),
    "claiming": ("claim",),
    "drawing": ("curves",),
    "failing": ("fails",),
    "guessing": ("Guess",),
    "planning": ("fail", "find", "growth"),
    "telling": ("say", "times"),
    "tracing": ("breakdown", "timeline"),
    "with_sliders": ("Sliders", "sliders"),
}
_HOME = {name: module for module, names in _NAMES.items() for name in names}

__all__ = [
    "Figure",
    "Guess",
    "Sliders",
    "animate",
    "breakdown",
    "claim",
    "compare",
    "curves",
    "explain",
    "fail",
    "fails",
    "find",
    "growth",
    "predict",
    "published",
    "say",
    "sliders",
    "sweep",
    "timeline",
    "times",
]


def __getattr__(name: str) -> object:
    """Load ``name`` when it is first used: a lesson without claims or animations needs neither guest."""
    if name not in _HOME:
        raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
    return getattr(import_module(f"{__name__}.{_HOME[name]}"), name)
