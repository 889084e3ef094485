"""Suspect: another number of requests in flight than stated."""

from __future__ import annotations

from collections.abc import Iterator

from sim.decision.claims.claimed_case import SAME
from sim.decision.claims.suspects.ladder import moved
from sim.decision.claims.suspects.suspicion import Lead, Suspicion


def queue_depth(suspicion: Suspicion) -> Iterator[Lead]:
    """Leads by the best value of each setting that counts requests in flight."""
    for name in SAME["requests_in_flight"]:
        if change := moved(suspicion, name):
            yield Lead(f"other requests were in flight: {change.words}", change.predicted, found=True)
