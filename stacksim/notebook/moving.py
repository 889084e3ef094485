"""Curves that follow sliders: computed at once while one is dragged, simulated when it is released."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from sim.engine.errors import InputError, ModelError, StacksimError, nearest, shown
from sim.engine.simulation.options import ANALYTIC
from sim.output.pictures.chart import Chart
from sim.prediction.prediction import Prediction
from stacksim.notebook.question import Question, Units

MAX_GRID = 200
"""Largest number of predictions simulated in advance if the analytic engine refuses."""

COMPUTED, SIMULATED = "computed", "simulated"

_Key = tuple[str, tuple[Any, ...]]


class Moving:
    """The curves of a question at the present positions of its knobs.

    Attributes:
        position: the value of each knob.
        charts: one for each measure.
        note: note on the curves, or empty.
        grid: True if all was simulated in advance, because the analytic engine refuses.

    Raises:
        InputError: the analytic engine refuses, and simulating all in advance would take too long.
        StacksimError: the system refuses the initial positions.
    """

    charts: tuple[Chart, ...] = ()
    note: str = ""

    def __init__(self, question: Question) -> None:
        self.question = question
        self.position = question.start
        self._kept: dict[_Key, list[Prediction]] = {}
        self._units: Units = {}
        self.grid = not self._computes()
        if self.grid:
            self._simulate_all()
        self.settle()

    def move(self, **values: Any) -> None:
        """Set knobs, and show the answers that are available at once.

        Raises:
            InputError: no such knob, or a value that is not one of its stops.
        """
        knobs = {knob.name: knob for knob in self.question.knobs}
        for name in values:
            if name not in knobs:
                raise InputError(f"nothing moves '{shown(name)}'; {nearest(name, knobs)}")
        self.position |= {name: knobs[name].stop(value) for name, value in values.items()}
        self.note = ""
        try:
            if not self.grid:
                self._keep(COMPUTED, self.question.predictions(self.position, ANALYTIC))
        except ModelError:
            self.note = "the analytic engine refuses this; wait for the simulation"
        except StacksimError as error:
            self.note = str(error)
        self._show()

    def settle(self) -> None:
        """Simulate at the present positions."""
        for _ in self.settling():
            pass

    def settling(self) -> Iterator[None]:
        """Simulate one prediction at a time, so that the work can be abandoned when a knob moves."""
        position, points = dict(self.position), []
        try:
            for each in () if self._at(SIMULATED) else self.question.predictions(position, "auto"):
                points.append(each)
                yield
        except StacksimError as error:
            self.note = str(error)
            return
        if points:
            self._keep(SIMULATED, points)
        self.note = ""
        self._show()

    def _computes(self) -> bool:
        """True if the analytic engine accepts the question."""
        try:
            self._keep(COMPUTED, self.question.predictions(self.position, ANALYTIC))
        except ModelError as refusal:
            if self.question.count > MAX_GRID:
                raise InputError(
                    f"{refusal}: {self.question.count} predictions; allowed: {MAX_GRID}; list fewer values, such "
                    f"as {self.question.over.name}={list(self.question.x[:2])}"
                ) from None
            return False
        return True

    def _simulate_all(self) -> None:
        for position in self.question.positions:
            self.position = position
            self.settle()
        self.position = self.question.start

    def _keep(self, label: str, points: Iterator[Prediction] | Sequence[Prediction]) -> None:
        if not self._at(label):
            self._kept[label, tuple(self.position.values())] = list(points)

    def _at(self, label: str) -> list[Prediction]:
        """Predictions at the present positions; empty if there are none."""
        return self._kept.get((label, tuple(self.position.values())), [])

    def _show(self) -> None:
        labelled = {label: self._at(label) for label in (COMPUTED, SIMULATED) if self._at(label)}
        if labelled:  # else keep the former curves, with a note
            self._units = self._units or self.question.units(next(iter(labelled.values())))
            self.charts = self.question.charts(self.position, labelled, self._units)
