"""Verdicts as JSON has them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from sim.decision.claims.verdict import Verdict


def record(verdicts: Sequence[Verdict]) -> dict[str, Any]:
    """What ``stacksim claim --json`` prints: keys are added, never changed or removed."""
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
        "explanations": [asdict(explanation) for explanation in verdict.explanations],
        "questions": list(verdict.questions),
    }
