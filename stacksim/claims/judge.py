"""The verdict on a claim: first its own numbers, then bounds of hardware, then the model's prediction."""

from __future__ import annotations

from dataclasses import dataclass, replace

from sim.data.hardware.dates import days_of
from sim.engine.simulation.options import RunOptions
from stacksim.claims.amounts import amount, read_as, said_beside, times
from stacksim.claims.arithmetic import Check, checks, contradiction, follows
from stacksim.claims.bounds import Limited, bounds
from stacksim.claims.claim import Claim
from stacksim.claims.expected import Expected, expected
from stacksim.claims.missing import missing
from stacksim.claims.parts import parts_of
from stacksim.claims.questions import questions
from stacksim.claims.slips import slips
from stacksim.claims.suspects import explanations
from stacksim.claims.verdict import DOUBTFUL, REFUSED, UNLIKELY, Bound, Explanation, Verdict, Word

MOST = 5
"""Largest number of explanations of one claim."""


@dataclass(frozen=True)
class _Finding:
    """A verdict and its arithmetic, without explanations."""

    verdict: Word
    why: str
    bound: Bound | None = None
    lacking: str | None = None

    @property
    def passed(self) -> str | None:
        """The place whose bound the claim exceeds; None if there is none."""
        return self.bound.place if self.bound and self.verdict == "impossible" else None


def judge(claim: Claim, options: RunOptions) -> Verdict:
    """The verdict on ``claim``, with its likely explanations and three questions.

    Raises:
        InputError: unknown hardware, system or setting; names file and line.
    """
    broken, limits = contradiction(claim), bounds(claim)
    model = expected(claim, options)
    finding = _of_numbers(broken) or _of_dates(claim) or _of_hardware(limits) or _of_model(claim, model)
    finding = finding or _undirected(claim, limits) or _agreeing(claim, limits) or _undecided(claim, model)
    likely = _explanations(claim, broken, finding, model, options)
    return Verdict(
        claim,
        finding.verdict,
        finding.why,
        finding.bound,
        model.probability if model and model.known else None,
        likely,
        questions(claim, likely, finding.lacking, finding.passed),
    )


def _of_numbers(broken: Check | None) -> _Finding | None:
    return _Finding("contradiction", broken.words) if broken else None


def _of_dates(claim: Claim) -> _Finding | None:
    early = _too_early(claim)
    return _Finding("contradiction", early) if early else None


def _of_hardware(limits: tuple[Limited, ...]) -> _Finding | None:
    """The tightest of the bounds that are exceeded."""
    passed = next((limited for limited in limits if limited.passed), None)
    return _Finding("impossible", passed.why, passed.bound) if passed else None


def _of_model(claim: Claim, model: Expected | None) -> _Finding | None:
    """The verdict by the model's bound and its prediction interval."""
    if model is None:
        return None
    compared = claim.comparison if not model.unit else None
    number = compared.ratio if compared else claim.numbers.get(model.of)
    claimed = said_beside(number) if number else "the claim"
    read = read_as(number) if number else ""
    if bound := model.bound:
        words = f"{bound.place}: {amount(bound.value, bound.unit)} in the model, {claimed} is claimed"
        return _Finding("impossible", f"{words} ({times(bound.factor)}){read}", bound)
    if not model.known or number is None:
        return None
    ends = f"{amount(model.low, model.unit)} … {amount(model.high, model.unit)}"
    ends += f"; {model.limit}" if model.limit else ""
    if model.probability < UNLIKELY:
        share = times(number.value / model.value)
        return _Finding("implausible", f"predicted {ends}, {claimed} is claimed ({share} the prediction){read}")
    doubt = ", which is doubtful (19 of 20 measurements lie nearer)" if model.probability < DOUBTFUL else ""
    return _Finding("plausible", f"predicted {ends}, {claimed} is claimed{doubt}{read}")


def _undirected(claim: Claim, limits: tuple[Limited, ...]) -> _Finding | None:
    """Undecidable: only both directions together reach the number, and the claim does not say which it means."""
    if not limits or "op" in claim.conditions:
        return None
    one_way = [
        next((limited for limited in bounds(_with_op(claim, op)) if limited.passed), None)
        for op in ("read", "write")
    ]
    if not all(one_way):
        return None
    why = min((limited for limited in one_way if limited), key=lambda limited: limited.share).why
    return _Finding("undecidable", f"{why} in one direction; to decide it: whether it was read, written, or both")


def _with_op(claim: Claim, op: str) -> Claim:
    return replace(claim, conditions={**claim.conditions, "op": op})


def _agreeing(claim: Claim, limits: tuple[Limited, ...]) -> _Finding | None:
    """Plausible: no bound or number that it can be compared with speaks against it."""
    if limits:
        return _Finding("plausible", limits[0].why, limits[0].bound)
    if agreed := checks(claim):
        return _Finding("plausible", agreed[0].words)
    return None


def _undecided(claim: Claim, model: Expected | None) -> _Finding:
    """Undecidable, with the number that would decide it, if there is one."""
    lacking = missing(claim)
    why = follows(claim) or "no hardware, no system, and no two of its numbers can be held against each other"
    if model:
        why = model.warnings[-1] if model.warnings else "the model has no answer"
    return _Finding("undecidable", f"{why}; to decide it: {lacking}" if lacking else why, lacking=lacking)


def _explanations(
    claim: Claim, broken: Check | None, finding: _Finding, model: Expected | None, options: RunOptions
) -> tuple[Explanation, ...]:
    """Slips of arithmetic first, if numbers disagree, then the usual suspects; one of each cause."""
    if finding.verdict not in REFUSED:
        return ()
    candidates = [*(slips(broken) if broken else ()), *explanations(claim, model, options)]
    by_cause: dict[str, Explanation] = {}
    for explanation in candidates:
        by_cause.setdefault(explanation.cause, explanation)
    return tuple(by_cause.values())[:MOST]


def _too_early(claim: Claim) -> str | None:
    """The first hardware of either side newer than the date of ``claim``, in words; None if there is none."""
    if claim.date is None:
        return None
    sides = [(claim.subject, claim.numbers)]
    if claim.comparison:
        sides.append((claim.comparison.subject, claim.comparison.numbers))
    last = days_of(claim.date)[1]
    for subject, numbers in sides:
        for part in parts_of(subject.hardware, numbers):
            if last < days_of(part.hardware.since)[0]:
                return f"{part.hardware.name} is of {part.hardware.since}, the claim of {claim.date}"
    return None
