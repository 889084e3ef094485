"""The panel of time: the first hour, where a level makes it unlike the long run."""

from __future__ import annotations

from typing import Any

from sim.engine.errors import StacksimError, printable
from sim.engine.model.model import Model
from sim.engine.model.places import Buffer
from sim.engine.simulation.fast_forward import grain
from sim.engine.simulation.options import Progress, RunOptions
from sim.output.pictures.over_time import chart
from sim.output.views.over_time import figures
from sim.prediction.over_time import Span, predict_over_time
from sim.system.case import Case

HOUR = Span(3600.0)

STEPS = 20_000_000
"""Most steps: a second at most."""

LARGE = 1_000
"""Requests that a buffer holds at least, if it may take long to fill."""


def first_hour(case: Case, look: Progress) -> dict[str, Any] | None:
    """Record of the first hour of ``case``; None if it has no large level, or is as the long run."""
    if case.scenario.model.finite or not _has_level(case.scenario.model):
        return None
    try:
        prediction = predict_over_time(case, HOUR, RunOptions(max_steps=STEPS), look, intervals=False)
    except StacksimError:
        return None
    if not (prediction.record.burst or prediction.record.cycle or prediction.unsettled):
        return None
    lines = [(name, value) for name, value, _ in figures(prediction)]
    lines += [("too short", text) for text in prediction.unsettled]
    remarks = [{"about": name, "text": printable(text)} for name, text in lines]
    return {"remarks": remarks, "chart": chart(prediction).record()}


def _has_level(model: Model) -> bool:
    """True if a buffer holds so much that it may fill or empty for long."""
    buffers = (each for each in model.places if isinstance(each, Buffer))
    return any(each.capacity >= LARGE * grain(model, each) for each in buffers)
