"""A prediction on one page: what you get, what limits it and what would help, how sure it is.

Terminal, notebook, explorer and JSON show this record. It is text, ready to be read; numbers to compute with, and
details, are those of the prediction.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from typing_extensions import TypedDict

from sim.engine.errors import printable
from sim.engine.model.identical import common_names
from sim.engine.simulation.allowances import hidden_levels
from sim.engine.simulation.limits import State
from sim.engine.simulation.options import ANALYTIC
from sim.engine.statistics.answers import QUANTILES
from sim.engine.units.text import figure_text, range_text
from sim.prediction.bursts import burst_words, hint
from sim.prediction.extrapolation import Apart
from sim.prediction.prediction import Prediction
from sim.prediction.prediction_record import PredictionRecord, fields_of
from sim.prediction.structures import expected
from sim.prediction.uncertainty import PredictionInterval
from sim.system.scenario import LATENCIES, Answer

DIGITS = 3
"""Significant digits of a value: few predictions are as sure as that."""

MOST_OWN = 4
"""Largest number of the system's own answers shown; of more, the first three, and the rest is counted."""

_PAIRS = 2
"""Largest number of pairs of settings that are named."""

_NAMED = 8
"""Largest number of assumed parameters that are named; of more, only the number is given."""

_NEAR = 3.0
"""A bound further away than this factor is no help to anybody."""

_FINEST = 0.001
"""Finest precision of a run that is printed."""

HARDLY = 0.001
"""Weight below which a rival is not shown."""


@dataclass(frozen=True)
class Figure:
    """One answer.

    Attributes:
        name: name of the answer, such as ``mean``; ``percentiles`` for all of them.
        value: its value, with the unit.
        expected: where a measurement would lie; empty if not computed.
        why: reason for a missing value, in a few words.
        known: False if the run does not know it well enough.
    """

    name: str
    label: str
    value: str
    expected: str = ""
    why: str = ""
    known: bool = True


@dataclass(frozen=True)
class Remark:
    """A remark: what it is ``about``, in a word or two, and its text."""

    about: str
    text: str


class PageRecord(TypedDict):
    """The answer on one page, as text for readers."""

    figures: list[Figure]
    confidence: float | None
    left_out: int
    beside: list[Remark]
    state: State
    limits: list[Remark]
    sure: list[Remark]


class PredictedRecord(PredictionRecord):
    """A prediction, and its answer on one page."""

    answer: PageRecord


@dataclass(frozen=True)
class AnswerPage:
    """The answer of a prediction.

    Attributes:
        system: name of the system.
        settings: settings and parameters that were set, as text.
        figures: what you get: throughput first, then latencies, then answers of the system's own.
        confidence: that of all expected ranges; None if there are none.
        left_out: number of further answers of the system's own.
        beside: two states, and bursts that did not last.
        state: the kind of limit.
        limits: what limits throughput, and what would help.
        sure: how sure the figures are: errors, settings beyond measured ones, notes, warnings, assumptions.
    """

    system: str
    settings: str
    figures: tuple[Figure, ...]
    confidence: float | None
    left_out: int
    beside: tuple[Remark, ...]
    state: State
    limits: tuple[Remark, ...]
    sure: tuple[Remark, ...]

    def record(self) -> PageRecord:
        """The JSON record; system and settings stand beside it."""
        return {
            "figures": [fields_of(each) for each in self.figures],
            "confidence": self.confidence,
            "left_out": self.left_out,
            "beside": _remarks(self.beside),
            "state": self.state,
            "limits": _remarks(self.limits),
            "sure": _remarks(self.sure),
        }


def _remarks(remarks: Sequence[Remark]) -> list[Remark]:
    return [fields_of(each) for each in remarks]


def answer_page(prediction: Prediction) -> AnswerPage:
    """The answer of ``prediction`` on one page."""
    own = list(prediction.further)
    shown = own if len(own) <= MOST_OWN else own[: MOST_OWN - 1]
    bands = list(prediction.intervals.values())
    return AnswerPage(
        system=prediction.system,
        settings=printable("  ".join(f"{name}={text}" for name, text in prediction.shown.items())),
        figures=tuple(_figures(prediction, shown)),
        confidence=bands[0].confidence if bands else None,
        left_out=len(own) - len(shown),
        beside=tuple(_beside(prediction)),
        state=prediction.limit.state,
        limits=tuple(_limits(prediction)),
        sure=tuple(_sure(prediction)),
    )


def answered(prediction: Prediction) -> PredictedRecord:
    """The JSON of ``prediction`` with its answer on one page."""
    return {**prediction.record(), "answer": answer_page(prediction).record()}


def _figures(prediction: Prediction, own: Sequence[str]) -> Iterator[Figure]:
    yield _figure(prediction, "throughput", "throughput")
    percentiles = {each.measure: each for each in prediction.told_percentiles}
    variation = prediction.variation
    for name, label in LATENCIES.items():
        if told := percentiles.get(name):
            yield Figure(name, label, _value(told.answer), range_text(told.low, told.high, "s", DIGITS))
        elif math.isfinite(prediction.answers[name].estimate.value):
            yield _figure(prediction, name, label)
    if variation and not variation.modelled and not percentiles:
        yield Figure("percentiles", "percentiles", "not modelled", why="service times are constant")
    for name in own:
        yield _figure(prediction, name, name.replace("_", " "))


def _figure(prediction: Prediction, name: str, label: str) -> Figure:
    answer = prediction.answers[name]
    if answer.why:
        return Figure(name, label, "not modelled", why=printable(answer.why))
    band = prediction.intervals.get(name)
    lies = _expected(band, answer, name) if band else ""
    if band and name == "throughput" and prediction.rivals and band.mixture:
        lies = f"{lies}, median {figure_text(band.mixture.middle, answer.unit, DIGITS)}"
    return Figure(name, label, _value(answer), lies, known=answer.estimate.known)


def _value(answer: Answer) -> str:
    return figure_text(answer.estimate.value, answer.unit, DIGITS)


def _expected(band: PredictionInterval, answer: Answer, name: str) -> str:
    """The range of a measurement; empty for one without width, and for an unknown value."""
    if band.known or name == "throughput":
        return range_text(band.low, band.high, answer.unit, DIGITS) if band.low < band.high else ""
    return "not known" if name in QUANTILES and answer.estimate.known else ""


def _beside(prediction: Prediction) -> Iterator[Remark]:
    """Yield states between which throughput switches, and bursts that did not last."""
    if states := prediction.states:
        yield Remark("two states", states.words(prediction.unit))
    model = prediction.case.scenario.model
    hidden = hidden_levels(model)
    unnamed = {str(each) for each in model.places if each.name in hidden}
    for words in burst_words(prediction.result.bursts, prediction.amount, prediction.unit, unnamed):
        yield Remark("burst", printable(words))


def _limits(prediction: Prediction) -> Iterator[Remark]:
    """Yield what limits, and what would help as far as the limit and the bounds of other places say."""
    limit = prediction.limit
    yield Remark("limit", limit.words(prediction.amount, prediction.unit))
    if helps := limit.helps:
        yield Remark("would help", f"{helps}{_up_to(prediction) if limit.relieved else ''}")


def _up_to(prediction: Prediction) -> str:
    """The bound by the next place, if it is near."""
    for bound in prediction.behind:
        if bound.throughput <= _NEAR * prediction.throughput.value:
            most = figure_text(bound.throughput, prediction.unit, DIGITS)
            return f"; then at most {most} ({prediction.named(bound.place)})"
        break
    return ""


def _sure(prediction: Prediction) -> Iterator[Remark]:
    """Yield errors, settings beyond measured ones, and all that the model leaves out or assumes."""
    known, unit = prediction.caveats, prediction.unit
    yield Remark("how sure", "; ".join(_errors(prediction)))
    for number, rival in enumerate(each for each in prediction.rivals if each.weight >= HARDLY):
        yield Remark("" if number else "from jobs", printable(rival.words(unit)))
    if beyond := extrapolated_words(known.untested, known.apart):
        yield Remark("extrapolated", printable(beyond))
    if structures := list(expected(prediction.structures, prediction.throughput.value)):
        yield Remark("structures", printable(f"{' or '.join(structures)} {unit}"))
    if told := prediction.told_percentiles:
        yield Remark("percentiles", printable(f"by {told[0].by}"))
    elif known.percentiles and prediction.variation and prediction.variation.modelled:
        yield Remark("percentiles", printable(known.percentiles.removeprefix("percentiles ")))
    yield from (Remark("note", printable(note)) for note in known.notes)
    yield from (Remark("warning", printable(warning)) for warning in _once(prediction.result.warnings))
    if advice := hint(prediction.result.warnings):
        yield Remark("over time", advice)
    yield Remark("assumed", printable(_assumed(known.assumed, sum(map(len, known.defaults.values())))))


def _once(warnings: Sequence[str]) -> Iterator[str]:
    """Yield warnings that differ only in numbers once, with how many they are."""
    names = common_names(warnings)
    for name in dict.fromkeys(names[each] for each in warnings):
        alike = sum(names[each] == name for each in warnings)
        yield f"{name} ({alike} alike)" if alike > 1 else name


def _errors(prediction: Prediction) -> Iterator[str]:
    """Yield standard deviations of the expected range by cause, and the precision of the run."""
    if band := prediction.intervals.get("throughput"):
        parts = {
            "model error": band.missed,
            "parameters": band.parameters,
            "assumed ranges": band.ranges,
            "rivals" if prediction.rivals else "structures": band.structures,
        }
        yield ", ".join(f"{name} ±{part:.1%}" for name, part in parts.items() if part)
        if not band.known:
            yield "throughput is not known well enough"
    if prediction.result.engine == ANALYTIC:
        yield "computed approximately, not simulated"
    elif prediction.throughput.exact:
        yield "simulated exactly"
    elif math.isfinite(prediction.throughput.precision):
        yield f"simulated to ±{max(prediction.throughput.precision, _FINEST):.1%}"


def extrapolated_words(untested: Sequence[str], pairs: Sequence[Apart]) -> str:
    """Settings that were never measured, alone or together; of many pairs, only some."""
    single, more = len(untested) - len(pairs), len(pairs) - _PAIRS
    rest = [f"and {more} such pair{'s' if more > 1 else ''} more"] if more > 0 else []
    return ", ".join((*untested[:single], *map(str, pairs[:_PAIRS]), *rest))


def _assumed(names: Sequence[str], defaults: int) -> str:
    """Parameters and defaults of layers without a source; of many, their number."""
    said = ", ".join(names) if len(names) <= _NAMED else f"{len(names)} parameters"
    more = f"{defaults} default{'s' if defaults > 1 else ''} of layers" if defaults else ""
    return ", and ".join(filter(None, (said, more))) or "nothing"
