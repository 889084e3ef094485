"""Suspect: another number of requests in flight than stated."""

from __future__ import annotations

from collections.abc import Iterator

from stacksim.claims.claimed_case import SAME
from stacksim.claims.suspects.ladder import moved
from stacksim.claims.suspects.suspicion import Lead, Suspicion


def queue_depth(suspicion: Suspicion) -> Iterator[Lead]:
    """As many of each setting that counts them as bring the model nearest to the number."""
    for entry in suspicion.model.of_role(*SAME["requests_in_flight"]) if suspicion.model else ():
        if found := moved(suspicion, entry.name):
            yield Lead(f"other requests were in flight: {found.words}", found.predicted, found=True)
