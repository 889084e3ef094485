"""NFS: slots of a client, threads of the server, and durability of writes.

nfs    call ──> cut at rsize or wsize, pieces at once ──> hold a [slot] of the client ──> link and server, below
nfsd   request ──> hold a [thread] ──> [cores of the server] ──> file system, below ──> answer

A write is durable when the server answers (`sync` of exports(5)), or only in its memory (`async`). A flush is a
COMMIT, which makes the server's data durable.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace

from models.io import FileIO
from models.layer import FileLayer
from sim import Fork, Hold, Path, Pool, Station, Use
from sim.system.quantities import duration
from sim.system.settings import choice, count, size
from sim.system.stack.kinds import FLUSH, NFS_SERVER, Below


@dataclass(frozen=True)
class Nfs:
    """A mount, with each client's limit of requests in flight. Put it above the `link` to the server."""

    transfer: int = size(1 << 20, "largest request: rsize and wsize", low=4096, high=1 << 24)
    slots: int = count(64, "requests in flight of each client: slots of a session", high=4096)

    @staticmethod
    def needs() -> tuple[str, ...]:
        """An NFS server below."""
        return (NFS_SERVER,)

    def layer(self, name: str, below: Below) -> Mount:
        """The mount of the layers below."""
        return Mount(self, name, below(""))


@dataclass(frozen=True)
class Mount:
    """The mounts of all clients; ``name`` is the prefix of place names."""

    kind: Nfs
    name: str
    below: FileLayer

    def path(self, io: FileIO) -> Path:
        """A call, in simultaneous requests."""
        pieces = [io] if io.op == "flush" else self._cut(io)
        slots = Pool(f"{self.name} slots of client {io.host}", self.kind.slots)
        requests = [(Hold(slots, *self.below.path(piece)),) for piece in pieces]
        return requests[0] if len(requests) == 1 else (Fork(*requests),)

    def _cut(self, io: FileIO) -> list[FileIO]:
        return [io.piece(part.size_bytes) for times, part in io.split(self.kind.transfer) for _ in range(times)]


@dataclass(frozen=True)
class Nfsd:
    """A server of NFS. Put it below the `link`, above its file system."""

    threads: int = count(16, "threads of nfsd; each serves one request until it is answered", high=4096)
    cores: int = count(8, "cores of the server", high=4096)
    work: float = duration(25e-6, "core time of a request; assumed")
    export: str = choice("sync", "sync: a write is durable when answered; async: at COMMIT", ("sync", "async"))

    @staticmethod
    def gives(_written: Collection[str]) -> tuple[str, ...]:
        """COMMIT, for any layers below, and the server."""
        return (FLUSH, NFS_SERVER)

    def layer(self, name: str, below: Below) -> Server:
        """The server of the layers below."""
        return Server(self, name, below(""))


@dataclass(frozen=True)
class Server:
    """The server; ``name`` is the prefix of place names."""

    kind: Nfsd
    name: str
    below: FileLayer

    def path(self, io: FileIO) -> Path:
        """Steps of one request."""
        stable = io.op == "write" and self.kind.export == "sync"
        asked = replace(io, durable="all", synced="no") if stable else io
        work = Use(Station(f"{self.name} cores", self.kind.cores), self.kind.work)
        return (Hold(Pool(f"{self.name} threads", self.kind.threads), work, *self.below.path(asked)),)
