"""Suspect: the higher of two limits was taken, such as the volume's where the instance's holds."""

from __future__ import annotations

from collections.abc import Iterator

from sim.engine.simulation.seen import SATURATED
from stacksim.claims.suspects.burst import CREDITED
from stacksim.claims.suspects.suspicion import Lead, Suspicion

NEXT = 4
"""Limits above the lowest that are tried."""


def second_cap(suspicion: Suspicion) -> Iterator[Lead]:
    """Leads that assume another limit: that of a place other than the lowest, or of one hardware part."""
    yield from _in_model(suspicion)
    parts = suspicion.hardware.parts if suspicion.hardware and suspicion.too_good else ()
    for part in parts if len(parts) > 1 else ():
        cap = suspicion.hardware.having(part) if suspicion.hardware else None
        if cap:
            capped = part.hardware.kind in CREDITED
            what = f"only {part.name} was looked at, and not what else is in the way"
            yield Lead(what, suspicion.up_to(cap), free=not capped, said=capped)


def _in_model(suspicion: Suspicion) -> Iterator[Lead]:
    """Leads that assume one of the next higher limits, if the lowest is reached, so that only limits matter."""
    model = suspicion.model
    trial, read = (model.trial({}), model.read()) if model else (None, None)
    if model is None or trial is None or read is None or read.measure != "throughput" or not trial.limits:
        return
    if trial.answers["throughput"].estimate.value < SATURATED * trial.limits[0][1]:
        return
    caps = {allows: place for place, allows in reversed(trial.limits)}
    for allows in sorted(caps)[1 : 1 + NEXT]:
        what = f"it is what '{caps[allows]}' allows, as if '{trial.limits[0][0]}' were not in the way"
        yield Lead(what, read.si(allows) / model.over)
