"""A volume whose every byte lies on several data nodes, of which one leads.

read    asker ──> the leader, or (follower reads) any copy ──> asker
write   asker ──> leader ──┬──> its SSD ─────────────────────────────┬──> as many as are needed ──> asker
                           ├──> follower ──> its SSD ──> the leader ─┤
                           └──> follower ──> …                      ─┘

The leader sends each follower a copy of its own, so that a write of three copies leaves its card twice. An append
waits for all copies; an overwrite, or a change of metadata, for a majority that has it in its log (Raft: D. Ongaro
and J. Ousterhout, "In search of an understandable consensus algorithm", USENIX ATC 2014, section 5.3).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from models.parts.data_nodes.node import DataNode, Handling
from models.parts.host.asleep import SleepingMachine
from models.parts.link.messages import Card, Network
from models.paths import any_of
from sim import Fork, Path


@dataclass(frozen=True)
class Asker:
    """A client: a machine with a card."""

    machine: SleepingMachine
    card: Card


@dataclass(frozen=True)
class ReplicatedVolume:
    """Data nodes, with several copies of each byte.

    Attributes:
        follower_read: True if a follower may answer a read.
    """

    network: Network
    nodes: tuple[DataNode, ...]
    replicas: int
    follower_read: bool

    def copies(self, leader: int) -> Sequence[DataNode]:
        """Nodes with a copy of the data that node ``leader`` leads, itself first."""
        return [self.nodes[(leader + step) % len(self.nodes)] for step in range(self.replicas)]

    def read(self, asker: Asker, leader: int, size_bytes: int) -> Path:
        """A sequential read of data that ``leader`` leads."""
        copies = self.copies(leader)[: None if self.follower_read else 1]
        return any_of([self._read(asker, node, size_bytes, sequential=True) for node in copies])

    def random_read(self, asker: Asker, size_bytes: int) -> Path:
        """A read of any byte: it goes to each node with equal probability, whichever copies may be read."""
        return any_of([self._read(asker, node, size_bytes, sequential=False) for node in self.nodes])

    def _read(self, asker: Asker, node: DataNode, size_bytes: int, *, sequential: bool) -> Path:
        return self._asked(asker, node, 0, node.read(size_bytes, sequential=sequential), size_bytes)

    def write(self, asker: Asker, leader: int, size_bytes: int, how: Handling) -> Path:
        """A write of data that ``leader`` leads."""
        copies = tuple(self.copies(leader))
        work = _written(self.network, copies, size_bytes, how)
        return self._asked(asker, copies[0], size_bytes, work, 0)

    def _asked(self, asker: Asker, node: DataNode, sent_bytes: int, work: Path, back_bytes: int) -> Path:
        """Send a message from ``asker``, do the ``work`` at ``node``, and answer."""
        return (
            *self.network.message(asker.card, node.card, sent_bytes),
            *work,
            *self.network.message(node.card, asker.card, back_bytes),
            *asker.machine.message(),
        )


@lru_cache(maxsize=1024)
def _written(network: Network, copies: tuple[DataNode, ...], size_bytes: int, how: Handling) -> Path:
    """Work of ``copies``, the leader first, for a write; cached, as all clients share it."""
    leader, *followers = copies
    others = [_copied(network, leader, follower, size_bytes, how) for follower in followers]
    stored = Fork(leader.stored("write", size_bytes, sequential=how.sequential), *others, needed=how.needed)
    return (*leader.written(size_bytes, how), stored)


def _copied(network: Network, leader: DataNode, follower: DataNode, size_bytes: int, how: Handling) -> Path:
    return (
        *network.message(leader.card, follower.card, size_bytes),
        *follower.written(size_bytes, how),
        *follower.stored("write", size_bytes, sequential=how.sequential),
        *network.message(follower.card, leader.card, 0),
        *leader.machine.message(),
    )
