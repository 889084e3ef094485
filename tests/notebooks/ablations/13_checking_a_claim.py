"""Without what lesson 13 explains."""

from __future__ import annotations

from models.systems.dbfs import DBFS
from sim.system.what_if import with_set


def numbers_that_need_not_agree(monkeypatch):
    """No relation holds between the numbers of a claim."""
    monkeypatch.setattr("stacksim.claims.arithmetic.RELATIONS", ())


def hardware_without_bounds(monkeypatch):
    """Hardware lets everything through."""
    monkeypatch.setattr("stacksim.claims.judge.bounds", lambda _claim: ())


def nodes_that_share_nothing(monkeypatch):
    """Work shared by all nodes takes next to no time."""
    quick = {"cluster_chunk_write_s": 1e-9, "cluster_request_write_s": 1e-8}
    monkeypatch.setattr("models.systems.dbfs.DBFS", with_set(DBFS, quick))
