"""Two cases compared with common random numbers: differences, which is better, and by which place."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any

from sim.decision import pairs
from sim.decision.difference import Difference, Paired
from sim.decision.joint_draws import JointDraw, JointDraws
from sim.decision.over_structures import Both, over_structures, structures_of_both
from sim.decision.places import Places, PlaceTime, breakdown, places
from sim.decision.spread import Drawn, drawn, spread
from sim.decision.trials import qualified
from sim.engine.display import Shown
from sim.engine.errors import InputError, StacksimError
from sim.engine.simulation.latency_breakdown import Breakdown
from sim.engine.simulation.options import ANALYTIC, Progress, RunOptions
from sim.prediction.parallel import side_by_side
from sim.prediction.prediction import Prediction, predict_case
from sim.system.case import Case
from sim.system.scenario import Answer

SIDES = ("A", "B")

_SIMULATED = 0.8
"""Share of the time for simulation, roughly; the rest is for recording where time goes."""


@dataclass(frozen=True)
class Comparison(Shown):
    """The comparison of A and B.

    Attributes:
        differences: difference of each answer that both have in the same unit.
        left_out: the other answers of A and of B.
        places: where the time of a request goes in each.
        draws: uncertain parameters, and those that both share.
    """

    a: Prediction
    b: Prediction
    differences: tuple[Difference, ...]
    left_out: tuple[tuple[str, ...], tuple[str, ...]]
    places: Places
    draws: JointDraws

    @property
    def same(self) -> bool:
        """True if no answer differs at all."""
        return all(each.same for each in self.differences)

    @property
    def maker(self) -> PlaceTime | None:
        """The place that makes the difference; None if there is none."""
        return None if self.same else self.places.maker

    def rows(self) -> Iterator[dict[str, Any]]:
        """Each answer of both designs, and how they differ."""
        for each in self.differences:
            yield {
                "answer": each.name,
                "a": each.a.value,
                "b": each.b.value,
                "difference": each.difference.value,
                "low": each.difference.low,
                "high": each.difference.high,
                "unit": each.unit,
                "a_better": each.better,
            }

    @property
    def warnings(self) -> list[str]:
        """Warnings of both predictions, marked A or B, and on settings that differ by default only."""
        sides = zip(SIDES, (self.a, self.b), strict=True)
        said = [f"{name}: {text}" for name, side in sides for text in _said(side)]
        return [*said, *_unasked(self.a.case, self.b.case)]


def compare(a: Case, b: Case, options: RunOptions | None = None, progress: Progress | None = None) -> Comparison:
    """Predict ``a`` and ``b``, and simulate them in pairs with common random numbers.

    Raises:
        InputError: a case that cannot be predicted (the message says which), answers that cannot be compared, or
            the analytic engine, which simulates nothing.
    """
    options, report = options or RunOptions(), progress or (lambda _share: None)
    if options.engine == ANALYTIC:
        raise InputError("engine is 'analytic', and compare simulates; choose engine auto")
    for name, case in zip(SIDES, (a, b), strict=True):
        with naming(name):
            case.scenario  # noqa: B018  (built here, so that its errors are reported at once)
    _refuse_unlike(a, b)
    return _compared(_predicted("A", a, options), _predicted("B", b, options), report)


def _predicted(name: str, case: Case, options: RunOptions) -> Prediction:
    with naming(name):
        return predict_case(case, options)


@contextmanager
def naming(side: str) -> Iterator[None]:
    """Context that prefixes errors with the side they are about."""
    try:
        yield
    except StacksimError as error:
        raise type(error)(f"{side}: {error}") from error


def _refuse_unlike(a: Case, b: Case) -> None:
    """Refuse two cases with different units of throughput, or of which only one is a job."""
    jobs = [each.scenario.model.finite for each in (a, b)]
    if jobs[0] != jobs[1]:
        job, endless = SIDES if jobs[0] else SIDES[::-1]
        raise InputError(
            f"{job} is a job that ends, and {endless} a load without end; compare two jobs, or two endless loads"
        )
    units = [each.scenario.units["throughput"] for each in (a, b)]
    if units[0] != units[1]:
        raise InputError(
            f"A answers in {units[0]}, and B in {units[1]}; compare designs whose throughput has the same unit"
        )


def _compared(a: Prediction, b: Prediction, progress: Progress) -> Comparison:
    draws = JointDraws.of(a.case.system.parameters, b.case.system.parameters)
    lengths = pairs.lengths(a, b)
    sides, drawings = _simulated(a, b, lengths, draws, lambda share: progress(_SIMULATED * share))
    recordings = _recorded(a, b, lengths, lambda share: progress(_SIMULATED + (1.0 - _SIMULATED) * share))
    structures = structures_of_both(a, b)
    names = [name for name in a.answers if _comparable(a.answers[name], b.answers.get(name))]
    return Comparison(
        a,
        b,
        tuple(_difference(name, (a, b), sides, drawings, structures) for name in names),
        tuple(tuple(name for name in each.answers if name not in names) for each in (a, b)),  # type: ignore[arg-type]
        places(a, b, recordings),
        draws,
    )


def _said(side: Prediction) -> Iterator[str]:
    yield from side.result.warnings
    yield from qualified(side, side.answers)


def _unasked(a: Case, b: Case) -> Iterator[str]:
    """Messages on settings that both have, left at defaults that differ."""
    for name, value in a.settings.items():
        other = b.settings.get(name, value)
        if value != other and name not in (*a.chosen, *b.chosen):
            yield (
                f"{name} is {a.shown[name]} in A and {b.shown[name]} in B, by default; "
                f"{name}=… outside the quotes sets it for both"
            )


def _comparable(a: Answer, b: Answer | None) -> bool:
    """True if both have the answer in the same unit."""
    return b is not None and a.unit == b.unit and not (a.why or b.why)


def _simulated(
    a: Prediction, b: Prediction, lengths: pairs.Lengths, draws: JointDraws, progress: Progress
) -> tuple[tuple[pairs.Side, pairs.Side], list[Drawn]]:
    """Answers of A and B in all pairs, and under each draw of parameters, of which the first moves nothing."""
    both = list(zip((a, b), lengths, strict=True))
    runs = [partial(pairs.run, side, length, number) for side, length in both for number in range(pairs.PAIRS)]
    moved = list(draws)
    centre = [JointDraw("both", {}, {})] if moved else []
    drawings = [partial(drawn, a, b, draw) for draw in (*centre, *moved)]
    count = len(runs) + 2 * len(drawings)
    done = side_by_side(runs, lambda share: progress(share * len(runs) / count))
    under = side_by_side(drawings, lambda share: progress((len(runs) + share * 2 * len(drawings)) / count))
    return (pairs.side(a, done[: pairs.PAIRS]), pairs.side(b, done[pairs.PAIRS :])), under


def _recorded(
    a: Prediction, b: Prediction, lengths: pairs.Lengths, progress: Progress
) -> list[tuple[Breakdown, Breakdown]]:
    """Latency breakdowns of A and of B, pair by pair."""
    tasks = [
        partial(breakdown, side, pairs.warmup_s(length), number)
        for side, length in zip((a, b), lengths, strict=True)
        for number in range(pairs.RECORDED)
    ]
    done = side_by_side(tasks, progress)
    return list(zip(done[: pairs.RECORDED], done[pairs.RECORDED :], strict=True))


def _difference(
    name: str,
    predictions: tuple[Prediction, Prediction],
    sides: tuple[pairs.Side, pairs.Side],
    drawings: list[Drawn],
    structures: tuple[Both, ...],
) -> Difference:
    (a, b), (of_a, of_b) = predictions, sides
    paired = Paired(
        name,
        a.answers[name].unit,
        of_a.values[name],
        of_b.values[name],
        (of_a.coarseness[name], of_b.coarseness[name]),
        (a.answers[name].estimate.known, b.answers[name].estimate.known),
    )
    plain = paired.difference(spread(name, drawings[0], drawings[1:]) if drawings else None)
    return over_structures(plain, paired, structures)
