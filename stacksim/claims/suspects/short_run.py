"""Suspect: a run too short to fill a cache, or to settle."""

from __future__ import annotations

from collections.abc import Iterator

from sim.engine.units import factor
from sim.engine.units.text import duration_text, figure_text, time_text
from sim.prediction.over_time_words import burst_ends
from stacksim.claims.suspects.ladder import moved
from stacksim.claims.suspects.suspicion import Lead, Suspicion

SIZES = ("bytes", "data", "amount")
"""Roles of settings of how much is done in all."""

LARGEST_CACHE = 64e9
"""Largest bytes of writes that a cache may have absorbed, as in a host or an array of the time."""


def short_run(suspicion: Suspicion) -> Iterator[Lead]:
    """Leads that assume bursts of the model, less work, or a cache of the size needed."""
    yield from bursts(suspicion)
    for entry in suspicion.model.of_role(*SIZES) if suspicion.model and suspicion.too_good else ():
        if found := moved(suspicion, entry.name):
            yield Lead(f"little was moved: {found.words}", found.predicted, found=True)
    yield from _absorbed(suspicion)


def bursts(suspicion: Suspicion) -> Iterator[Lead]:
    """The lead that what was seen did not last: how long, how much was moved in it, and what ended it."""
    model = suspicion.model
    read = model.read() if model else None
    if model is None or read is None or read.measure != "throughput":
        return
    prediction = model.over_time()
    if prediction is None or prediction.record.burst is None:
        return
    rate, seconds = prediction.value("burst"), prediction.value("burst_length")
    of_bytes = factor(prediction.unit, "byte / second")
    unit = "bytes" if of_bytes else prediction.unit.removesuffix("/s")
    moved = figure_text(rate * seconds * (of_bytes or 1.0), unit)
    ends = burst_ends(prediction.case.scenario.model, prediction.record)
    seen = f"the first {duration_text(seconds)} were seen, in which {moved} pass"
    yield Lead(f"{seen}; that ends {ends}" if ends else seen, read.si(rate) / model.over)


def _absorbed(suspicion: Suspicion) -> Iterator[Lead]:
    """Leads that assume a cache that absorbed the difference, in the time or with the bytes of the claim."""
    slow = suspicion.bytes_per_s(suspicion.base)
    if suspicion.claim.conditions.get("op") == "read" or not suspicion.too_good or not slow:
        return
    seconds = suspicion.known("duration") or suspicion.known("elapsed")
    for name in ("memory", "array_memory"):
        size, words = suspicion.known(name), name.replace("_", " ")
        if size and suspicion.fits(name):
            yield Lead(f"all that was written fits the {words}", suspicion.number.value, free=True, said=True)
        elif size and seconds:
            cap = suspicion.faster(1.0 + size / seconds / slow)
            what = f"{size / 1e9:.3g} GB of {words} took writes in for {time_text(seconds)}"
            yield Lead(what, suspicion.up_to(cap), said=True)
    claimed = suspicion.bytes_per_s(suspicion.number.value)
    if seconds and claimed and (claimed - slow) * seconds <= LARGEST_CACHE:
        what = f"a cache took in {(claimed - slow) * seconds / 1e9:.3g} GB in {time_text(seconds)}"
        yield Lead(what, suspicion.number.value, free=True)
