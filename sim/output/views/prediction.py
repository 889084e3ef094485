"""A prediction in a few lines: answers, limit, busiest places, assumptions."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence

from sim.engine.errors import printable
from sim.engine.simulation.options import ANALYTIC
from sim.engine.statistics.answers import QUANTILES
from sim.engine.units.text import ends_text, number_text, time_text, time_unit
from sim.output.pictures.usage import figure
from sim.output.views import bursts
from sim.output.views.parts import Line, Part, Rows, about
from sim.output.views.view import PartsAndPicture
from sim.output.views.words import UNSURE, ends_of, interval, time_interval, words
from sim.prediction.caveats import lacking_percentiles
from sim.prediction.extrapolation import Apart
from sim.prediction.prediction import Prediction
from sim.prediction.structures import Structure, deciding, structure_words
from sim.prediction.uncertainty import EXPECTED, PredictionInterval
from sim.prediction.usage import usages
from sim.system.sample import Sample

_BUSIEST = 6
"""Number of places listed, without gates; identical ones count once."""

_PAIRS = 2
"""Largest number of pairs of settings that are named."""

_LINES = 8
"""Largest number of lines about the answers of a table; more are counted."""

_RANGED = 6
"""Largest number of ranged parameters that are named; more are counted."""


HARDLY = 0.001
"""Weight below which a rival is not shown."""

_IN_A_ROW = EXPECTED.partition(" ")[0]
"""Short name of an answer's interval after its value, so that a row fits into 80 columns."""


def parts(prediction: Prediction) -> Iterator[Part]:
    """One prediction in a few lines."""
    settings = printable("  ".join(f"{name}={text}" for name, text in prediction.shown.items()))
    yield Line("", prediction.system, f"  {settings}", heading=len(prediction.system) + 2)
    yield from _answers(prediction)
    yield from caveats(prediction)
    yield about("limited by", prediction.limit.words(prediction.amount, prediction.unit))
    yield _busiest(prediction)
    yield Line(_how(prediction))
    for warning in prediction.result.warnings:
        yield Line(f"warning: {printable(warning)}")
    yield assumed([prediction])


def caveats(prediction: Prediction) -> Iterator[Line]:
    """Yield unmeasured settings and omissions of the model, if any."""
    known = prediction.caveats
    single = len(known.untested) - len(known.apart)
    if beyond := [*known.untested[:single], *_apart(known.apart)]:
        yield about("untested", printable(", ".join(beyond)))
    yield from _structures(prediction)
    for note in known.notes:
        yield Line(f"note: {printable(note)}")


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
    from sim.prediction.caveats import assumptions  # lazily: data packages load pydantic

    return Line(f"assumed: {printable(assumptions(each.caveats for each in predictions))}")


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
    yield assumed(predictions)


def _answers(prediction: Prediction) -> Iterator[Line]:
    yield about("throughput", "", bold=interval(prediction.throughput, prediction.unit))
    if states := prediction.states:
        yield about("two states", states.words(prediction.unit))
    if band := prediction.intervals.get("throughput"):
        ends = ends_of(band)
        if prediction.rivals and band.mixture:
            ends = f"{number_text(band.mixture.middle)} ({ends})"
        ends = f"{ends} {prediction.unit} at {band.confidence:.0%}"
        yield about(EXPECTED, f"{ends}; {_deviations(band, prediction)}{'' if band.known else UNSURE}")
        for number, rival in enumerate(each for each in prediction.rivals if each.weight >= HARDLY):
            yield about("" if number else "from jobs", printable(rival.words(prediction.unit)))
    latency = prediction.latency
    for index, (name, each) in enumerate(vars(latency).items()):
        if not math.isnan(each.value):
            lies = _band(prediction, name, time_unit(each.value)[1])
            yield about("" if index else "latency", f"{name:<4} {time_interval(each)}{lies}")
    for each in prediction.told_percentiles:
        unit, unit_s = time_unit(each.value)
        said = f"{each.measure:<4} {number_text(each.value / unit_s)} {unit} by {each.by}"
        yield about("", f"{said}, {_IN_A_ROW} {ends_text(each.low, each.high, unit_s)}")
    if lacking := prediction.caveats.percentiles:
        yield about("", printable(lacking))
    width = max(map(len, ("throughput ", *prediction.further)))
    for name, answer in prediction.further.items():
        value = "not modelled" if answer.why else interval(answer.estimate, answer.unit)
        told = f"{value}{_band(prediction, name)}"
        yield Line(f"{words(name):<{width}} {told}", heading=width + 1)
    yield from bursts.lines(prediction.result.bursts, prediction.amount, prediction.unit)


def _apart(pairs: Sequence[Apart]) -> Iterator[str]:
    """Yield pairs of settings that were never measured together; of many, only some."""
    yield from map(str, pairs[:_PAIRS])
    if more := len(pairs) - _PAIRS:
        yield from [f"and {more} such pair{'s' if more > 1 else ''} more"] if more > 0 else []


def _band(prediction: Prediction, measure: str, scale: float = 1.0) -> str:
    """Prediction interval of an answer after its value, in units of ``scale``, if known."""
    band = prediction.intervals.get(measure)
    if band and not band.known and measure in QUANTILES and prediction.answers[measure].estimate.known:
        return f", {_IN_A_ROW} not known"
    if band is None or not (band.known and band.low < band.high):
        return ""
    return f", {_IN_A_ROW} {ends_of(band, scale)}"


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
    """The busiest places, one row for identical ones."""
    places_used = usages(prediction.result, _BUSIEST, prediction.internals)
    several = any(each.count > 1 for each in places_used)
    identical = ("identical", "used, mean", "busiest") if several else ("used",)
    rows = []
    for each in places_used:
        counted = (str(each.count), each.words(each.mean)) if several else ()
        busiest = each.words(each.busiest) if each.count > 1 or not several else ""
        rows.append((each.name, each.kind, *counted, busiest, f"{each.waiting:.2f}"))
    return Rows(("busiest places", "kind", *identical, "waiting"), rows)


def _how(prediction: Prediction) -> str:
    result = prediction.result
    if result.engine == ANALYTIC:
        return "analytic engine: computed, not simulated; identical places are shown once"
    return (
        f"{result.engine} engine, seed {result.seed}, {result.steps:,} steps, "
        f"{time_text(result.measured_s)} simulated after {time_text(result.warmup_s)} of warm-up"
    )


VIEW = PartsAndPicture(parts, figure, "how much of each of the busiest places is used")
