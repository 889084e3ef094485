"""Without what lesson 14 explains."""

from __future__ import annotations

from sim import Pool, Station
from sim.prediction import uncertainty
from sim.system.stack import bare_steps

MANY = 1000


def places_for_everybody(monkeypatch, kind, make):
    """Every place of a stack file that is of this kind has room for all clients."""
    _, fields = bare_steps._PLACES[kind]  # noqa: SLF001  (where places are made)
    monkeypatch.setitem(bare_steps._PLACES, kind, (make, fields))  # noqa: SLF001


def memory_for_everybody(monkeypatch):
    """A station has a server for each client."""
    places_for_everybody(monkeypatch, "station", lambda name, servers=1: Station(name, MANY * servers))


def threads_enough(monkeypatch):
    """A pool has a token for each client."""
    places_for_everybody(monkeypatch, "pool", lambda name, tokens=1: Pool(name, MANY * tokens))


def ranges_that_nobody_draws_from(monkeypatch):
    """Every draw has the parameters' own values."""
    monkeypatch.setattr(uncertainty, "_likely_draws", lambda _parameters: [{}] * uncertainty.DRAWS)
