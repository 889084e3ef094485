"""A design while one setting or parameter of it varies: what is known of it at each value."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from sim.errors import InputError, StacksimError, TooLongError, nearest, printable, shown
from sim.output.explorer.answers import CAREFUL, at_once
from sim.output.explorer.choices import Choices, figures_of
from sim.output.explorer.form import is_numeric
from sim.output.explorer.question import Question
from sim.output.explorer.stops import parameter_text, stops_of, stops_of_parameter
from sim.prediction.prediction import Prediction, predict_case
from sim.prediction.structures import bands_over_structures
from sim.prediction.uncertainty import prediction_intervals
from sim.simulation.options import Progress
from sim.system.settings import Setting
from sim.system.system import System
from sim.system.what_if import given_value

MOST = 13
"""Points of a line, beside those that were published and the one where the design is."""


@dataclass
class Point:
    """A value along the axis, and what is known of the design there.

    Attributes:
        careful: whether it was simulated once nothing moved.
        why: why nothing is known, or nothing better; empty if neither has a reason.
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
        setting: the one of that name; None of a parameter.
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
        """The line of ``question``, of which nothing is known yet.

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
        """Know ``point`` as fast as possible."""
        look(0.0)
        try:
            point.found = at_once(self._at(point).case(self.choices), look).prediction
        except StacksimError as error:
            point.why = printable(str(error))

    def simulate(self, point: Point, look: Progress) -> None:
        """Know ``point`` better, with prediction intervals; what takes too long stays as it was, and says so."""
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
    parameters = line.system.parameters
    entry = next(each for each in parameters.entries if each.name == line.over)
    here = line.question.parameters.get(line.over, parameter_text(entry, entry.value))
    by_value = {given_value(parameters, line.over, text): text for text in (*stops_of_parameter(entry), here)}
    return [Point(text, value) for value, text in sorted(by_value.items())]


def _of_setting(line: Line, setting: Setting) -> list[Point]:
    """Some of the stops, what was published, and where the design is; of words, all."""
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
