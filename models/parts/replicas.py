"""Copies of data: a write goes to all of them, and returns once enough of them have it.

parallel   write ──┬──> copy 1 ──┐
                   ├──> copy 2 ──┼──> as many as acknowledge it ──> done
                   └──> copy 3 ┄┄┘   the others go on to their end
chain      write ──> copy 1 ──> copy 2 ──> done, with two acknowledgements ┄┄> copy 3
parity     write ──> copy 1, which is the data, and all others, which are parity: read ──> written, as above
read       ──> the leader, which is copy 1, or the copy of its process, or any

Every copy but the first is a hop away from the leader, or from the copy before it in the chain. Each copy is one
of all layers below, on a server with threads and a card (`StorageServer`): a server that passes a write on sends
its bytes through its card. With more servers than copies each leads an equal share, and the next ones have its
copies. With some copies lost, the others take the whole load. A rebuild beside it fills replacements, which take
all writes, too, and no reads. A chain is that of van Renesse and Schneider, "Chain replication for supporting high
throughput and availability" (OSDI 2004): a copy passes on its writes once done. A quorum is that of Gifford,
"Weighted voting for replicated data" (SOSP 1979), in parallel.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from models.io import FileIO, Op
from models.layer import Degraded
from models.parts.link.messages import Card, Network
from models.parts.rebuild import Rebuild, block_io
from models.parts.storage_server import StorageServer
from models.paths import any_of
from sim import Delay, Fork, InputError, Path, Station, Workload
from sim.system import Measure
from sim.system.quantities import TimeTable, bandwidth, duration, table
from sim.system.settings import choice, count, flag, number, size
from sim.system.stack.kinds import Below


@dataclass(frozen=True)
class Replicas:
    """Number of copies, and those needed by a write and a read."""

    resizes = True  # each copy gets what is written
    copies: int = count(3, "copies of the data, each on its own copy of what is below", high=100)
    writes: str = choice(
        "parallel", "parallel: to all copies at once; chain: from one to the next", ("parallel", "chain")
    )
    acknowledged: int = count(
        0, "copies that must have a write before it returns; 0: all that are left", low=0, high=100
    )
    reads: str = choice(
        "leader",
        "leader: copy 1; process: one for each process; random: any",
        ("leader", "process", "random"),
    )
    hop: float = duration(
        0.0, "round trip without bytes from the leader to another copy, or from one in a chain to the next"
    )

    servers: int = count(
        0,
        "servers, each of which leads an equal share; 0: one for each copy, and copy 1 leads",
        low=0,
        high=1024,
    )
    machines: int = count(
        0, "machines with one card each, to which servers are dealt in turn; 0: one for each server", low=0
    )
    card: float = bandwidth(math.inf, "bytes a second that the card of a machine carries each way")
    header: int = size(128, "bytes of a message beside its data; assumed", low=0, high=1 << 20)
    parity: bool = flag(
        "the copies but the first are parity: a small write reads data and parity before it changes them",
        default=False,
    )
    server: TimeTable = table("0us", "thread time of a server for each read, or copy of a write, by size")
    threads: int = count(1, "threads of a server", high=4096)

    lost: int = count(0, "lost copies; those left have their load", low=0, high=99)
    rebuild: float = bandwidth(
        0.0,
        "bytes a second at which replacements are filled beside the load; 0: no replacements",
        low=0.0,
        high=1e12,
    )
    slow: float = number(1.0, "factor on all times of the devices of copy 1", low=1.0, high=1e6)

    def layer(self, name: str, below: Below) -> Copies | SpreadCopies:
        """The layer that keeps the copies.

        Raises:
            InputError: no copy is left, none is lost that could be rebuilt, more acknowledgements are needed than
                there are copies, or copies and servers, or servers and machines, are inconsistent.
        """
        self._check()
        self._check_servers()
        if self.servers > self.copies:
            servers = self._made(name, "server", self.servers, below)
            around = (*servers, *servers[: self.copies - 1])
            return SpreadCopies(
                tuple(self._copies(around[first : first + self.copies]) for first in range(self.servers))
            )
        left = self.copies - self.lost
        copies = self._made(name, "copy", self.copies if self.rebuild else left, below)
        rebuild = Rebuild(f"{name} rebuild", self.rebuild) if self.rebuild else None
        return self._copies(copies[:left], copies[left:], rebuild)

    def _made(self, name: str, what: str, count: int, below: Below) -> tuple[StorageServer, ...]:
        """The servers, whose places are named after ``what`` they are."""
        names = [f"{what} {number}" for number in range(1, count + 1)]
        layers = [below(f"{each} ") for each in names]
        if self.slow > 1.0:
            layers[0] = Degraded(layers[0], self.slow)
        cards = [f"{name} machine {number % (self.machines or count) + 1}" for number in range(count)]
        return tuple(
            StorageServer(Card.of(card), Station(f"{name} {each} threads", self.threads), self.server, layer)
            for each, card, layer in zip(names, cards, layers, strict=True)
        )

    def _copies(
        self,
        left: tuple[StorageServer, ...],
        replacements: tuple[StorageServer, ...] = (),
        rebuild: Rebuild | None = None,
    ) -> Copies:
        acknowledged = self.acknowledged or len(left) + len(replacements)
        network = Network(self.card, self.hop / 2, self.header)
        chain = self.writes == "chain"
        return Copies(
            left, replacements, self.lost, chain, acknowledged, self.reads, network, self.parity, rebuild
        )

    def _check_servers(self) -> None:
        if 0 < self.servers < self.copies:
            raise InputError(
                f"servers is {self.servers}, and copies {self.copies}; allowed: 0, or at least as many as copies"
            )
        if self.servers > self.copies and self.lost:
            raise InputError(
                f"lost is {self.lost} with {self.servers} servers; allowed: 0 where servers are more than copies"
            )
        if self.parity and (self.lost or self.reads != "leader" or self.writes == "chain"):
            raise InputError(
                "parity is on with copies lost, read or written in a chain; allowed: lost = 0, reads = leader and "
                "writes = parallel, as only copy 1 is the data"
            )
        if self.machines and (self.servers or self.copies) % self.machines:
            raise InputError(
                f"machines is {self.machines} of {self.servers or self.copies} servers; allowed: 0, or as many as "
                "have equally many servers each"
            )

    def _check(self) -> None:
        left = self.copies - self.lost
        if self.acknowledged > self.copies:
            raise InputError(
                f"acknowledged is {self.acknowledged} of {self.copies} copies; allowed: at most as many as copies"
            )
        if left < 1:
            raise InputError(
                f"lost is {self.lost} of {self.copies} copies; allowed: fewer than copies, as one holds data"
            )
        if self.rebuild and not self.lost:
            raise InputError(
                "rebuild fills the replacement of a copy, and none is lost; add lost = 1, or leave it out"
            )
        if self.acknowledged > left and not self.rebuild:
            raise InputError(
                f"acknowledged is {self.acknowledged}, and {left} of {self.copies} copies are left: no write "
                "would return; lose fewer, or wait for fewer"
            )


@dataclass(frozen=True)
class Copies:
    """The layers below each copy.

    Attributes:
        left: copies that hold the data, the leader first.
        replacements: copies being filled, which take all writes, too.
        lost: number of copies that do not hold the data.
    """

    left: tuple[StorageServer, ...]
    replacements: tuple[StorageServer, ...]
    lost: int
    chain: bool
    acknowledged: int
    reads: str
    network: Network
    parity: bool = False
    rebuild: Rebuild | None = None

    def path(self, io: FileIO) -> Path:
        """A read of one copy; a write or a flush of all."""
        if io.op == "read":
            return self._read(io)
        leader = self.left[0]
        return leader.asked(io, self.network, self._handed_on(io) if self.chain else self._at_once(io))

    def background(self) -> Iterator[Workload]:
        """The rebuild: each block from any remaining copy to one replacement."""
        if self.rebuild:
            read, write = (self._any(block_io(op), copies) for op, copies in self._ends)
            yield from self.rebuild.workloads(read, (*self._half_hop, *write, *self._half_hop))

    def measures(self) -> Mapping[str, Measure]:
        """The rate of the rebuild."""
        return self.rebuild.measures() if self.rebuild else {}

    @property
    def _ends(self) -> tuple[tuple[Op, tuple[StorageServer, ...]], ...]:
        return ("read", self.left), ("write", self.replacements)

    def _read(self, io: FileIO) -> Path:
        if self.reads == "random":
            return self._any(io, self.left)
        return self._alone(io, self.left[self._number(io) if self.reads == "process" else 0])

    def _alone(self, io: FileIO, server: StorageServer) -> Path:
        """Work of ``server`` for an I/O that involves no other."""
        return server.asked(io, self.network, (*server.worked(io), *server.below.path(io)))

    def _number(self, io: FileIO) -> int:
        """The copy that a process reads; processes of a lost one are spread over the others."""
        turn, number = divmod(io.host + io.process, len(self.left) + self.lost)
        return number if number < len(self.left) else turn % len(self.left)

    def _any(self, io: FileIO, copies: tuple[StorageServer, ...]) -> Path:
        paths = [self._alone(io, copy) for copy in copies]
        return paths[0] if len(paths) == 1 else any_of(paths)

    def _at_once(self, io: FileIO) -> Path:
        """A write to all copies in parallel; the leader works on it before it passes it on."""
        leader, *others = self._all
        branches = [self._copied(io, leader, other) for other in others]
        written = Fork(leader.below.path(io), *branches, needed=self.acknowledged)
        return (*leader.worked(io), *self._modified(io), written)

    def _modified(self, io: FileIO) -> Path:
        """Reads before a write of less than a stripe: the old data and the old parity."""
        if not self.parity or io.op != "write":
            return ()
        (leader, *others), old = self._all, replace(io, op="read")
        fetched = (
            (
                *self._message(leader, other, 0),
                *other.worked(old),
                *other.below.path(old),
                *self._message(other, leader, io.size_bytes),
            )
            for other in others
        )
        return (Fork(leader.below.path(old), *fetched),)

    def _handed_on(self, io: FileIO) -> Path:
        leader, *others = self._all
        paths = [(*leader.worked(io), *leader.below.path(io))]
        paths += [self._copied(io, *pair) for pair in zip(self._all, others, strict=False)]
        waited = [step for path in paths[: self.acknowledged] for step in path]
        behind = [step for path in paths[self.acknowledged :] for step in path]
        return (*waited, Fork(behind, wait=False)) if behind else tuple(waited)

    @property
    def _all(self) -> tuple[StorageServer, ...]:
        return (*self.left, *self.replacements)

    def _copied(self, io: FileIO, sender: StorageServer, copy: StorageServer) -> Path:
        """Transfer of an I/O from ``sender`` to ``copy``, up to its acknowledgement."""
        return (
            *self._message(sender, copy, io.size_bytes),
            *copy.worked(io),
            *copy.below.path(io),
            *self._message(copy, sender, 0),
        )

    def _message(self, sender: StorageServer, receiver: StorageServer, data_bytes: int) -> Path:
        if math.isinf(self.network.bytes_per_s):
            return self._half_hop
        return self.network.message(sender.card, receiver.card, data_bytes)

    @property
    def _half_hop(self) -> Path:
        return (Delay(self.network.one_way_s),) if self.network.one_way_s else ()


@dataclass(frozen=True)
class SpreadCopies:
    """Copies over more servers than hold one byte: an I/O goes to any leader's group with equal probability."""

    groups: tuple[Copies, ...]

    def path(self, io: FileIO) -> Path:
        """A read or a write of one group; a flush of all."""
        paths = [group.path(io) for group in self.groups]
        return (Fork(*paths),) if io.op == "flush" else any_of(paths)
