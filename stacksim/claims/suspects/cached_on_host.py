"""Suspect: data served from the memory of the host, all of them or a part."""

from __future__ import annotations

from collections.abc import Iterator

from sim.data.hardware import catalogue
from stacksim.claims.suspects.ladder import moved
from stacksim.claims.suspects.suspicion import Lead, Suspicion

BUFFERED = {"page_cache": (True,), "direct_io": (False,), "access": ("buffered",)}
"""Roles of settings that put the host's memory between, each with the values that do."""

SIZES = ("memory", "data", "bytes")
"""Roles of settings that decide whether the data fit."""


def cached_on_host(suspicion: Suspicion) -> Iterator[Lead]:
    """Leads that assume the page cache, more memory or less data in the model; one by the memory's bandwidth."""
    if not suspicion.too_good:
        return
    for entry in suspicion.model.of_role(*BUFFERED) if suspicion.model else ():
        for value in BUFFERED[entry.means]:
            for words, number in suspicion.settings({entry.name: value}):
                yield Lead(f"through the page cache: {words}", number)
    for entry in suspicion.model.of_role(*SIZES) if suspicion.model else ():
        if found := moved(suspicion, entry.name):
            yield Lead(f"the data fit the host's memory: {found.words}", found.predicted, found=True)
    yield from _by_bandwidth(suspicion)


def _by_bandwidth(suspicion: Suspicion) -> Iterator[Lead]:
    """A lead by the share of the data that has to come from memory, if no more than fits."""
    fastest = memory_bytes_per_s(suspicion.claim.date)
    claimed, slow = (suspicion.bytes_per_s(value) for value in (suspicion.number.value, suspicion.base))
    share = share_of_faster(claimed, slow, fastest) if claimed and slow else None
    if share is None or suspicion.claim.conditions.get("access") == "direct":
        return
    memory, moved_bytes = suspicion.known("memory"), suspicion.known("bytes")
    if memory is None or moved_bytes is None:
        yield Lead(f"{share:.0%} of the data came from the host's memory", suspicion.number.value, free=True)
    elif suspicion.fits("memory", share):
        room = f"the host's memory, which has room for {memory / moved_bytes:.3g} times as many bytes"
        served = "was taken up by" if suspicion.claim.conditions.get("op") == "write" else "came from"
        what = f"at least {share:.0%} of the data {served} {room}"
        yield Lead(what, suspicion.number.value, free=True, said=True)


def memory_bytes_per_s(date: str | None) -> float:
    """Bandwidth in bytes/s of one channel of the newest memory in the catalogue by ``date``."""
    kinds = [each for each in catalogue().values() if each.kind == "memory"]
    then = [each for each in kinds if date is None or each.since[:4] <= date[:4]] or kinds
    newest = max(then, key=lambda each: each.since)
    limit = newest.limit("bandwidth")
    return limit.value if limit else 0.0


def share_of_faster(rate: float, slow: float, fast: float) -> float | None:
    """The share of bytes that moves at ``fast``, the rest at ``slow``, so that the mean is ``rate``.

    Times add up: 1/rate = share/fast + (1 - share)/slow. None if ``rate`` is not between the two.

    >>> share_of_faster(160.0, 100.0, 400.0)
    0.5
    """
    if not slow < rate <= fast:
        return None
    return (1.0 / slow - 1.0 / rate) / (1.0 / slow - 1.0 / fast)
