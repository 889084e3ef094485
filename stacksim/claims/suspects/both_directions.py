"""Suspect: both directions added up, as of simultaneous reads and writes or a full-duplex link."""

from __future__ import annotations

from collections.abc import Iterator

from stacksim.claims.claimed_case import BOTH
from stacksim.claims.suspects.by_hardware import ByHardware
from stacksim.claims.suspects.suspicion import Lead, Suspicion

DUPLEX = ("link", "bus", "card")
"""Kinds of hardware that carry as much in each direction at the same time."""

WHAT = "reads and writes were added up"


def both_directions(suspicion: Suspicion) -> Iterator[Lead]:
    """Leads that assume twice or half the number, or both directions, in the model or on a link."""
    if not suspicion.rate or suspicion.claim.conditions.get("op") == "both":
        return
    if suspicion.hardware is None:
        yield Lead(f"{WHAT}, as much each", suspicion.faster(2.0))
        yield Lead("one direction was counted of two", suspicion.faster(0.5))
        yield from _in_model(suspicion)
    elif _has_two(suspicion.hardware):
        yield Lead(f"{WHAT}, as much each", suspicion.faster(2.0))
        if (both := suspicion.faster(2.0)) > suspicion.number.value:
            what = f"{WHAT}, {suspicion.number.value / both:.0%} of what is allowed each"
            yield Lead(what, suspicion.number.value, found=True)


def _has_two(hardware: ByHardware) -> bool:
    """True if the most exceeded part bounds each direction separately, as links do and volumes do not."""
    part = hardware.narrowest
    if part is None:
        return False
    return part.hardware.kind in DUPLEX or part.limit("duplex_bandwidth", None, hardware.claim.date) is not None


def _in_model(suspicion: Suspicion) -> Iterator[Lead]:
    model = suspicion.model
    op = next(iter(model.of_role("op")), None) if model else None
    options = getattr(op, "options", ())
    if model is None or op is None or not {"read", "write"} <= set(options):
        return
    for name in BOTH:
        if name in options:
            yield from (Lead(f"{WHAT}: {words}", number) for words, number in suspicion.settings({op.name: name}))
    now = model.value(op.name)
    other = model.under({op.name: "write" if now == "read" else "read"})
    if other is not None:
        yield Lead(f"{WHAT}, of two runs", suspicion.base + other)
