"""Hardware that a claim is older than: what was measured cannot have been on it."""

from __future__ import annotations

from sim.data.hardware.dates import days_of
from sim.decision.claims.claim import Claim
from sim.decision.claims.parts import parts_of


def too_early(claim: Claim) -> str | None:
    """In words, the first hardware of either side that came after the date of ``claim``; None if all was there."""
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
