"""Suspect: burst credits, which allow more than the sustained rate until they are spent."""

from __future__ import annotations

from collections.abc import Iterator

from stacksim.claims.suspects.short_run import bursts
from stacksim.claims.suspects.suspicion import Lead, Suspicion

TIMED = ("duration", "elapsed", "bytes")
"""Numbers that say how long a burst has to last."""

CREDITED = ("volume", "instance")
"""Kinds of hardware that are limited by buckets of credits."""

FULL = "full"
"""The word of a setting of credits that says that there are some."""


def burst(suspicion: Suspicion) -> Iterator[Lead]:
    """With a full bucket in the model; what it does at first; by the catalogue, as if no time had been said."""
    for entry in suspicion.model.of_role("credits") if suspicion.model else ():
        for words, number in suspicion.settings({entry.name: FULL}):
            yield Lead(f"credits were not spent yet: {words}", number)
    yield from bursts(suspicion)
    yield from _by_catalogue(suspicion)


def _by_catalogue(suspicion: Suspicion) -> Iterator[Lead]:
    """A lead by the burst limit of the catalogue, as if no elapsed time were stated."""
    hardware, numbers = suspicion.hardware, suspicion.claim.numbers
    if hardware is None or not suspicion.too_good:
        return
    untimed = {name: number for name, number in numbers.items() if name not in TIMED}
    cap = hardware.saying(untimed) if len(untimed) < len(numbers) else None
    if cap:
        yield Lead("it was measured while credits lasted, and not for so long", suspicion.up_to(cap), said=True)
