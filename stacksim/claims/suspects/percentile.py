"""Suspect: another statistic of latency than the stated one."""

from __future__ import annotations

from collections.abc import Iterator

from sim.system.scenario import LATENCIES
from stacksim.claims.suspects.suspicion import Lead, Suspicion


def percentile(suspicion: Suspicion) -> Iterator[Lead]:
    """Leads that assume another statistic: each that the model has."""
    model = suspicion.model
    read = model.read() if model and suspicion.name == "latency" else None
    if model is None or read is None or read.measure not in LATENCIES:
        return
    trial = model.trial({})
    for name, words in LATENCIES.items():
        if trial and name != read.measure and not trial.answers[name].why:
            value = trial.answers[name].estimate.value / model.over
            yield Lead(f"it is the {words}, not the {LATENCIES[read.measure]}", value)
