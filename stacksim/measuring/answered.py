"""An answer to a question about a fitted stack: for a terminal, for a page, and as one line."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from sim.decision.find import Finding
from sim.decision.record import FindRecord, record
from sim.engine.errors import printable
from sim.engine.units.text import ends_text, number_text
from sim.output.views import finding as finding_view
from sim.output.views import prediction as prediction_view
from sim.output.views.parts import Line, Part
from sim.prediction.answer_page import PredictedRecord, answered
from sim.prediction.prediction import Prediction
from sim.prediction.uncertainty import EXPECTED


@dataclass(frozen=True)
class Answered:
    """A question as it was typed, and the fitted stack's answer."""

    question: str
    answer: Prediction | Finding

    def parts(self) -> Iterator[Part]:
        """Parts that a terminal prints."""
        if isinstance(self.answer, Finding):
            yield from finding_view.parts(self.answer)
            yield from (Line(f"warning: {printable(text)}") for text in finding_view.warnings(self.answer))
        else:
            yield from prediction_view.parts(self.answer)

    def html(self) -> str:
        """The answer and a picture, as a part of a page."""
        if isinstance(self.answer, Finding):
            return finding_view.VIEW.html(self.answer)
        return prediction_view.VIEW.html(self.answer)

    def record(self) -> FindRecord | PredictedRecord:
        """Record as in `find --json` or `predict --json`."""
        return record(self.answer) if isinstance(self.answer, Finding) else answered(self.answer)

    def line(self) -> str:
        """Summary in one line."""
        if isinstance(self.answer, Finding):
            first, _, _ = finding_view.VIEW.text(self.answer).partition("\n")
            return f"{self.question}: {first}"
        prediction, band = self.answer, self.answer.intervals["throughput"]
        limits = prediction.limit.words(prediction.amount, prediction.unit)
        ends = f"{EXPECTED} {ends_text(band.low, band.high)} at {band.confidence:.0%}"
        value = number_text(prediction.throughput.value)
        return f"{self.question}: {value} ({ends}) {prediction.unit}; {limits}"
