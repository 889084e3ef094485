"""Suspect: compressible data, such as zeros, or a pattern that a benchmark repeats."""

from __future__ import annotations

import math
from collections.abc import Iterator

from stacksim.claims.suspects.suspicion import Lead, Suspicion

SHRINKING = ("zeros", "compressible")
"""Values of a claim's condition ``data`` that state it."""


MOSTLY = 0.75
"""Least share of the throughput at half the request size for which bytes, not requests, are the limit."""


def compressible(suspicion: Suspicion) -> Iterator[Lead]:
    """Leads that assume compression, in the model or by the factor needed, unless the claim rules it out."""
    model, data = suspicion.model, suspicion.claim.conditions.get("data")
    if model:
        for entry in model.of_role("compression"):
            options = getattr(entry, "options", (True, False))
            for value in (value for value in options if value != model.value(entry.name)):
                yield from (Lead(*each) for each in suspicion.settings({entry.name: value}))
    said = data in SHRINKING
    if not suspicion.too_good or data == "random" or not (said or _limited_by_bytes(suspicion)):
        return
    times = math.exp(suspicion.misses(suspicion.base))
    word = f"the data were {data}" if said else "the data were zeros, or repeat themselves"
    yield Lead(f"{word}, and shrank to 1/{times:.3g}", suspicion.number.value, free=True, said=said)


def _limited_by_bytes(suspicion: Suspicion) -> bool:
    """True if bytes are the limit: requests of half the size then move nearly as many bytes/s."""
    if suspicion.number.unit != "bytes/s":
        return False
    if suspicion.hardware:
        tightest = suspicion.hardware.tightest
        return tightest is not None and tightest.bound.unit == "bytes/s"
    model = suspicion.model
    block = next(iter(model.of_role("block")), None) if model else None
    if model is None or block is None:
        return False
    halved = model.under({block.name: int(model.value(block.name)) // 2})
    return halved is not None and halved >= MOSTLY * suspicion.base
