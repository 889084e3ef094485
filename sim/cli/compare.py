"""`stacksim compare A B`: each side in quotes, as behind `predict`; what stands outside holds for both."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from rich.text import Text

from sim.cli import console
from sim.decision import pairs as paired
from sim.decision.compare import Comparison, compare, naming
from sim.decision.comparison_record import record
from sim.decision.difference import MORE_IS_BETTER, Difference
from sim.decision.joint_draws import Kind
from sim.errors import InputError, printable, shown
from sim.simulation.options import RunOptions
from sim.statistics.estimates import Estimate
from sim.system.case import Case
from sim.system.scenario import LATENCIES
from sim.system.settings import pairs
from sim.system.system import System
from sim.units import time_text, time_unit

Choose = Callable[[str, Path | None, list[str]], System]
"""The system of a name, with the parameters of a fit, and with those that are set."""

_OPTIONS = ("--set", "--fitted")
"""Those that may stand inside the quotes."""

_PLACES = 3
"""Places that are shown; --json has all."""

_SMALL = 0.05
"""Places are shown if their time differs by this share of the largest difference."""

_NAMED = 6
"""Parameters that are named; if there are more, they are counted."""


@dataclass(frozen=True)
class Words:
    """What is given for one side, or for both."""

    settings: Sequence[str]
    set_: Sequence[str]
    fitted: Path | None


def command(
    sides: tuple[str, str], both: Words, options: RunOptions, choose: Choose, *, as_json: bool, quiet: bool
) -> None:
    """Read both sides, simulate them, and print how they differ."""
    cases = [_case(name, text, both, choose) for name, text in zip("AB", sides, strict=True)]
    console.compilation(options, quiet=quiet)
    with console.share_done("simulating", quiet=quiet) as progress:
        comparison = compare(cases[0], cases[1], options, progress)
    if as_json:
        console.out_json(record(comparison))
    else:
        print_comparison(comparison)


def _case(name: str, text: str, both: Words, choose: Choose) -> Case:
    with naming(name):
        system, own = _read(text)
        if own.fitted and both.fitted:
            raise InputError("--fitted is given for this side and for both; give it once")
        chosen = choose(system, own.fitted or both.fitted, [*own.set_, *both.set_])
        return Case.of(chosen, pairs([*own.settings, *both.settings]))


def _read(text: str) -> tuple[str, Words]:
    """The name of a system, and what stands behind it."""
    try:
        words = shlex.split(text)
    except ValueError as error:
        raise InputError(f"'{shown(text)}' cannot be read: {str(error).lower()}; close every quote") from error
    if not words or "=" in words[0] or words[0].startswith("-"):
        raise InputError(
            f"'{shown(text)}' names no system; put each side into quotes, such as "
            'stacksim compare "dbfs cells=3" "dbfs cells=7" users=8'
        )
    settings: list[str] = []
    options: dict[str, list[str]] = {option: [] for option in _OPTIONS}
    rest = iter(words[1:])
    for word in rest:
        option, equals, value = word.partition("=")
        if not word.startswith("-"):
            settings.append(word)
        elif option in _OPTIONS:
            options[option].append(value if equals else next(rest, ""))
        else:
            raise InputError(
                f"'{shown(word)}' is no option of one side; allowed: {', '.join(_OPTIONS)}; "
                "put others outside the quotes"
            )
    return words[0], Words(settings, options["--set"], _file(options["--fitted"]))


def _file(names: Sequence[str]) -> Path | None:
    if "" in names:
        raise InputError("--fitted names no file; write --fitted FILE")
    if len(names) > 1:
        raise InputError(f"--fitted is given {len(names)} times; give it once")
    return Path(names[0]) if names else None


def print_comparison(comparison: Comparison) -> None:
    """Both sides, a row for each answer, and what makes the difference."""
    a, b = comparison.a, comparison.b
    for name, side in (("A", a), ("B", b)):
        settings = printable("  ".join(f"{key}={text}" for key, text in side.shown.items()))
        console.out(Text.assemble((f"{name}  {side.system}", "bold"), f"  {settings}"))
    console.out("")
    _print_answers(comparison)
    if not all(each.difference.known for each in comparison.differences):
        console.out(
            f"{console.UNKNOWN} A or B is not known well enough: its run is not long enough, or still changes"
        )
    console.out("")
    for line in _verdict(comparison):
        console.out(line)
    _print_places(comparison)
    console.out(f"limited by  A: {a.limit.words(a.amount, a.unit)}")
    console.out(f"            B: {b.limit.words(b.amount, b.unit)}")
    _print_parameters(comparison)
    console.out(
        f"simulated   {paired.PAIRS} pairs of runs; both runs of a pair have the same random numbers, "
        f"seed {a.result.seed}"
    )
    console.print_warnings(
        [f"{name}: {text}" for name, side in (("A", a), ("B", b)) for text in side.result.warnings]
    )


def _print_answers(comparison: Comparison) -> None:
    likely = any(each.likely_better is not None for each in comparison.differences)
    headings = ("answer", "A", "B", "B - A", "at 95%", "B / A", "B / A at 95%", "A better")
    rows = [_row(each, likely=likely) for each in comparison.differences]
    console.out_wide((*headings, *(("with parameters",) if likely else ())), rows, keys=1)


def _row(each: Difference, *, likely: bool) -> tuple[str, ...]:
    unit, scale = time_unit(each.a.value) if each.unit == "s" else (each.unit, 1.0)
    a, b, between = (estimate.scaled(1.0 / scale) for estimate in (each.a, each.b, each.difference))
    mark = "" if each.difference.known else console.UNKNOWN
    times = partial(console.number, digits=console.digits_for(1.0, each.ratio.value - 1.0, 4))
    cells = (
        f"{_name(each.name)}, {unit}",
        *(console.number(value, console.digits_for(value, between.value, 4)) for value in (a.value, b.value)),
        f"{_signed(between.value)}{mark}",
        "" if each.same else _ends(between, _signed),
        times(each.ratio.value),
        "" if each.same else _ends(each.ratio, times),
        "the same" if each.same else _probability(each.better),
    )
    return (*cells, _probability(each.likely_better)) if likely else cells


def _name(answer: str) -> str:
    return LATENCIES.get(answer, console.words(answer))


def _signed(value: float) -> str:
    return "–" if value != value else f"{value:+.3g}" if value else "0"  # noqa: PLR0124  (nan)


def _ends(estimate: Estimate, written: Callable[[float], str]) -> str:
    return f"{written(estimate.low)} … {written(estimate.high)}"


def _probability(value: float | None) -> str:
    if value is None:
        return ""
    if value < 0.001:  # noqa: PLR2004  (what is shown with one digit behind the point)
        return "<0.1%"
    return ">99.9%" if value > 0.999 else f"{value:.1%}"  # noqa: PLR2004


def _verdict(comparison: Comparison) -> list[str]:
    """Which side is better in which answers, as far as the simulation is known."""
    if comparison.same:
        return ["difference  none: every answer is the same in all pairs"]
    judged = [each for each in comparison.differences if each.name in MORE_IS_BETTER]
    kinds = {
        "A is better in": [each for each in judged if each.seen and _a_wins(each)],
        "B is better in": [each for each in judged if each.seen and not _a_wins(each)],
        "no difference is seen in": [each for each in judged if not each.seen],
    }
    said = [
        f"{what} {', '.join(_name(each.name) for each in answers)}" for what, answers in kinds.items() if answers
    ]
    return [f"{'difference' if not number else '':<11} {line}" for number, line in enumerate(said)]


def _a_wins(each: Difference) -> bool:
    return (each.difference.value < 0.0) == MORE_IS_BETTER[each.name]


def _print_places(comparison: Comparison) -> None:
    """The place that makes the difference, and others where a request spends more or less time."""
    maker, places = comparison.maker, comparison.places
    if not maker:
        return
    least = _SMALL * abs(maker.difference)
    others = [each for each in places.times if each != maker and abs(each.difference) >= least]
    for number, each in enumerate([maker, *others][:_PLACES]):
        both = {"waiting": each.waiting, "service": each.service}
        parts = [_moved(what, times) for what, times in both.items() if abs(times[1] - times[0]) >= least]
        console.out(
            f"{'' if number else 'made by':<11} {each.place}: {time_text(each.a)} a {places.per} in A, "
            f"{time_text(each.b)} in B, {_interval(each.between)} ({', '.join(parts)})"
        )


def _interval(between: Estimate) -> str:
    """The ends of a difference of times."""
    unit, scale = time_unit(abs(between.value))
    return f"{_ends(between.scaled(1.0 / scale), _signed)} {unit} at {between.confidence:.0%}"


def _moved(what: str, times: tuple[float, float]) -> str:
    gap = times[1] - times[0]
    return f"{what} {'-' if gap < 0.0 else '+'}{time_text(abs(gap))}"


def _print_parameters(comparison: Comparison) -> None:
    """Which parameters were drawn, and for whom."""
    kinds: tuple[tuple[Kind, str], ...] = (("both", "for both together"), ("a", "for A"), ("b", "for B"))
    drawn = []
    for kind, words in kinds:
        names = list(dict.fromkeys(name for _, name in comparison.draws.causes(kind)))
        if names:
            drawn.append(f"{words} {', '.join(names) if len(names) <= _NAMED else f'{len(names)} of them'}")
    if drawn:
        console.out(f"parameters  drawn {'; '.join(drawn)}")
