"""A file read or written in sequence through the page cache: read-ahead, write-behind, and a copy for each byte.

    read:   call ──> take from [pages], copy, give [room]      behind it:  take room ──> below ──> put pages
    write:  call ──> take [room], copy, put into [pages]       behind it:  take pages ──> below ──> give room

The caller goes on while up to ``depth`` clusters are on their way to or from storage, which sees clusters
whatever the size of the calls. ``room`` and ``pages`` together never exceed the window.
"""

from __future__ import annotations

from dataclasses import dataclass

from models.host.processor import Processor
from models.io import IO, Op
from models.layer import Layer
from models.paths import pieces
from sim import Buffer, Closed, Path, Put, Take


@dataclass(frozen=True)
class CachedFile:
    """One open file on a buffered mount.

    Attributes:
        pages: bytes that are in memory: fetched and not yet read, or written and not yet sent.
        room: bytes that may still be fetched or written.
        cluster_bytes: size of an I/O to storage.
        call_s: system time of one call.
        touch_s_per_byte: system time to find the pages and copy them, or to map them.
    """

    op: Op
    pages: Buffer
    room: Buffer
    cluster_bytes: int
    cpu: Processor
    call_s: float
    touch_s_per_byte: float
    below: Layer

    @classmethod
    def of(
        cls,
        name: str,
        op: Op,
        *,
        clusters: int,
        cluster_bytes: int,
        cpu: Processor,
        call_s: float,
        touch_s_per_byte: float,
        below: Layer,
    ) -> CachedFile:
        """The file ``name`` with a window of so many ``clusters``: at least one in use, one on its way."""
        window = max(2, clusters) * cluster_bytes
        return cls(
            op=op,
            pages=Buffer(f"{name} pages", window),
            room=Buffer(f"{name} room", window, initial=window),
            cluster_bytes=cluster_bytes,
            cpu=cpu,
            call_s=call_s,
            touch_s_per_byte=touch_s_per_byte,
            below=below,
        )

    @property
    def depth(self) -> int:
        """The number of clusters that may be on their way at once."""
        return self.room.capacity // self.cluster_bytes

    def path(self, io: IO) -> Path:
        """One call: cluster by cluster, so that reading ahead and writing behind begin before it ends."""
        return (self.cpu.system(self.call_s), *pieces(io, self.cluster_bytes, self._touch))

    def _touch(self, piece: IO) -> Path:
        source, target = (self.pages, self.room) if self.op == "read" else (self.room, self.pages)
        copy = self.cpu.system(piece.size_bytes * self.touch_s_per_byte)
        return (Take(source, piece.size_bytes), copy, Put(target, piece.size_bytes))

    def behind(self, name: str, *, group: str) -> Closed:
        """The kernel's read-ahead or write-behind, as a workload of its own."""
        source, target = (self.room, self.pages) if self.op == "read" else (self.pages, self.room)
        moved = self.below.path(IO(self.op, self.cluster_bytes))
        path = (Take(source, self.cluster_bytes), *moved, Put(target, self.cluster_bytes))
        return Closed(name, clients=self.depth, path=path, group=group)
