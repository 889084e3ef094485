"""Verdicts as JSON."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from stacksim.claims.claim import Number
from stacksim.claims.verdict import Verdict


def record(verdicts: Sequence[Verdict]) -> dict[str, Any]:
    """The JSON record of ``stacksim claim --json``: keys are added, never changed or removed."""
    return {"claims": [_one(verdict) for verdict in verdicts]}


def _one(verdict: Verdict) -> dict[str, Any]:
    return {
        "text": verdict.claim.text,
        "source": verdict.claim.source,
        "date": verdict.claim.date,
        "verdict": verdict.verdict,
        "why": verdict.why,
        "bound": asdict(verdict.bound) if verdict.bound else None,
        "likelihood": verdict.likelihood,
        "doubtful": verdict.doubtful,
        "explanations": [asdict(explanation) for explanation in verdict.explanations],
        "questions": list(verdict.questions),
        "numbers": {name: _number(number) for name, number in verdict.claim.said.items()},
    }


def _number(number: Number) -> dict[str, Any]:
    """A number as stated, and its range by its digits, in SI; null for an open end."""
    high = None if math.isinf(number.high) else number.high
    return {"said": number.said, "low": number.low or None, "high": high, "unit": number.unit}
