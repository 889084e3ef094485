"""Suspects: fewer or more parts than stated: devices, links, nodes; lost, or counted otherwise."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from stacksim.claims.suspects.ladder import moved, nearest
from stacksim.claims.suspects.suspicion import Lead, Suspicion

COUNTED = ("devices", "links", "nodes", "cores", "parts")
"""Roles of settings that count parts."""

MOST = 4096
"""Largest number of parts side by side."""


def fewer_parts(suspicion: Suspicion) -> Iterator[Lead]:
    """Leads that assume fewer parts than stated: lost, or never there."""
    yield from (lead for fewer, lead in _counted(suspicion) if fewer)


def more_parts(suspicion: Suspicion) -> Iterator[Lead]:
    """Leads that assume more parts than stated."""
    yield from (lead for fewer, lead in _counted(suspicion) if not fewer)


def _counted(suspicion: Suspicion) -> Iterator[tuple[bool, Lead]]:
    """Pairs of a flag, True for fewer parts, and the lead."""
    model = suspicion.model
    for entry in model.of_role(*COUNTED, "lost") if model else ():
        if model and (found := moved(suspicion, entry.name)):
            fewer = (found.value < model.value(entry.name)) != (entry.means == "lost")
            yield fewer, Lead(f"another number of parts: {found.words}", found.predicted, found=True)
    yield from _of_hardware(suspicion)


def _of_hardware(suspicion: Suspicion) -> Iterator[tuple[bool, Lead]]:
    """Leads that assume another count of one hardware part at a time."""
    parts = suspicion.hardware.parts if suspicion.hardware and suspicion.name != "latency" else ()
    for index, part in enumerate(parts):

        def misses(count: int, index: int = index) -> float:
            return suspicion.misses(_having(suspicion, index, count))

        best = nearest(part.count, 1, MOST, misses)
        predicted = _having(suspicion, index, best) if best else None
        if best and predicted and not suspicion.possible(predicted):
            best, predicted = best + 1, _having(suspicion, index, best + 1)
        if best and predicted:
            yield (
                best < part.count,
                Lead(f"there were {best} x {part.hardware.name}, not {part.count}", predicted, found=True),
            )


def _having(suspicion: Suspicion, index: int, count: int) -> float | None:
    """The number allowed with ``count`` of the part at ``index``; None if no hardware is named."""
    if suspicion.hardware is None:
        return None
    parts = list(suspicion.hardware.parts)
    parts[index] = replace(parts[index], count=count)
    return suspicion.hardware.having(*parts)
