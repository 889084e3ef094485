"""Answers of a design while one of its settings or parameters varies."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from sim.engine.errors import InputError, StacksimError, TooLongError, nearest, printable, shown
from sim.engine.simulation.options import Progress
from sim.prediction.prediction import Prediction, predict_case
from sim.prediction.structures import bands_over_structures
from sim.prediction.uncertainty import prediction_intervals
from sim.system.settings import Setting
from sim.system.system import System
from sim.system.what_if import given_value
from stacksim.explorer.answers import CAREFUL, at_once
from stacksim.explorer.choices import Choices, figures_of
from stacksim.explorer.form import is_numeric
from stacksim.explorer.question import Question
from stacksim.explorer.stops import parameter_text, stops_of, stops_of_parameter

MOST = 13
"""Largest number of points of a line, besides published ones and the design's own."""


@dataclass
class Point:
    """A value along the axis, and the answer of the design there.

    Attributes:
        careful: True if it was simulated after nothing moved.
        why: reason for a missing or a merely rough answer; else empty.
    """

    text: str
    x: float
    found: Prediction | None = None
    careful: bool = False
    why: str = ""


@dataclass
class Line:
    """A design whose value of ``over`` varies.

    Attributes:
        setting: the setting ``over``; None for a parameter.
    """

    label: str
    choices: Choices
    question: Question
    over: str
    system: System
    setting: Setting | None
    points: list[Point] = field(default_factory=list)

    @classmethod
    def of(cls, label: str, choices: Choices, question: Question, over: str) -> Line:
        """Line of ``question``, without answers yet.

        Raises:
            InputError: its design has no such setting or parameter, or cannot be asked about.
        """
        question.case(choices)
        system = choices.find(question.name)
        settings = {each.name: each for each in system.settings}
        names = [*settings, *system.parameters.names()]
        if over not in names:
            raise InputError(f"no setting or parameter '{shown(over)}'; {nearest(over, names)}")
        line = cls(label, choices, question, over, system, settings.get(over))
        line.points = _of_setting(line, line.setting) if line.setting else _of_parameter(line)
        return line

    def compute(self, point: Point, look: Progress) -> None:
        """Answer ``point`` as fast as possible."""
        look(0.0)
        try:
            point.found = at_once(self._at(point).case(self.choices), look).prediction
        except StacksimError as error:
            point.why = printable(str(error))

    def simulate(self, point: Point, look: Progress) -> None:
        """Answer ``point`` better, with prediction intervals; if that takes too long, keep the old answer."""
        try:
            case = self._at(point).case(self.choices)
            prediction = predict_case(case, CAREFUL, look)
            bands = bands_over_structures(
                case, prediction.answers, prediction_intervals(case, prediction.result, look)
            )
        except TooLongError as error:
            point.why = printable(str(error))
        except StacksimError as error:
            point.found, point.why = None, printable(str(error))
        else:
            point.found, point.careful, point.why = replace(prediction, intervals=bands), True, ""

    def _at(self, point: Point) -> Question:
        """The design at that point."""
        moved = {self.over: point.text}
        if self.setting:
            return replace(self.question, settings={**self.question.settings, **moved})
        return replace(self.question, parameters={**self.question.parameters, **moved})


def _of_parameter(line: Line) -> list[Point]:
    entry = next(each for each in line.system.parameters.entries if each.name == line.over)
    here = line.question.parameters.get(line.over, parameter_text(entry, entry.value))
    by_value = {given_value(line.system, line.over, text): text for text in (*stops_of_parameter(entry), here)}
    return [Point(text, value) for value, text in sorted(by_value.items())]


def _of_setting(line: Line, setting: Setting) -> list[Point]:
    """Points of a setting: some stops, published values and the design's own; for words all."""
    if not is_numeric(setting):
        return [Point(text, float(number)) for number, text in enumerate(stops_of(setting))]
    published = {dict(settings)[setting.name] for settings, _ in figures_of(line.system)}
    here = line.question.settings.get(setting.name)
    kept = {*_thinned([setting.parse(text) for text in stops_of(setting)]), *published}
    kept.add(setting.parse(setting.default if here is None else here))
    return [Point(setting.show(value), float(value)) for value in sorted(kept) if math.isfinite(value)]


def _thinned(values: Sequence[Any]) -> list[Any]:
    """At most ``MOST`` of ``values``, the ends among them."""
    if len(values) <= MOST:
        return list(values)
    return [values[round(number * (len(values) - 1) / (MOST - 1))] for number in range(MOST)]
