"""Functions for lessons: predictions, sweeps, decisions, published figures; results show themselves in Jupyter."""

from sim.notebook.animating import animate
from sim.notebook.asking import compare, explain, precision, predict, sweep
from sim.notebook.citing import Figure, published
from sim.notebook.claiming import claim
from sim.notebook.drawing import curves
from sim.notebook.guessing import Guess
from sim.notebook.planning import fail, find, growth
from sim.notebook.telling import say, times
from sim.notebook.tracing import breakdown, timeline
from sim.notebook.with_sliders import Sliders, sliders

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
    "find",
    "growth",
    "precision",
    "predict",
    "published",
    "say",
    "sliders",
    "sweep",
    "timeline",
    "times",
]
