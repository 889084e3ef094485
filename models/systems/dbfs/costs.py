"""Arithmetic for systems that take over what the dbfs system was fitted with, to tables 4 to 6."""

from __future__ import annotations

from dataclasses import replace
from typing import TypeVar

from models.database.global_cache import BLOCK_BYTES
from models.io import IO
from models.storage.fabrics import INFINIBAND_BYTES_PER_S
from models.systems.dbfs.dd_parameters import DBFSParameters, by_operation
from sim.system import Parameters

Record = TypeVar("Record")


class Costs:
    """Seconds that requests take on a quarter rack where nobody queues, by the parameters of the dbfs system."""

    def __init__(self, known: DBFSParameters) -> None:
        self.known = known
        self.request = known.dispatch_s + known.handler_s
        self.block = known.message_read_s

    def call(self, io: IO) -> float:
        """One call that moves data, of at most one request."""
        known = self.known
        own = by_operation(known, io.op)
        each_byte = own.channel_s_per_byte + own.copy_s_per_byte
        messages = (1.0 + io.size_bytes / BLOCK_BYTES) * own.message_s
        return known.call_s + self.request + io.size_bytes * each_byte + messages

    def storage(self, io: IO, cells: int = 1) -> float:
        """To or from ``cells`` cells; writes are done once two caches have them."""
        copies = 2 if io.op == "write" else 1
        card = copies * io.size_bytes / INFINIBAND_BYTES_PER_S["qdr"] + self.known.latency_s
        return card + (0.0 if io.op == "write" else io.size_bytes / cells / self.known.cell_stream_bytes_per_s)

    def session(self, io: IO, cells: int = 1) -> float:
        """One call of a session."""
        memory = io.size_bytes * self.known.memory_s_per_byte
        own = by_operation(self.known, io.op)
        return own.session_s + own.segment_s + memory + self.storage(io, cells)


def carried(known: Parameters, record: type[Record]) -> Parameters[Record]:
    """The parameters in ``record``; ``known`` ones as they stand: nothing is fitted to them again."""
    taken = tuple(
        replace(each, basis="derived", source=f"fit of the dbfs system: {each.source}", interval=None, prior=None)
        if each.basis == "fitted"
        else each
        for each in known.entries
    )
    return Parameters((*taken, *Parameters.of(record).entries[len(taken) :]), record=record)
