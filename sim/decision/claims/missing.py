"""Which single number would decide a claim that cannot be decided."""

from __future__ import annotations

from sim.decision.claims.claim import Claim


def missing(claim: Claim) -> str | None:  # noqa: ARG001  (models are still to come)
    """The one number that would decide ``claim``, in words; None where nothing would."""
    return None
