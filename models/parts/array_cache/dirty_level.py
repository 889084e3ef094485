"""Write-back of a disk array as a level: how many pages are dirty, and not which.

    write ──> dirty already?  with probability level / pages addressed: done
                              else: put into [dirty] (full: wait: forced flush)
    [destagers]: from the high watermark down to the low one, take a chunk from [dirty] ──> disks, again and again

Where writes are spread evenly over N pages, n dirty ones are any n of them, so that a write finds its page dirty
with probability n / N. With a rate of writes λ and of destaging μ, both in pages,

    dn / dt = λ (1 − n / N) − μ                                                                      (1)

while it is destaged, and without μ below the high watermark before. A run finds none of its pages.

A level can be followed over hours, in a memory of terabytes (docs/dev/levels.md); a cache of pages cannot.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import accumulate, pairwise

from models.io import PagedIO
from models.parts.array_cache.write_back import GROUP
from sim import Buffer, Choose, Closed, Hold, IfAny, Path, Pool, Put, Step, Take

STEPS = 10
"""Steps in which the probability to find a page dirty grows with the level."""

NOTHING = 0.002
"""Probability that is left out."""


@dataclass(frozen=True)
class DirtyLevel:
    """Memory for written pages.

    Attributes:
        dirty: pages not yet on disk, with watermarks.
        destagers: simultaneous writes to the disks.
        chunk_bytes: largest write to the disks.
        extent: pages that random writes address.
    """

    dirty: Buffer
    destagers: Pool
    chunk_bytes: int
    extent: int

    def path(self, io: PagedIO) -> Path:
        """The writer's side."""
        most = min(self.dirty.capacity, self.extent)
        if io.sequential or most / self.extent < NOTHING:
            return (Put(self.dirty, io.pages),)
        path = self._unless_dirty(io, 1.0) if most == self.extent else self._put(io, STEPS, most)
        for step in reversed(range(STEPS)):
            least = max(1, most * (step + 1) // STEPS)
            path = (IfAny(self.dirty, path, self._put(io, step, most), least=least),)
        return path

    def behind(self, io: PagedIO, to_disks: Callable[[int], Path]) -> Closed:
        """The array's side for one stream of writes; ``to_disks`` is the path of all copies of some bytes."""
        path = tuple(self._destaged(io, to_disks))
        return Closed(f"write-back of {io.stream}", clients=self.destagers.tokens, path=path, group=GROUP)

    def _put(self, io: PagedIO, step: int, most: int) -> Path:
        """A write at a level in the middle of a step."""
        return self._unless_dirty(io, min(1.0, (step + 0.5) / STEPS * most / self.extent))

    def _unless_dirty(self, io: PagedIO, share: float) -> Path:
        put = Put(self.dirty, io.pages)
        return (Choose((share, ()), (1.0 - share, put)),) if share < 1.0 else ()

    def _destaged(self, io: PagedIO, to_disks: Callable[[int], Path]) -> Iterator[Step]:
        """Destage chunk by chunk, as many pages as the write has."""
        sizes = [piece.size_bytes for times, piece in io.split(self.chunk_bytes) for _ in range(times)]
        ends = [0, *(io.pages * end // io.size_bytes for end in accumulate(sizes))]
        for size, (first, last) in zip(sizes, pairwise(ends), strict=True):
            yield Hold(
                self.destagers, *((Take(self.dirty, last - first),) if last > first else ()), *to_disks(size)
            )
