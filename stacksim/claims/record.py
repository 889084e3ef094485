"""Verdicts as JSON."""

from __future__ import annotations

from collections.abc import Sequence

from typing_extensions import TypedDict

from sim.prediction.prediction_record import fields_of, finite
from stacksim.claims.claim import Number
from stacksim.claims.verdict import Bound, Explanation, Verdict, Word


class NumberRecord(TypedDict):
    """A number as stated, and its range by its digits, in SI; None for an open end."""

    said: str
    low: float | None
    high: float | None
    unit: str


class ClaimRecord(TypedDict):
    """A claim and its verdict; fields as of ``Verdict``."""

    text: str
    source: str
    date: str | None
    verdict: Word
    why: str
    bound: Bound | None
    likelihood: float | None
    doubtful: bool
    explanations: list[Explanation]
    questions: list[str]
    numbers: dict[str, NumberRecord]


class ClaimsRecord(TypedDict):
    """The claims of a file."""

    claims: list[ClaimRecord]


def record(verdicts: Sequence[Verdict]) -> ClaimsRecord:
    """The JSON record of ``stacksim claim --json``: keys are added, never changed or removed."""
    return {"claims": [_one(verdict) for verdict in verdicts]}


def _one(verdict: Verdict) -> ClaimRecord:
    return {
        "text": verdict.claim.text,
        "source": verdict.claim.source,
        "date": verdict.claim.date,
        "verdict": verdict.verdict,
        "why": verdict.why,
        "bound": fields_of(verdict.bound) if verdict.bound else None,
        "likelihood": verdict.likelihood,
        "doubtful": verdict.doubtful,
        "explanations": [fields_of(explanation) for explanation in verdict.explanations],
        "questions": list(verdict.questions),
        "numbers": {name: _number(number) for name, number in verdict.claim.said.items()},
    }


def _number(number: Number) -> NumberRecord:
    return {
        "said": number.said,
        "low": number.low or None,
        "high": finite(number.high),
        "unit": number.unit,
    }
