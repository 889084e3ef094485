"""Suspect: units: bits taken for bytes, or decimal prefixes for binary ones."""

from __future__ import annotations

import re
from collections.abc import Iterator

from stacksim.claims.suspects.suspicion import TIMES, Lead, Suspicion

_PREFIX = re.compile(r"([kKMGT])(i?)B")
_POWERS = {"K": 1, "M": 2, "G": 3, "T": 4}
_TIMES = {1000.0: ("ms", "µs"), 60.0: ("minutes", "seconds")}


def units(suspicion: Suspicion) -> Iterator[Lead]:
    """Leads that assume one unit written for another; counts have none."""
    if suspicion.number.unit == "bytes/s":
        for factor, bits in ((8.0, "bits"), (10.0, "bits on a line with 8b/10b code")):
            yield Lead(f"{bits} a second were written as bytes a second", suspicion.base * factor)
            yield Lead(f"bytes a second were written as {bits} a second", suspicion.base / factor)
        yield from _binary(suspicion)
    if suspicion.number.unit and suspicion.name in TIMES:
        for factor, (longer, shorter) in _TIMES.items():
            yield Lead(f"{shorter} were written as {longer}", suspicion.base * factor)
            yield Lead(f"{longer} were written as {shorter}", suspicion.base / factor)


def _binary(suspicion: Suspicion) -> Iterator[Lead]:
    """A lead by a binary prefix that was meant to be decimal, or the reverse."""
    prefix = _PREFIX.search(suspicion.number.said)
    if prefix is None:
        return
    letter, binary = prefix[1].upper(), bool(prefix[2])
    factor = 1.024 ** _POWERS[letter]
    decimal = f"{'k' if letter == 'K' else letter}B/s"
    if binary:
        yield Lead(f"{decimal} were written as {letter}iB/s", suspicion.base * factor)
    else:
        yield Lead(f"{letter}iB/s were written as {decimal}", suspicion.base / factor)
