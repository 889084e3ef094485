"""Served by the memory of the array: no disk or flash was in the way."""

from __future__ import annotations

from collections.abc import Iterator

from sim.decision.claims.suspects.ladder import moved
from sim.decision.claims.suspects.suspicion import Lead, Suspicion

DEVICES = ("disk", "ssd", "tape")
"""Kinds of hardware that the memory of an array stands before."""

SIZES = ("cache", "array_cache", "data")
FLAGS = {"battery": True, "write_cache": "on"}
"""Settings of a cache in the array: how large it is, and whether writes may wait in it."""


def cached_in_array(suspicion: Suspicion) -> Iterator[Lead]:
    """With a larger cache or less data in the model; by the catalogue, what all but the devices allow."""
    if not suspicion.too_good:
        return
    for name in SIZES:
        if found := moved(suspicion, name):
            yield Lead(f"the data fit the array's memory: {found.words}", found.predicted)
    if suspicion.model:
        flags = {name: value for name, value in FLAGS.items() if name in suspicion.model.entries}
        for words, number in suspicion.settings(flags):
            yield Lead(f"writes stayed in the array's memory: {words}", number)
    hardware = suspicion.hardware
    before = [part for part in hardware.parts if part.hardware.kind not in DEVICES] if hardware else []
    if hardware and 0 < len(before) < len(hardware.parts):
        allowed = hardware.having(*before)
        if allowed:
            names = ", ".join(part.name for part in before)
            yield Lead(f"no device was in the way, only {names}: the data were in the array's memory", allowed)
