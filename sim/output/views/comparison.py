"""A comparison: both designs, a row for each answer, and the causes of the difference."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

from sim.decision import pairs as paired
from sim.decision.compare import Comparison
from sim.decision.difference import MORE_IS_BETTER, Difference
from sim.decision.joint_draws import Kind
from sim.engine.errors import printable
from sim.engine.statistics.estimates import Estimate
from sim.engine.units.text import number_text, time_text, time_unit
from sim.output.pictures.comparison import figure
from sim.output.views.parts import Line, Part, Wide, about
from sim.output.views.prediction import assumed
from sim.output.views.view import PartsAndPicture
from sim.output.views.words import UNKNOWN, digits_for, words
from sim.prediction.caveats import lacking_percentiles
from sim.system.parameters import CONFIDENCE as LIKELY
from sim.system.scenario import LATENCIES

_PLACES = 3
"""Largest number of places shown; --json has all."""

_SMALL = 0.05
"""Places are shown if their time differs by this share of the largest difference."""

_NAMED = 6
"""Largest number of parameters that are named; more are counted."""


def parts(comparison: Comparison) -> Iterator[Part]:
    """Yield both sides, a row for each answer, and the causes of the difference."""
    a, b = comparison.a, comparison.b
    for name, side in (("A", a), ("B", b)):
        settings = printable("  ".join(f"{key}={text}" for key, text in side.shown.items()))
        yield Line("", f"{name}  {side.system}", f"  {settings}", heading=3)
    yield Line("")
    yield _answers(comparison)
    if not all(each.difference.known for each in comparison.differences):
        yield Line(f"{UNKNOWN} A or B is not known well enough: its run is not long enough, or still changes")
    yield Line("")
    yield from _verdict(comparison)
    yield from _places(comparison)
    yield about("limit", f"A: {a.limit.words(a.amount, a.unit)}")
    yield about("", f"B: {b.limit.words(b.amount, b.unit)}")
    yield from _parameters(comparison)
    how = f"both runs of a pair have the same random numbers, seed {a.result.seed}"
    yield about("simulated", f"{paired.PAIRS} pairs of runs; {how}")
    sides = (("A", a), ("B", b))
    yield from (
        Line(printable(f"{name}: {line}")) for name, side in sides for line in side.caveats.beside_percentiles
    )
    for line, numbers in lacking_percentiles(a.case, [a.variation, b.variation]).items():
        yield Line(printable(f"{', '.join(sides[number][0] for number in numbers)}: {line}"))
    known = {f"{name}: {line}" for name, side in sides for line in side.caveats.lines}
    yield from (Line(f"warning: {printable(line)}") for line in comparison.warnings if line not in known)
    yield assumed([a, b])


def _answers(comparison: Comparison) -> Wide:
    likely = any(each.likely_better is not None for each in comparison.differences)
    headings = ("answer", "A", "B", "B - A", "at 95%", "B / A", "B / A at 95%", "A better")
    rows = [_row(each, likely=likely) for each in comparison.differences]
    return Wide((*headings, *(("with parameters",) if likely else ())), rows, keys=1)


def _row(each: Difference, *, likely: bool) -> tuple[str, ...]:
    unit, scale = time_unit(each.a.value) if each.unit == "s" else (each.unit, 1.0)
    a, b, between = (estimate.scaled(1.0 / scale) for estimate in (each.a, each.b, each.difference))
    mark = "" if each.difference.known else UNKNOWN
    times = partial(number_text, digits=digits_for(1.0, each.ratio.value - 1.0, 4))
    cells = (
        f"{_name(each.name)}, {unit}",
        *(number_text(value, digits_for(value, between.value, 4)) for value in (a.value, b.value)),
        f"{_signed(between.value)}{mark}",
        "" if each.same else _ends(between, _signed),
        times(each.ratio.value),
        "" if each.same else _ends(each.ratio, times),
        "the same" if each.same else _probability(each.better),
    )
    return (*cells, _probability(each.likely_better)) if likely else cells


def _name(answer: str) -> str:
    return LATENCIES.get(answer, words(answer))


def _signed(value: float) -> str:
    return f"{'+' if value > 0.0 else ''}{number_text(value, 3)}"


def _ends(estimate: Estimate, written: Callable[[float], str]) -> str:
    return f"{written(estimate.low)} … {written(estimate.high)}"


def _probability(value: float | None) -> str:
    if value is None:
        return ""
    if value < 0.001:  # noqa: PLR2004  (shown with one decimal)
        return "<0.1%"
    return ">99.9%" if value > 0.999 else f"{value:.1%}"  # noqa: PLR2004


def _verdict(comparison: Comparison) -> Iterator[Line]:
    """Yield the answers in which each side is better, as far as the simulation can tell."""
    if comparison.same:
        yield about("difference", "none: every answer is the same in all pairs")
        return
    judged = [each for each in comparison.differences if each.name in MORE_IS_BETTER]
    kinds = {
        "A is better in": [each for each in judged if each.seen and _a_wins(each)],
        "B is better in": [each for each in judged if each.seen and not _a_wins(each)],
        "no difference is seen in": [each for each in judged if not each.seen and not each.structures],
        f"no difference is seen with {comparison.a.system} in": [
            each for each in judged if not each.seen and each.structures
        ],
    }
    lines = [
        f"{what} {', '.join(_name(each.name) for each in answers)}" for what, answers in kinds.items() if answers
    ]
    yield from (about("" if row else "difference", line) for row, line in enumerate(lines))
    over = [each for each in judged if each.structures and each.band]
    for row, each in enumerate(over):
        low, high = map(number_text, each.band.ratio if each.band else ())
        text = f"B / A of {_name(each.name)} is {low} … {high} at {LIKELY:.0%} over all structures"
        yield about("" if row else "structures", text)


def _a_wins(each: Difference) -> bool:
    return (each.difference.value < 0.0) == MORE_IS_BETTER[each.name]


def _places(comparison: Comparison) -> Iterator[Line]:
    """The place that causes the difference, and others with more or less time."""
    maker, places = comparison.maker, comparison.places
    if not maker:
        return
    least = _SMALL * abs(maker.difference)
    others = [each for each in places.times if each != maker and abs(each.difference) >= least]
    for row, each in enumerate([maker, *others][:_PLACES]):
        both = {"waiting": each.waiting, "service": each.service}
        moved = [_moved(what, times) for what, times in both.items() if abs(times[1] - times[0]) >= least]
        took = f"{time_text(each.a)} a {places.per} in A, {time_text(each.b)} in B, {_interval(each.between)}"
        yield about("" if row else "made by", f"{each.place}: {took} ({', '.join(moved)})")


def _interval(between: Estimate) -> str:
    """The ends of a difference of times."""
    unit, scale = time_unit(abs(between.value))
    return f"{_ends(between.scaled(1.0 / scale), _signed)} {unit} at {between.confidence:.0%}"


def _moved(what: str, times: tuple[float, float]) -> str:
    gap = times[1] - times[0]
    return f"{what} {'-' if gap < 0.0 else '+'}{time_text(abs(gap))}"


def _parameters(comparison: Comparison) -> Iterator[Line]:
    """The parameters that were drawn, for A, for B or for both."""
    kinds: tuple[tuple[Kind, str], ...] = (("both", "for both together"), ("a", "for A"), ("b", "for B"))
    drawn = []
    for kind, whose in kinds:
        names = list(dict.fromkeys(name for _, name in comparison.draws.causes(kind)))
        if names:
            drawn.append(f"{whose} {', '.join(names) if len(names) <= _NAMED else f'{len(names)} of them'}")
    if drawn:
        yield about("parameters", f"drawn {'; '.join(drawn)}")


VIEW = PartsAndPicture(parts, figure, "the answers of B as shares of those of A, and where time goes")
