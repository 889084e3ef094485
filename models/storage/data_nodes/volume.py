"""A volume whose every byte lies on several data nodes, of which one leads.

read            asker ──> the leader, or (follower reads) any copy ──> asker
append          asker ──> leader ──┬──> its SSD ────────────────────┬──> all have it ──> asker
                                   └──> follower ──> its SSD ──> … ─┘
overwrite       the same, but the leader goes on once a majority has it in its log (Raft)

The leader sends each follower a copy of its own. Raft: D. Ongaro and J. Ousterhout, "In search of an understandable
consensus algorithm", USENIX ATC 2014, section 5.3.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from models.host.asleep import SleepingMachine
from models.paths import any_of
from models.storage.data_nodes.cards import Card, Network
from models.storage.data_nodes.node import DataNode
from sim import Fork, Path


@dataclass(frozen=True)
class Asker:
    """Who reads and writes: a machine with a card."""

    machine: SleepingMachine
    card: Card


@dataclass(frozen=True)
class ReplicatedVolume:
    """The data nodes and how many of them have a copy of each byte.

    Attributes:
        follower_read: whether a follower may answer a read.
    """

    network: Network
    nodes: tuple[DataNode, ...]
    replicas: int
    follower_read: bool

    def copies(self, leader: int) -> Sequence[DataNode]:
        """The nodes that have what node number ``leader`` leads, itself first."""
        return [self.nodes[(leader + step) % len(self.nodes)] for step in range(self.replicas)]

    def read(self, asker: Asker, leader: int, size_bytes: int) -> Path:
        """A read of what ``leader`` leads."""
        copies = self.copies(leader)[: None if self.follower_read else 1]
        return any_of([self._asked(asker, node, 0, node.read(size_bytes), size_bytes) for node in copies])

    def append(self, asker: Asker, leader: int, size_bytes: int) -> Path:
        """A write behind the end of an extent: all copies have it before it returns."""
        return self._written(asker, leader, size_bytes, self.replicas, 0.0, 1.0)

    def overwrite(self, asker: Asker, leader: int, size_bytes: int) -> Path:
        """A write of what is there, or of metadata: a majority has it in its log before it returns."""
        return self._written(asker, leader, size_bytes, self.replicas // 2 + 1, self.nodes[0].times.commit_s, self.nodes[0].times.commit_threads)

    def _written(self, asker: Asker, leader: int, size_bytes: int, needed: int, more_s: float, threads: float) -> Path:
        first, *followers = self.copies(leader)
        to_others = [self._copied(first, follower, size_bytes, more_s, threads) for follower in followers]
        stored = Fork(first.stored("write", size_bytes), *to_others, needed=needed)
        return self._asked(asker, first, size_bytes, (*first.asked(size_bytes, more_s, threads), stored), 0)

    def _copied(self, leader: DataNode, follower: DataNode, size_bytes: int, more_s: float, threads: float) -> Path:
        return (
            *self.network.message(leader.card, follower.card, size_bytes),
            *follower.asked(size_bytes, more_s, threads),
            *follower.stored("write", size_bytes),
            *self.network.message(follower.card, leader.card, 0),
            *leader.machine.message(),
        )

    def _asked(self, asker: Asker, node: DataNode, sent_bytes: int, work: Path, back_bytes: int) -> Path:
        """``asker`` sends a message, ``node`` does the ``work`` and answers."""
        return (
            *self.network.message(asker.card, node.card, sent_bytes),
            *work,
            *self.network.message(node.card, asker.card, back_bytes),
            *asker.machine.message(),
        )
