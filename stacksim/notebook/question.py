"""The question of a lesson with sliders: answers of a system over one setting, by positions of knobs."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import Any

from sim.engine import checks
from sim.engine.units.text import time_unit
from sim.output.pictures.chart import Axis, Chart, Curve, Points
from sim.prediction.prediction import Prediction
from sim.prediction.published import Conditions, PublishedFigure, conditions, published_figures
from sim.system.scenario import LATENCIES
from sim.system.settings import Setting
from sim.system.system import System
from stacksim.notebook.asking import predict
from stacksim.notebook.knobs import Knob

Position = Mapping[str, Any]
"""The value of each knob, by name."""

Labelled = Mapping[str, Sequence[Prediction]]
"""Predictions over the x axis, by the label of their curve."""

Units = Mapping[str, tuple[str, float]]
"""Unit of the y axis of each measure, and its size in the answer's own unit."""


@dataclass(frozen=True)
class Question:
    """Answers over a setting.

    Attributes:
        over: the setting along the x axis, and ``x`` its values.
        measures: the answers, a chart for each.
    """

    system: System
    over: Setting
    x: Sequence[Any]
    measures: Sequence[str]
    knobs: Sequence[Knob]

    @property
    def start(self) -> dict[str, Any]:
        """Initial position of each knob."""
        return {knob.name: knob.values[knob.start] for knob in self.knobs}

    @property
    def positions(self) -> Iterator[dict[str, Any]]:
        """Yield all combinations of positions of the knobs."""
        for values in product(*(knob.values for knob in self.knobs)):
            yield dict(zip(self.start, values, strict=True))

    @property
    def count(self) -> int:
        """Number of predictions over all positions."""
        return len(self.x) * math.prod(len(knob.values) for knob in self.knobs)

    def predictions(self, position: Position, engine: str) -> Iterator[Prediction]:
        """The prediction at each place along the x axis.

        Raises:
            StacksimError: the system or the engine refuses.
        """
        parameters = {name: position[name] for name in self._set(position)}
        moved = {knob.name for knob in self.knobs if knob.parameter}
        settings = {name: value for name, value in position.items() if name not in moved}
        for x in self.x:
            yield predict(self.system, parameters=parameters, engine=engine, **settings, **{self.over.name: x})

    def units(self, predictions: Sequence[Prediction]) -> Units:
        """Units of the y axes in which ``predictions`` are easily read."""
        return {measure: _unit(measure, predictions) for measure in self.measures}

    def charts(self, position: Position, labelled: Labelled, units: Units) -> tuple[Chart, ...]:
        """A chart for each measure, with a curve for each label and published figures at ``position``."""
        return tuple(self._chart(measure, position, labelled, *units[measure]) for measure in self.measures)

    def words(self, position: Position) -> str:
        """Positions of the knobs, as text."""
        return ", ".join(f"{knob.name} {knob.text(position[knob.name])}" for knob in self.knobs)

    def _set(self, position: Position) -> list[str]:
        """Parameters whose value differs from the system's."""
        return [
            knob.name for knob in self.knobs if knob.parameter and position[knob.name] != knob.values[knob.start]
        ]

    def _chart(self, measure: str, position: Position, labelled: Labelled, unit: str, scale: float) -> Chart:
        named = {float(x): self.over.show(x) for x in self.x}
        curves = [self._curve(measure, label, points, scale) for label, points in labelled.items()]
        return Chart(
            title=f"{self.system.name}: {self.words(position)}",
            x=Axis(self.over.name, logarithmic=min(named) > 0, named=named),
            y=Axis(LATENCIES.get(measure, measure.replace("_", " ")), unit),
            curves=curves,
            published=self._published(measure, position, labelled, scale),
            band="interval" if any(map(math.isfinite, (low for curve in curves for low in curve.low))) else "",
        )

    def _curve(self, measure: str, label: str, points: Sequence[Prediction], scale: float) -> Curve:
        answers = [each.answers[measure].estimate.scaled(1.0 / scale) for each in points]
        return Curve(
            label,
            x=[float(x) for x in self.x],
            y=[each.value for each in answers],
            low=[each.low for each in answers],
            high=[each.high for each in answers],
        )

    @cached_property
    def _figures(self) -> Mapping[tuple[Conditions, str], PublishedFigure]:
        return published_figures(self.system)

    def _published(self, measure: str, position: Position, labelled: Labelled, scale: float) -> list[Points]:
        figures = {} if self._set(position) else self._figures
        points = next(iter(labelled.values()))
        found = [
            (float(x), figure.value / scale, figure.half_width / scale)
            for x, each in zip(self.x, points, strict=True)
            if (figure := figures.get((conditions(each.settings), measure)))
            and figure.unit == each.answers[measure].unit
        ]
        return [Points(0, *map(list, zip(*found, strict=True)))] if found else []


def _unit(measure: str, predictions: Sequence[Prediction]) -> tuple[str, float]:
    checks.known("answer", measure, predictions[0].answers)
    if measure not in LATENCIES:
        return predictions[0].answers[measure].unit, 1.0
    times = (each.answers[measure].estimate.value for each in predictions)
    return time_unit(max((time for time in times if not math.isnan(time)), default=1.0))
