"""Suspect: data served from the memory of the array, without disk or flash."""

from __future__ import annotations

from collections.abc import Iterator

from sim.system.settings import Flag
from stacksim.claims.suspects.ladder import moved
from stacksim.claims.suspects.suspicion import Lead, Suspicion

DEVICES = ("disk", "ssd")
"""Kinds of hardware behind the memory of an array."""

SIZES = ("array_memory", "data")
ON = {"write_cache": (True, "on")}
"""Roles of settings of a cache in the array: how large it is, and whether writes may wait in it."""


def cached_in_array(suspicion: Suspicion) -> Iterator[Lead]:
    """Leads that assume a larger cache or less data in the model; one for hardware without its devices."""
    if not suspicion.too_good:
        return
    model = suspicion.model
    for entry in model.of_role(*SIZES) if model else ():
        if found := moved(suspicion, entry.name):
            yield Lead(f"the data fit the array's memory: {found.words}", found.predicted, found=True)
    for entry in model.of_role(*ON) if model else ():
        value = ON[entry.means][not isinstance(entry, Flag)]
        for words, number in suspicion.settings({entry.name: value}):
            yield Lead(f"writes stayed in the array's memory: {words}", number)
    yield from _before_devices(suspicion)


def _before_devices(suspicion: Suspicion) -> Iterator[Lead]:
    """A lead by the hardware in front of the devices; any number fits if the claim's data fit the cache."""
    hardware, told = suspicion.hardware, suspicion.known("array_memory") is not None
    said = told and (suspicion.known("bytes") is None or suspicion.fits("array_memory"))
    parts = hardware.parts if hardware else ()
    before = [part for part in parts if part.hardware.kind not in DEVICES]
    if not said and not 0 < len(before) < len(parts):
        return
    cap = hardware.having(*before) if hardware and before else None
    names = f" but {', '.join(part.name for part in before)}" if before else ""
    number = suspicion.number.value if cap is None else suspicion.up_to(cap)
    yield Lead(
        f"the data were in the array's memory, and nothing was in the way{names}", number, free=True, said=said
    )
