"""The sum over many said of each, or of one said of all."""

from __future__ import annotations

from collections.abc import Iterator

from sim.decision.claims.suspects.suspicion import Lead, Suspicion

COUNTS = ("devices", "links", "nodes", "clients", "cores")
"""Numbers of a claim that count what may have been summed up."""

_ROLES = ("nodes", "clients", "devices", "links")


def sum_as_mean(suspicion: Suspicion) -> Iterator[Lead]:
    """As many times as there are of anything that is counted."""
    if not suspicion.rate:
        return
    for what, count in _counted(suspicion):
        if count > 1:
            yield Lead(f"the sum over {count} {what} was said of each", suspicion.base * count)
            yield Lead(f"what one of {count} {what} does was said of all", suspicion.base / count)


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
