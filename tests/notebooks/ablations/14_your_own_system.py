"""Without what lesson 14 explains."""

from __future__ import annotations

from sim import Pool, Station
from sim.prediction import uncertainty
from sim.system.stack import bare_steps

MANY = 1000


def memory_for_everybody(monkeypatch):
    """A station has a server for each client."""
    _, fields = bare_steps._PLACES["station"]  # noqa: SLF001  (where places are made)
    make = lambda name, servers: Station(name, MANY * servers)  # noqa: E731
    monkeypatch.setitem(bare_steps._PLACES, "station", (make, fields))  # noqa: SLF001


def threads_enough(monkeypatch):
    """A pool has a token for each client."""
    _, fields = bare_steps._PLACES["pool"]  # noqa: SLF001  (where places are made)
    make = lambda name, tokens: Pool(name, MANY * tokens)  # noqa: E731
    monkeypatch.setitem(bare_steps._PLACES, "pool", (make, fields))  # noqa: SLF001


def ranges_that_nobody_draws_from(monkeypatch):
    """Every draw has the parameters' own values."""
    monkeypatch.setattr(uncertainty, "_likely_draws", lambda _parameters: [{}] * uncertainty.DRAWS)
