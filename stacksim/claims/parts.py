"""Hardware parts that a claim names, with their counts."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from sim.data.hardware import Hardware
from sim.data.hardware import parts as read
from sim.data.hardware.record import Op
from stacksim.claims.relations import Numbers

_COUNTED_AS: Mapping[str, str] = {"link": "links", "disk": "devices", "ssd": "devices", "volume": "devices"}
"""The number of a claim that counts parts of a kind, if their name has no count."""

_OPS: Mapping[str | None, Op] = {"read": "read", "write": "write", "both": "both"}


@dataclass(frozen=True)
class Part:
    """Identical parts side by side, ``count`` of them, of one entry of the catalogue."""

    count: int
    hardware: Hardware

    @property
    def name(self) -> str:
        """The part as a claim file has it: ``2 x fc-2``."""
        return f"{self.count} x {self.hardware.name}" if self.count > 1 else self.hardware.name

    def limit(self, what: str, op: str | None, date: str | None) -> float | None:
        """The limit ``what`` of one part; None if the catalogue has none."""
        limit = self.hardware.limit(what, _OPS.get(op), date)
        return limit.value if limit else None


def parts_of(hardware: tuple[str, ...], numbers: Numbers) -> tuple[Part, ...]:
    """The named parts, in their order; ``numbers`` give the count if a name does not.

    Parts with no upper count ("at least 4") bound nothing, and are left out.

    Raises:
        InputError: a name that is not in the catalogue; says which is nearest.
    """
    parts = (_part(text, numbers) for text in hardware)
    return tuple(part for part in parts if part)


def _part(text: str, numbers: Numbers) -> Part | None:
    count, entry = read(text)
    counted = numbers.get(_COUNTED_AS.get(entry.kind, ""))
    if counted and counted.high >= 1.0 and text.strip().casefold() in (entry.name, *entry.aliases):
        if math.isinf(counted.high):
            return None
        count = int(counted.high)
    return Part(count, entry)
