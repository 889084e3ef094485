"""Another value of one setting of the system than was said."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from sim.decision.claims.claimed_case import SAME
from sim.decision.claims.suspects.block_size import blocks
from sim.decision.claims.suspects.ladder import moved
from sim.decision.claims.suspects.parts import COUNTED, LOST
from sim.decision.claims.suspects.suspicion import Lead, Suspicion
from sim.system.settings import Choice, Count, File, Flag, Number, Setting, Size

TIMES = (0.1, 0.125, 0.25, 0.333, 0.5, 0.667, 1.5, 2.0, 3.0, 4.0, 6.0, 8.0, 10.0)
"""Multiples of a setting that is no whole number."""


def setting(suspicion: Suspicion) -> Iterator[Lead]:
    """Every other word of each choice, the other way of each flag; of a number, where it meets the claim best.

    What counts requests, parts or bytes of a request has a suspect of its own.
    """
    own = {*SAME["requests_in_flight"], *COUNTED, *blocks(suspicion)}
    for entry in suspicion.model.entries.values() if suspicion.model else ():
        if entry.name in own or entry.name.endswith(LOST) or isinstance(entry, File):
            continue
        if isinstance(entry, Count | Size):
            found = moved(suspicion, entry.name)
            if found:
                yield Lead(found.words, found.predicted, found=True)
        else:
            for value in _others(entry, suspicion.model.value(entry.name) if suspicion.model else None):
                looked_for = not isinstance(entry, Choice | Flag)
                yield from (Lead(*each, found=looked_for) for each in suspicion.settings({entry.name: value}))


def _others(entry: Setting, now: Any) -> Iterator[Any]:
    """Other values that ``entry`` may have than ``now``."""
    if isinstance(entry, Choice):
        yield from (option for option in entry.options if option != now)
    elif isinstance(entry, Flag):
        yield not now
    elif isinstance(entry, Number) or isinstance(now, float):
        yield from (now * times for times in TIMES)
