"""Suspect: another value of one setting of the system than stated."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from sim.data.hardware import Hardware, catalogue
from sim.system.settings import Choice, Count, File, Flag, Number, Setting, Size
from stacksim.claims.claimed_case import SAME
from stacksim.claims.suspects.block_size import BLOCKS
from stacksim.claims.suspects.burst import CREDITED
from stacksim.claims.suspects.ladder import moved
from stacksim.claims.suspects.parts import COUNTED
from stacksim.claims.suspects.suspicion import Lead, Suspicion

TIMES = (0.1, 0.125, 0.25, 0.333, 0.5, 0.667, 1.5, 2.0, 3.0, 4.0, 6.0, 8.0, 10.0)
"""Multiples tried of a setting that is no whole number."""


def setting(suspicion: Suspicion) -> Iterator[Lead]:
    """Leads that assume another option of a choice, the opposite of a flag, or the best value of a number.

    Settings that count requests, parts or bytes of a request have suspects of their own.
    """
    yield from _another_size(suspicion)
    own = (*SAME["requests_in_flight"], *COUNTED, *BLOCKS, "lost")
    for entry in suspicion.model.entries.values() if suspicion.model else ():
        if entry.means in own or isinstance(entry, File):
            continue
        if isinstance(entry, Count | Size):
            change = moved(suspicion, entry.name)
            if change:
                yield Lead(change.words, change.predicted, found=True)
        else:
            for value in _others(entry, suspicion.model.value(entry.name) if suspicion.model else None):
                looked_for = not isinstance(entry, Choice | Flag)
                yield from (Lead(*each, found=looked_for) for each in suspicion.settings({entry.name: value}))


def _others(entry: Setting, now: Any) -> Iterator[Any]:
    """Values of ``entry`` to try other than ``now``."""
    if isinstance(entry, Choice):
        yield from (option for option in entry.options if option != now)
    elif isinstance(entry, Flag):
        yield not now
    elif isinstance(entry, Number) or isinstance(now, float):
        yield from (now * times for times in TIMES)


def _another_size(suspicion: Suspicion) -> Iterator[Lead]:
    """The least other size of a cloud volume or instance, of the same family, that allows the number."""
    hardware = suspicion.hardware
    for index, part in enumerate(hardware.parts if hardware else ()):
        if hardware is None or part.hardware.kind not in CREDITED:
            continue
        allowed = {
            other.name: hardware.having(
                *hardware.parts[:index], replace(part, hardware=other), *hardware.parts[index + 1 :]
            )
            for other in catalogue().values()
            if other.kind == part.hardware.kind
            and _family(other) == _family(part.hardware)
            and other != part.hardware
        }
        enough = {name: cap for name, cap in allowed.items() if cap and cap >= suspicion.number.value}
        if enough:
            name = min(enough, key=lambda name: enough[name])
            what = f"it was {name}, or so much was provisioned, and not {part.hardware.name}"
            yield Lead(what, suspicion.up_to(enough[name]), found=True)


def _family(hardware: Hardware) -> str:
    return re.split(r"[-.]", hardware.name)[0]
