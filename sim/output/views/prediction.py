"""A prediction: its answer on one page, and details on demand."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence

from sim.engine.errors import printable
from sim.engine.simulation.options import ANALYTIC
from sim.engine.units.text import ends_text, number_text, time_text, time_unit
from sim.output.pictures.usage import figure
from sim.output.views.parts import GAP, MARGIN, Line, Part, Rows, about
from sim.output.views.view import PartsAndPicture
from sim.output.views.words import UNKNOWN, WHY_UNKNOWN, ends_of, interval, words
from sim.prediction.answer_page import AnswerPage, Figure, answer_page, extrapolated_words
from sim.prediction.caveats import lacking_percentiles
from sim.prediction.prediction import Prediction
from sim.prediction.structures import Structure, deciding, structure_words
from sim.prediction.uncertainty import EXPECTED, PredictionInterval
from sim.system.sample import Sample

_BUSIEST = 6
"""Number of resources listed, without gates; identical ones count once."""

_LINES = 8
"""Largest number of lines about the answers of a table; more are counted."""

_RANGED = 6
"""Largest number of ranged parameters that are named; more are counted."""


def parts(prediction: Prediction) -> Iterator[Part]:
    """The answer on one page: what you get, what limits it and what would help, how sure it is."""
    page = answer_page(prediction)
    yield Line("", page.system, f"  {page.settings}", heading=len(page.system) + GAP)
    yield _figures(page)
    if not all(each.known for each in page.figures):
        yield Line(WHY_UNKNOWN)
    yield from (about(each.about, each.text) for each in (*page.beside, *page.limits, *page.sure))


def hint(prediction: Prediction) -> Line:
    """Options of the command that say more."""
    left_out = answer_page(prediction).left_out
    more = f"{left_out} more answers, " if left_out else ""
    return about("", f"-v: {more}resources and run; --explain: where the time of a request goes")


def _figures(page: AnswerPage) -> Rows:
    """Table of the answers."""
    lies = f"{EXPECTED}, {page.confidence:.0%}" if page.confidence else ""
    beside = any(each.expected or each.why for each in page.figures)
    rows = [_row(each)[: 2 + beside] for each in page.figures]
    return Rows((f"{'what you get':<{MARGIN - GAP}}", "predicted", lies)[: 2 + beside], rows)


def _row(figure: Figure) -> tuple[str, str, str]:
    return figure.label, f"{figure.value}{'' if figure.known else UNKNOWN}", figure.expected or figure.why


def details(prediction: Prediction) -> Iterator[Part]:
    """Every answer with both intervals, resources, what the expected range is made of, and the run."""
    page = answer_page(prediction)
    yield Line("")
    yield _answers(prediction)
    yield Line("")
    yield _busiest(prediction)
    yield Line("")
    if band := prediction.intervals.get("throughput"):
        yield about("deviations", _deviations(band, prediction))
    yield from _structures(prediction)
    if any(each.name == "percentiles" for each in page.figures):
        yield about("percentiles", printable(prediction.caveats.percentiles.removeprefix("percentiles ")))
    yield about("run", _how(prediction))
    everything = assumed([prediction])
    if everything not in (about(each.about, each.text) for each in page.sure):
        yield everything


def caveats(prediction: Prediction) -> Iterator[Line]:
    """Yield unmeasured settings and omissions of the model, if any."""
    known = prediction.caveats
    if beyond := extrapolated_words(known.untested, known.apart):
        yield about("extrapolated", printable(beyond))
    yield from _structures(prediction)
    yield from (about("note", printable(note)) for note in known.notes)


def _structures(prediction: Prediction) -> Iterator[Line]:
    """Yield the expectation of each structure of the system, and the measurement that would separate them."""
    value, unit = prediction.throughput.value, prediction.unit
    for number, text in enumerate(structure_words(prediction.structures, value, unit)):
        yield about("" if number else "structures", printable(text))
    if found := deciding(prediction.case):
        yield about("to decide", printable(found.words(unit)))


def _ratios(structures: Sequence[Structure]) -> list[float]:
    return [each.ratios["throughput"] for each in structures]


def assumed(predictions: Sequence[Prediction]) -> Line:
    """Parameters without measurement, publication or derivation, and numbers left at their defaults."""
    return about("assumed", _assumptions(predictions))


def _assumptions(predictions: Sequence[Prediction]) -> str:
    from sim.prediction.caveats import assumptions  # lazily: data packages load pydantic

    return printable(assumptions(each.caveats for each in predictions))


def of_all(predictions: Sequence[Prediction]) -> Iterator[Line]:
    """Yield caveats and warnings of all predictions of a table once each, with counts; then assumptions."""
    if several := sorted({each.parts for each in predictions if each.parts > 1}):
        parts = ", ".join(map(str, several))
        yield Line(
            f"sampled: of jobs too long to simulate, one of {parts} equal parts is simulated, times multiplied"
        )
    told = [each.caveats for each in predictions]
    counted = Counter(line for each in told for line in each.beside_percentiles if line not in each.structures)
    if apart := [each.structures for each in predictions if each.structures]:
        most = max(max(ratios) / min(ratios) for ratios in map(_ratios, apart))
        where = f"in {len(apart)} of {len(predictions)}" if len(apart) < len(predictions) else "here"
        yield Line(f"structures of {predictions[0].system} differ {where}, by up to {most:.3g} times: predict one")
    lacking = (
        lacking_percentiles(predictions[0].case, [each.variation for each in predictions]) if predictions else {}
    )
    counted.update({line: len(numbers) for line, numbers in lacking.items()})
    for each in predictions:
        counted.update(
            f"warning: {line}" for line in each.result.warnings if line not in Sample(each.parts).warnings
        )
    for line, count in counted.most_common(_LINES):
        of = f" ({count} of {len(predictions)})" if count < len(predictions) else ""
        yield Line(f"{printable(line)}{of}")
    if len(counted) > _LINES:
        yield Line(f"and {len(counted) - _LINES} such lines more; --json has them all")
    yield Line(f"assumed: {_assumptions(predictions)}")


def _answers(prediction: Prediction) -> Rows:
    """Table of all answers, with the interval of the simulation and that of a measurement."""
    rows = []
    for name, answer in prediction.answers.items():
        unit, scale = time_unit(answer.estimate.value) if answer.unit == "s" else (answer.unit, 1.0)
        value = "not modelled" if answer.why else interval(answer.estimate.scaled(1.0 / scale), unit)
        band = prediction.intervals.get(name)
        lies = ends_of(band, scale) if band and band.low < band.high else ""
        if not math.isnan(answer.estimate.value) or answer.why:
            rows.append((words(name), value, f"{lies}{'' if not band or band.known else UNKNOWN}"))
    for each in prediction.told_percentiles:
        unit, scale = time_unit(each.value)
        value = f"{number_text(each.value / scale)} {unit} by {each.by}"
        rows.append((each.measure, value, ends_text(each.low, each.high, scale)))
    return Rows(("answer", "simulated", EXPECTED), rows)


def _deviations(band: PredictionInterval, prediction: Prediction) -> str:
    """Components of the band, each narrower than the whole."""
    reasons = list(_reasons(band, prediction))
    return f"standard deviation{'s' if len(reasons) > 1 else ''}: {', '.join(reasons)}"


def _reasons(band: PredictionInterval, prediction: Prediction) -> Iterator[str]:
    """Yield the components of the band's width, one standard deviation each."""
    if band.parameters:
        yield f"parameters ±{band.parameters:.1%}"
    ranged = [each.name for each in prediction.case.system.parameters.entries if each.likely]
    if ranged:
        names = ", ".join(ranged) if len(ranged) <= _RANGED else f"{len(ranged)} parameters"
        yield f"assumed range{'s' if len(ranged) > 1 else ''} of {names} ±{band.ranges:.1%}"
    if band.structures:
        yield f"{'rivals' if prediction.rivals else 'structures'} ±{band.structures:.1%}"
    yield f"model error on unseen data ±{band.missed:.1%}"


def _busiest(prediction: Prediction) -> Rows:
    """The resources that are waited for, and then the busiest, one row for identical ones."""
    places_used = prediction.usages(_BUSIEST)
    several = any(each.count > 1 for each in places_used)
    identical = ("identical", "used, mean", "busiest") if several else ("used",)
    rows = []
    for each in places_used:
        counted = (str(each.count), each.words(each.mean)) if several else ()
        busiest = each.words(each.busiest) if each.count > 1 or not several else ""
        kind = prediction.roles.get(each.name, each.kind)  # a throttle, or a stand-in
        rows.append((each.name, kind, *counted, busiest, f"{each.waiting:.2f}"))
    return Rows(("resource", "kind", *identical, "waiting"), rows)


def _how(prediction: Prediction) -> str:
    result = prediction.result
    if result.engine == ANALYTIC:
        return "analytic engine: computed, not simulated; identical places are shown once"
    return (
        f"{result.engine} engine, seed {result.seed}, {result.steps:,} steps, "
        f"{time_text(result.measured_s)} simulated after {time_text(result.warmup_s)} of warm-up"
    )


VIEW = PartsAndPicture(parts, figure, "how much of each of the busiest places is used")
