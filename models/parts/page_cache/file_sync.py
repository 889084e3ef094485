"""Dirty pages of one file, which wait for its fsync, or for the background threshold of all files.

write    ──> dirtied ──> put into [left]
fsync    ──> wake the file's writer; is any page [of the file] dirty?  wait at the gate [clean] ──> below
writer   asleep until it is woken ──> pieces out of [left], as many at a time as there are flushers ──> below
         ┄┄> out of [of the file]: the last one ──> open the gate
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from models.io import FileIO
from models.parts.page_cache.bands import by_level
from models.parts.page_cache.dirty_pages import DirtyPages
from sim import Await, Buffer, Closed, Fork, Gate, Gather, IfAny, Path, Put, Take, Wake


@dataclass(frozen=True)
class FileSync:
    """Files that are synced; ``files`` has a write of each.

    Attributes:
        dirty: dirty pages of all files of the host.
    """

    dirty: DirtyPages
    files: dict[int, FileIO] = field(default_factory=dict, compare=False)

    def path(self, io: FileIO) -> Path:
        """A write before an fsync."""
        self.files.setdefault(io.file, io)
        left, of_file, asked = self._levels(io.file)
        dirtied = self.dirty.dirtied(io, lambda pages: (Put(of_file, pages), Put(left, pages)))
        return (*dirtied, IfAny(self.dirty.level, _wake(asked), least=self.dirty.background))

    def synced(self, file: int, woken: Path) -> Path:
        """Wait until ``file`` is clean, and then for ``woken``."""
        _, of_file, asked = self._levels(file)
        return (_wake(asked), IfAny(of_file, (Await(self._clean(file)), *woken)))

    def background_of(self, group: str) -> Iterator[Closed]:
        """The writer of each file."""
        for file, io in self.files.items():
            left, _, asked = self._levels(file)
            most = self.dirty.piece(io)
            pieces = [1 << power for power in range(most.bit_length()) if 1 << power < most] + [most]
            paths = [(Take(asked),), *(self._written(io, pages) for pages in pieces)]
            yield Closed(f"{left.name}, written", clients=1, path=by_level(left, pieces, paths), group=group)

    def _written(self, io: FileIO, pages: int) -> Path:
        left, of_file, _ = self._levels(io.file)
        clean = self._clean(io.file)
        under_way = Buffer(f"{self.dirty.name} under way", self.dirty.flushers, role="internal")
        opened = IfAny(of_file, (), IfAny(clean, (Gather(clean), Wake(clean))))
        done = self.dirty.written(io, pages, Take(under_way), Take(of_file, pages), opened)
        return (Take(left, pages), Put(under_way), Fork(done, wait=False))

    def _levels(self, file: int) -> tuple[Buffer, Buffer, Buffer]:
        """Pages left to write, dirty pages of the file, and whether its writer is asked for."""
        name, most = f"{self.dirty.name} in file {file}", self.dirty.limit
        left, asked = (Buffer(f"{name}, {what}", most, role="internal") for what in ("left", "asked"))
        return left, Buffer(name, most), asked

    def _clean(self, file: int) -> Gate:
        return Gate(f"{self.dirty.name} in file {file}, clean", role="internal")


def _wake(asked: Buffer) -> IfAny:
    """Wake the writer, unless that is under way."""
    return IfAny(asked, (), Put(asked))
