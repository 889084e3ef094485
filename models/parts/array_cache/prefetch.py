"""Prefetch of a disk array: a fixed number of pieces of a sequential run, ahead of its reader.

    read ──> put one into [asked] ──> take one from [fetched] ──> look up in the cache, where it lies
    behind it:  take from [asked] ──> look up the piece that lies ahead ── miss ──> disks ──> put into [fetched]

Each read has the array fetch one piece more, so that pieces on their way to the cache are those ahead and those
that readers wait for. Where a run starts over, the array has fetched beyond its end, and nothing of its beginning.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from models.io import PagedIO
from sim import Buffer, Closed, Path, Put, Sequential, Take

GROUP = "prefetch"


@dataclass(frozen=True)
class Prefetch:
    """Prefetch of sequential runs.

    Attributes:
        pieces: number of pieces ahead of the reader, each as large as an I/O of the run.
    """

    pieces: int

    def sees(self, io: PagedIO) -> bool:
        """True if ``io`` reads a run and there is room to prefetch it."""
        return io.op == "read" and isinstance(io.addresses, Sequential) and self.pieces > 0

    def path(self, io: PagedIO) -> Path:
        """The reader's side: request one more piece, wait for its own."""
        asked, fetched = self._buffers(io)
        return (Put(asked), Take(fetched))

    def behind(self, io: PagedIO, read: Callable[[PagedIO], Path]) -> Closed:
        """The array's side; ``read`` is the path of a piece through the cache."""
        asked, fetched = self._buffers(io)
        path = (Take(asked), *read(self._ahead(io)), Put(fetched))
        return Closed(f"prefetch of {io.stream}", clients=self.pieces + io.clients, path=path, group=GROUP)

    def _buffers(self, io: PagedIO) -> tuple[Buffer, Buffer]:
        """Buffers of requested and fetched pieces; at first all pieces ahead count as fetched."""
        asked = Buffer(f"{io.stream}, asked", io.clients, role="internal")
        fetched = self.pieces + io.clients
        return asked, Buffer(f"{io.stream}, fetched", fetched, initial=self.pieces, role="internal")

    def _ahead(self, io: PagedIO) -> PagedIO:
        run = io.addresses
        assert isinstance(run, Sequential)  # noqa: S101  (it sees nothing else)
        return replace(io, addresses=replace(run, start=run.start + self.pieces * io.pages))
