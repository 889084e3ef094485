"""Units: bits for bytes, and a prefix that is decimal for one that is binary."""

from __future__ import annotations

from collections.abc import Iterator

from sim.decision.claims.suspects.suspicion import TIMES, Lead, Suspicion

_BINARY = {1: ("kB", "KiB"), 2: ("MB", "MiB"), 3: ("GB", "GiB"), 4: ("TB", "TiB")}
_TIMES = {1000.0: ("ms", "µs"), 60.0: ("minutes", "seconds")}


def units(suspicion: Suspicion) -> Iterator[Lead]:
    """One unit written for another; counts have none."""
    if suspicion.number.unit == "bytes/s":
        for factor, bits in ((8.0, "bits"), (10.0, "bits on a line with 8b/10b code")):
            yield Lead(f"{bits} a second were written as bytes a second", suspicion.base * factor)
            yield Lead(f"bytes a second were written as {bits} a second", suspicion.base / factor)
        for power, (decimal, binary) in _BINARY.items():
            yield Lead(f"{decimal}/s were written as {binary}/s", suspicion.base * 1.024**power)
            yield Lead(f"{binary}/s were written as {decimal}/s", suspicion.base / 1.024**power)
    if suspicion.number.unit and suspicion.name in TIMES:
        for factor, (longer, shorter) in _TIMES.items():
            yield Lead(f"{shorter} were written as {longer}", suspicion.base * factor)
            yield Lead(f"{longer} were written as {shorter}", suspicion.base / factor)
