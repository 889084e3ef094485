"""Check for hardware that is newer than the claim: it cannot have been measured."""

from __future__ import annotations

from sim.data.hardware.dates import days_of
from stacksim.claims.claim import Claim
from stacksim.claims.parts import parts_of


def too_early(claim: Claim) -> str | None:
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
