"""Raft logs: waiting entries of a node's leader are appended, synced and replicated as one batch.

write ──> wait ──> [the store of the node]: gather all that wait ──> round + each × batch ──> wake all

A round is the leader's append and sync beside that of the quicker follower, with the messages between; what an
entry adds is work of the leader and its followers. An entry that comes during a round waits for the next one: so a
write takes one and a half rounds on average, and a round grows with those in flight (Raft: D. Ongaro and J.
Ousterhout, "In search of an understandable consensus algorithm", USENIX ATC 2014, section 5.3; batches: section
10.2.2 of Ongaro's thesis, 2014).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from models.paths import any_of
from sim import Await, Closed, Delay, Gate, Gather, Path, PerItem, Wake


@dataclass(frozen=True)
class RaftLogs:
    """The stores of a cluster, each of which leads an equal share of the data.

    Attributes:
        round_s: time of an empty batch.
        each_s: time of a store for each entry of its batch.
    """

    nodes: int
    round_s: float
    each_s: float

    def written(self) -> Path:
        """An entry in the log of the node that leads its data: any one with equal probability."""
        return any_of([(Await(gate),) for gate in self._gates])

    def stores(self) -> Iterator[Closed]:
        """The endless work of each store."""
        for gate in self._gates:
            work = Delay(PerItem(self.round_s, self.each_s))
            yield Closed(gate.name.removesuffix(" entries"), 1, (Gather(gate), work, Wake(gate)))

    @property
    def _gates(self) -> list[Gate]:
        return [Gate(f"store {number} entries") for number in range(1, self.nodes + 1)]
