"""Suspect: the sum over several parts stated as that of each, or the reverse."""

from __future__ import annotations

from collections.abc import Iterator

from stacksim.claims.suspects.suspicion import Lead, Suspicion

COUNTS = ("devices", "links", "nodes", "clients", "cores")
"""Numbers of a claim that count parts which may have been summed."""

_ROLES = ("nodes", "clients", "threads", "devices", "links")


def sum_as_mean(suspicion: Suspicion) -> Iterator[Lead]:
    """Leads that assume a factor equal to the count of anything that is counted, or its inverse."""
    if not suspicion.rate:
        return
    for part, count in _counted(suspicion):
        if count > 1:
            yield Lead(f"the sum over {count} {part} was said of each", suspicion.base * count)
            yield Lead(f"what one of {count} {part} does was said of all", suspicion.base / count)


def _counted(suspicion: Suspicion) -> Iterator[tuple[str, int]]:
    for name in COUNTS:
        count = suspicion.known(name)
        if count is not None:
            yield name, round(count)
    if suspicion.model:
        names = [entry.name for entry in suspicion.model.of_role(*_ROLES)]
        yield from ((name, int(suspicion.model.value(name))) for name in names)
    for part in suspicion.hardware.parts if suspicion.hardware else ():
        yield part.hardware.name, part.count
