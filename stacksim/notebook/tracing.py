"""Where the time of a request goes: the mean over some requests, or one from beginning to end."""

from __future__ import annotations

from sim.engine.events.trace import Span
from sim.engine.simulation.latency_breakdown import Breakdown, break_down
from sim.engine.simulation.recording import recorded
from sim.output.pictures.gantt import draw, typical
from sim.prediction.prediction import Prediction
from stacksim.notebook.drawing import Picture


def breakdown(prediction: Prediction) -> Breakdown:
    """Latency of the requests of ``prediction``: waiting and service at each place."""
    return break_down(_requests(prediction))


def timeline(prediction: Prediction) -> Picture:
    """One request of median latency: a lane for each place, time from left to right."""
    words = ", ".join(f"{name} {text}" for name, text in prediction.shown.items())
    return Picture(draw(typical(_requests(prediction)), f"{prediction.system}, {words}"))


def _requests(prediction: Prediction) -> list[Span]:
    return recorded(prediction.case.scenario.model, prediction.result)[prediction.result.watched]
