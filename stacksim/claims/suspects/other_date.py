"""Suspect: a limit of another date than the claim's."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from stacksim.claims.suspects.suspicion import Lead, Suspicion


def other_date(suspicion: Suspicion) -> Iterator[Lead]:
    """Leads that assume another date: each on which a limit of one of the parts began."""
    hardware = suspicion.hardware
    if hardware is None:
        return
    days = {
        day
        for part in hardware.parts
        for limit in part.hardware.limits
        for day in (limit.since, part.hardware.since)
    }
    for day in sorted(day for day in days if day):
        allowed = hardware.allowed(replace(hardware.claim, date=day))
        if allowed and allowed != suspicion.base:
            yield Lead(f"that is allowed only since {day}", suspicion.up_to(allowed), found=True)
