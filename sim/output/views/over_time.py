"""A prediction over time: burst, sustained rate and lowest part in three lines, levels, and what limits."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sim.engine.errors import printable
from sim.engine.units.text import LONG_TIMES, duration_text, figure_text, number_text, range_text
from sim.output.pictures.over_time import figure
from sim.output.views.parts import GAP, MARGIN, Line, Part, Rows, Wide, about
from sim.output.views.view import PartsAndPicture
from sim.output.views.words import words
from sim.prediction.answer_page import DIGITS, answer_page
from sim.prediction.over_time import PredictionOverTime
from sim.prediction.over_time_words import burst_ends
from sim.prediction.uncertainty import EXPECTED

MOST_LEVELS = 3
"""Largest number of levels shown; --json has them all."""

_MOVED = 0.01
"""Share of its capacity that a level moves at least, if it is shown."""


def parts(prediction: PredictionOverTime) -> Iterator[Part]:
    """The settings, three lines on the time, and what limits at its end."""
    settings = printable("  ".join(f"{name}={text}" for name, text in prediction.shown.items()))
    yield Line("", prediction.system, f"  {settings}", heading=len(prediction.system) + GAP)
    yield _figures(prediction)
    yield from (about("too short", printable(text)) for text in prediction.unsettled)
    yield from _levels(prediction)
    for when, state in (("in the burst, ", prediction.begin), ("at the end, ", prediction.end)):
        for each in answer_page(state).limits if state else ():
            yield about(each.about, f"{when if prediction.record.burst else ''}{each.text}")
    if prediction.end:
        yield from (about(each.about, each.text) for each in answer_page(prediction.end).sure)


def _figures(prediction: PredictionOverTime) -> Rows:
    band = next(iter(prediction.intervals.values()), None)
    headings = (
        f"{'over ' + duration_text(prediction.record.seconds):<{MARGIN - GAP}}",
        "predicted",
        f"{EXPECTED}, {band.confidence:.0%}" if band else "",
    )
    rows = list(figures(prediction))
    width = 2 + (band is not None)
    return Rows(headings[:width], [row[:width] for row in rows])


def figures(prediction: PredictionOverTime) -> Iterator[tuple[str, str, str]]:
    """Yield burst, sustained rate, lowest part and p99: name, value, and where a measurement would lie."""
    burst = bool(prediction.record.burst)
    yield ("burst", *_burst(prediction, burst=burst))
    yield ("sustained", *_joined(prediction, ("sustained",)))
    yield (_named(prediction.span.lowest, prediction), *_lowest(prediction))
    yield from _latencies(prediction, burst=burst)


def _named(measure: str, prediction: PredictionOverTime) -> str:
    return f"lowest {duration_text(prediction.span.part_s)}" if measure == "lowest" else words(measure)


def _joined(prediction: PredictionOverTime, names: Sequence[str], between: str = "") -> tuple[str, str]:
    """Values of the answers, and where measurements would lie."""
    values = between.join(_value(prediction, name) for name in names)
    return values, ", ".join(filter(None, (_expected(prediction, name) for name in names)))


def _burst(prediction: PredictionOverTime, *, burst: bool) -> tuple[str, str]:
    """The rate of the burst and its length; of one that does not end in the time, at least that."""
    if burst:
        return _joined(prediction, ("burst", "burst_length"), " for ")
    if not prediction.unsettled or prediction.record.trend > 0.0:
        return "none", ""
    lasts = duration_text(prediction.record.seconds)
    return f"{_value(prediction, 'burst')} for {lasts} or more", _expected(prediction, "burst")


def _value(prediction: PredictionOverTime, name: str) -> str:
    answer = prediction.answers[name]
    value = answer.estimate.value
    if not answer.estimate.known:
        return "not known"
    timed = name in ("burst_length", "period")
    return duration_text(value, DIGITS) if timed else figure_text(value, answer.unit, DIGITS)


def _expected(prediction: PredictionOverTime, name: str) -> str:
    band = prediction.intervals.get(name)
    if not band or not band.low < band.high:
        return ""
    if not prediction.answers[name].estimate.known:
        return ""
    if not band.known:
        return "not known"
    if name not in ("burst_length", "period"):
        return range_text(band.low, band.high, prediction.answers[name].unit, DIGITS)
    unit = duration_text(band.high).partition(" ")[2]
    scale = dict(LONG_TIMES).get(unit)
    if scale is None:
        return range_text(band.low, band.high, "s", DIGITS)
    return f"{range_text(band.low / scale, band.high / scale, '', DIGITS)} {unit}"


def _lowest(prediction: PredictionOverTime) -> tuple[str, str]:
    """The lowest part, stalls, and the saw-tooth."""
    record, lowest = prediction.record, prediction.span.lowest
    said = [_value(prediction, lowest)]
    if record.stalled:
        said.append(f"stalled {prediction.value('stalled'):.2g}% of the time")
    if cycle := record.cycle:
        spread = number_text(cycle.spread_s / cycle.period_s * 100.0, 2)
        said.append(f"a saw-tooth every {_value(prediction, 'period')} (±{spread}%)")
    return "; ".join(said), _expected(prediction, lowest)


def _latencies(prediction: PredictionOverTime, *, burst: bool) -> Iterator[tuple[str, str, str]]:
    """The p99 within the burst and after it, if the model has percentiles."""
    if prediction.answers["p99"].why:
        yield "p99", "not modelled", "service times are constant"
    elif burst:
        yield ("p99", *_joined(prediction, ("p99_burst", "p99_sustained"), ", then "))
    else:
        yield ("p99", *_joined(prediction, ("p99",)))


def _levels(prediction: PredictionOverTime) -> Iterator[Line]:
    """Yield why the burst ends, and the levels that move."""
    model, record = prediction.case.scenario.model, prediction.record
    if ends := burst_ends(model, record):
        yield about("burst ends", printable(ends))
    capacity = {each.name: getattr(each, "capacity", 1) for each in model.places}
    moved = []
    for name in prediction.levels:
        shares = record.levels[name] / capacity[name]
        if shares.max() - shares.min() >= _MOVED:
            moved.append(f"{name} {shares.min():.0%} … {shares.max():.0%} full, {shares[-1]:.0%} at the end")
    for number, text in enumerate(moved[:MOST_LEVELS]):
        yield about("" if number else "levels", printable(text))
    if len(moved) > MOST_LEVELS:
        yield about("", f"and {len(moved) - MOST_LEVELS} levels more; --json has them all")


def table_over_time(predictions: Sequence[tuple[str, PredictionOverTime | None]]) -> Iterator[Part]:
    """Yield a table with a row for each of several predictions under its name; those without one are refused."""
    first = next(each for _, each in predictions if each)
    names = ("burst", "burst_length", "sustained", first.span.lowest, "stalled")
    headings = ("part that fails", *(words(name) for name in names), "limit")
    rows = []
    for part, each in predictions:
        values = [_cell(each, name) for name in names] if each else ["refused", *[""] * (len(names) - 1)]
        limit = each.end.limit.short if each and each.end else ""
        rows.append((printable(part), *values, limit))
    yield Wide(headings, rows, keys=1)
    for text in dict.fromkeys(text for _, each in predictions if each for text in each.unsettled):
        yield about("too short", printable(text))


def _cell(prediction: PredictionOverTime, name: str) -> str:
    if name == "stalled":
        return f"{prediction.value(name):.2g}%"
    return "–" if name.startswith("burst") and not prediction.record.burst else _value(prediction, name)


VIEW = PartsAndPicture(parts, figure, "throughput over time, and the levels of buffers")
