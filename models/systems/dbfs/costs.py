"""Costs of requests by the fitted parameters of the dbfs system (tables 4 to 6)."""

from __future__ import annotations

from dataclasses import replace
from typing import TypeVar

import numpy as np

from models.database.cluster_work import BLOCK_BYTES
from models.io import IO
from models.parts.link.fabrics import INFINIBAND_BYTES_PER_S
from models.systems.dbfs.dd_parameters import DBFSParameters, by_operation
from sim.system import Parameters
from sim.system.parameters import Parameter

Record = TypeVar("Record")


class Costs:
    """Times of requests on an idle quarter rack, without queueing, in seconds."""

    def __init__(self, parameters: DBFSParameters) -> None:
        self.parameters = parameters
        self.request = sum(self.fuse(IO("read", 0)).values())
        self.block = parameters.cluster_request_read_s

    def fuse(self, io: IO) -> dict[str, float]:
        """Times of one request for ``io``, by activity of FUSE."""
        return by_operation(self.parameters, io.op).request.idle_s(io.size_bytes)

    def call(self, io: IO) -> float:
        """Time of one call that moves data, of at most one request."""
        costs = by_operation(self.parameters, io.op)
        cluster_s = (1.0 + io.size_bytes / BLOCK_BYTES) * costs.cluster_s
        return self.parameters.call_s + sum(self.fuse(io).values()) + cluster_s

    def storage(self, io: IO, cells: int = 1) -> float:
        """Time to or from ``cells`` cells; writes are done once two caches have them."""
        copies = 2 if io.op == "write" else 1
        card = copies * io.size_bytes / INFINIBAND_BYTES_PER_S["qdr"] + self.parameters.latency_s
        return card + (0.0 if io.op == "write" else io.size_bytes / cells / self.parameters.piece_bytes_per_s)

    def session(self, io: IO, cells: int = 1) -> float:
        """Time of one call of a session."""
        node_s = io.size_bytes * self.parameters.node_serial_s_per_byte
        costs = by_operation(self.parameters, io.op)
        return costs.session_s + costs.chunk_s + node_s + self.storage(io, cells)


def inherited(fitted: Parameters[DBFSParameters]) -> Parameters[DBFSParameters]:
    """Parameters of the dbfs system for other systems: fitted values become derived, with the fit's covariance."""
    open_numbers = iter(_open(fitted))
    entries = tuple(
        _derived(entry, next(open_numbers, {})) if entry.basis == "fitted" else entry for entry in fitted.entries
    )
    return Parameters(entries, record=fitted.record)


def extended(base: Parameters, record: type[Record]) -> Parameters[Record]:
    """The parameters of ``record``, which begins with those of ``base``, with the values of ``base``."""
    return Parameters((*base.entries, *Parameters.of(record).entries[len(base.entries) :]), record=record)


def _open(fitted: Parameters) -> list[dict[str, float]]:
    """Sensitivities of each fitted parameter to independent numbers that reproduce the fit's covariance."""
    if not fitted.covariance:
        return []
    root = np.linalg.cholesky(np.array(fitted.covariance)).tolist()
    return [{f"fit {number}": share for number, share in enumerate(row) if share} for row in root]


def _derived(fitted: Parameter, follows: dict[str, float]) -> Parameter:
    source = f"fit of the dbfs system: {fitted.source}"
    derived = replace(fitted, basis="derived", source=source, interval=None, prior=None)
    return derived.following(follows) if follows else derived
