"""Without what lesson 12 explains."""

from __future__ import annotations

from models.systems.dbfs import DBFS, dd, dd_parameters
from models.systems.dbfs.cluster import Cluster
from sim.system.what_if import with_set


def nodes_that_limit_nothing(monkeypatch):
    """Memory of the nodes, and the segment that they share, take next to no time."""
    quick = {"node_serial_s_per_byte": 1e-12, "cluster_chunk_read_s": 1e-9}
    monkeypatch.setattr("models.systems.dbfs.DBFS", with_set(DBFS, quick))


def a_loss_that_costs_nothing(monkeypatch):
    """Cells that are lost read as before."""
    monkeypatch.setattr(Cluster, "cells_lost", 0)


def requests_that_are_all_alike(monkeypatch):
    """Every request is in the queue of the mount for the same time."""
    varied = dd_parameters.RequestTimes
    monkeypatch.setattr(dd_parameters, "RequestTimes", lambda **times: varied(**{**times, "varies": False}))
    monkeypatch.setattr(dd, "_part", dd._part.__wrapped__)  # noqa: SLF001  (nothing of it is kept)
