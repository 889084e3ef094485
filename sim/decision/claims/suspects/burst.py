"""Credits: more than lasts, while a bucket of them is not empty."""

from __future__ import annotations

from collections.abc import Iterator

from sim.decision.claims.suspects.short_run import bursts
from sim.decision.claims.suspects.suspicion import Lead, Suspicion

CREDITS = {"credits": "full"}


def burst(suspicion: Suspicion) -> Iterator[Lead]:
    """With a full bucket in the model; what it does at first; by the catalogue, as if no time had been said."""
    if suspicion.model and set(CREDITS) <= set(suspicion.model.entries):
        for words, number in suspicion.settings(CREDITS):
            yield Lead(f"credits were not spent yet: {words}", number)
    yield from bursts(suspicion)
    hardware, numbers = suspicion.hardware, suspicion.claim.numbers
    untimed = {name: number for name, number in numbers.items() if name not in ("duration", "elapsed", "bytes")}
    if hardware and len(untimed) < len(numbers):
        allowed = hardware.saying(untimed)
        if allowed:
            yield Lead("it was measured while credits lasted, and not for so long", allowed)
