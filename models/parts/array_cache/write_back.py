"""Write-back of a disk array: written pages wait in its memory; pages written again meanwhile go to disk once.

    write ──> put into [asked] ──> take from [admitted] ──> done
    behind it:  take from [asked] ──> is the page dirty?  yes: it will go to the disks once
                                                          no:  put into [dirty] (full: wait: forced flush)
                                  ──> put into [admitted]
                from the high watermark down to the low one:  hold a destager ── take out ──> disks

The oldest pages are destaged first, down to the low watermark: so at least that many pages are dirty, the most
recent ones, and a write of one of them costs no disk access. Between the watermarks there are more; rewrites of
these are not counted, so that in reality somewhat more writes coalesce.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import accumulate, pairwise

from models.io import PagedIO
from sim import Buffer, Cache, Closed, Fork, Hold, Lookup, Path, Pool, Put, Repeat, Step, Take

GROUP = "write-back"


@dataclass(frozen=True)
class WriteBack:
    """Memory for written pages.

    Attributes:
        dirty: pages not yet on disk, with watermarks.
        last: the most recent of them, as many as the low watermark.
        destagers: simultaneous writes to the disks.
        chunk_bytes: largest write to the disks.
    """

    dirty: Buffer
    last: Cache
    destagers: Pool
    chunk_bytes: int

    @classmethod
    def of(
        cls, pages: int, *, low: float, high: float, destagers: int, chunk_bytes: int, name: str = ""
    ) -> WriteBack:
        """Room for ``pages``; watermarks are shares of it, and ``name`` is the prefix of place names."""
        low_pages, high_pages = int(pages * low), int(pages * high)
        return cls(
            dirty=Buffer(f"{name}dirty pages", pages, low=low_pages, high=high_pages),
            last=Cache(f"{name}pages written last", max(1, low_pages), role="internal"),
            destagers=Pool(f"{name}destagers", destagers),
            chunk_bytes=chunk_bytes,
        )

    def path(self, io: PagedIO) -> Path:
        """The writer's side."""
        asked, admitted = self._buffers(io)
        return (Put(asked), Take(admitted))

    def behind(self, io: PagedIO, to_disks: Callable[[int], Path]) -> Closed:
        """The array's side for one stream of writes; ``to_disks`` is the path of all copies of some bytes.

        It has a client for each writer of the stream, so that streams queue for room as their writers do.
        """
        asked, admitted = self._buffers(io)
        rest = self._looked_up(io, io.pages - 1)
        path = (
            Take(asked),
            Lookup(
                self.last,
                io.addresses,
                hit=rest,
                miss=(*rest, Put(self.dirty, io.pages), self._destaged(io, to_disks)),
                sequential=io.sequential,
                write=True,
            ),
            Put(admitted),
        )
        return Closed(f"write-back of {io.stream}", clients=io.clients, path=path, group=GROUP)

    def _buffers(self, io: PagedIO) -> tuple[Buffer, Buffer]:
        asked, admitted = (
            Buffer(f"{io.stream}, {state}", io.clients, role="internal") for state in ("asked", "admitted")
        )
        return asked, admitted

    def _looked_up(self, io: PagedIO, times: int) -> Path:
        step = Lookup(self.last, io.addresses, sequential=io.sequential, write=True)
        return (Repeat(times, step),) if times else ()

    def _destaged(self, io: PagedIO, to_disks: Callable[[int], Path]) -> Step:
        """Destage chunk by chunk, each by a destager of its own, in the background."""
        sizes = [piece.size_bytes for times, piece in io.split(self.chunk_bytes) for _ in range(times)]
        ends = [0, *(io.pages * end // io.size_bytes for end in accumulate(sizes))]
        branches = [
            (Hold(self.destagers, *((Take(self.dirty, last - first),) if last > first else ()), *to_disks(size)),)
            for size, (first, last) in zip(sizes, pairwise(ends), strict=True)
        ]
        return Fork(*branches, wait=False)
