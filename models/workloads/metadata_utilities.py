"""The calls of tar, ls and rm to a file system, name by name.

tar x, a file:  look up, create ──> open ──> records ──> flush ──┄ release ──> times, owner, mode
tar c, a file:  look up ──> open ──> records ──> attributes ──> flush ──┄ release
ls -l, a name:  look up          rm, a file:  look up, unlink
a directory:    open, list page by page, ┄ release;  tar x makes it and sets times, owner and mode, rm removes it

Sources: GNU tar 1.15 (records of 20 blocks of 512 bytes, a header of one block a file; run by root it restores
owner and mode), coreutils 5.97, bash.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol

from models.io import IO, Op
from models.paths import maybe, pieces
from models.workloads.directory_tree import Tree
from sim import Choose, Path, Repeat, Step

TAR_BLOCK_BYTES = 512
TAR_RECORD_BLOCKS = 20
"""Blocks of a tar record: tar reads and writes at most to the end of a record of 10 KiB."""

NAMES_A_PAGE = 100
"""Names returned by a READDIR of 4096 bytes: names of about 16 bytes, each with an entry of 24."""

RESTORED = 3
"""Attributes that tar sets, one call each: times, owner, mode."""


class FileSystem(Protocol):
    """Calls of a process on names, and on its one open file."""

    def look_up(self) -> Path:
        """Find a name that was listed before."""

    def find(self) -> Path:
        """Find a name that was never looked up."""

    def create(self) -> Path:
        """Look a free name up, and create it."""

    def unlink(self) -> Path:
        """Find a name that was listed before, and remove its file."""

    def remove_directory(self) -> Path:
        """Find a directory that was listed before, and remove it."""

    def set_attributes(self) -> Path:
        """Change attributes of one kind."""

    def get_attributes(self) -> Path:
        """Get the attributes of the open file."""

    def open_directory(self) -> Path:
        """Open a directory, to list it."""

    def list_names(self, names: float) -> Path:
        """List ``names`` of its names at once."""

    def close_directory(self) -> Path:
        """Read the end of the listing, and close the directory."""

    def transfer(self, file: IO, calls: Path) -> Path:
        """Open a file, read or write it by ``calls``, close it."""

    def call(self, io: IO) -> Path:
        """One read or write of the open file."""


@dataclass(frozen=True)
class TreeTraversal:
    """One process that works through ``tree``, where every file has ``file_bytes`` bytes.

    It works page by page: a page is the part of a directory of average size that one call lists.
    """

    tree: Tree
    file_bytes: int
    files: FileSystem

    @property
    def pages(self) -> int:
        """Pages of a directory of average size."""
        return max(1, math.ceil(self.tree.names_each / NAMES_A_PAGE))

    def extract(self) -> Path:
        """Steps of ``tar x`` for one page."""
        before, after = self._per_directory(self.files.create()), self._per_directory(self._restored())
        return (*before, *self._per_file(self._extracted()), *after)

    def archive(self) -> Path:
        """Steps of ``tar c`` for one page."""
        return (*self._listed(), *self._per_file(self._archived()), *self._closed())

    def list_long(self) -> Path:
        """Steps of ``ls -lR`` for one page."""
        directory = self._per_directory(self.files.look_up())
        return (*self._listed(), *self._per_file(self.files.look_up()), *directory, *self._closed())

    def remove(self) -> Path:
        """Steps of ``rm -r`` for one page."""
        directory = self._per_directory(self.files.remove_directory())
        return (*self._listed(), *self._per_file(self.files.unlink()), *directory, *self._closed())

    def wildcard(self, stars: int) -> Path:
        """``ls -l */*/*name`` as a whole: the shell lists all names on the way, and one matches."""
        steps: list[Step] = []
        for level in range(stars):
            directories, names = self.tree.directories_on(level), self.tree.names_on(level)
            pages = max(directories, names / NAMES_A_PAGE)
            steps += _times(directories, (*self.files.open_directory(), *self.files.close_directory()))
            steps += _times(pages, self.files.list_names(names / pages)) if pages else ()
            steps += _times(names, self.files.look_up()) if level + 1 < stars else ()
        return (*steps, *self.files.look_up())

    def qualified(self) -> Path:
        """``ls -l /a/b/c/d/name`` as a whole: each part of the path is found once."""
        return tuple(_times(min(self.tree.levels, _QUALIFIED), self.files.find()))

    def _per_directory(self, steps: Path) -> Path:
        """Share of a page in ``steps`` done once a directory."""
        return _times(1.0 / self.pages, steps)

    def _per_file(self, steps: Path) -> Path:
        """``steps`` for each file of one page."""
        return _times(self.tree.files_each / self.pages, steps)

    def _listed(self) -> Path:
        names = self.files.list_names(self.tree.names_each / self.pages)
        return (*self._per_directory(self.files.open_directory()), *names)

    def _closed(self) -> Path:
        return self._per_directory(self.files.close_directory())

    def _restored(self) -> Path:
        return self.files.set_attributes() * RESTORED

    def _extracted(self) -> Path:
        file = IO("write", self.file_bytes)
        return (*self.files.create(), *self.files.transfer(file, self._records("write")), *self._restored())

    def _archived(self) -> Path:
        calls = (*self._records("read"), *self.files.get_attributes())
        return (*self.files.look_up(), *self.files.transfer(IO("read", self.file_bytes), calls))

    def _records(self, op: Op) -> Path:
        """Calls for one file, which begins at any block of a record with equal probability."""
        if not self.file_bytes:
            return ()
        least, share = records(self.file_bytes)
        return (Choose((1.0 - share, self._calls(op, least)), (share, self._calls(op, least + 1))),)

    def _calls(self, op: Op, calls: int) -> Path:
        piece_bytes = -(-self.file_bytes // calls)
        return pieces(IO(op, self.file_bytes), piece_bytes, self.files.call)


_QUALIFIED = 5
"""Parts of the published path /a/b/c/d/z.txt."""


def records(file_bytes: int) -> tuple[int, float]:
    """Smallest number of records of a file, and the probability of one more."""
    blocks = -(-file_bytes // TAR_BLOCK_BYTES)
    further, rest = divmod(blocks - 1, TAR_RECORD_BLOCKS)
    return 1 + further, rest / TAR_RECORD_BLOCKS


def _times(mean: float, steps: Iterable[Step]) -> Path:
    """``steps``, on average ``mean`` times."""
    path = tuple(steps)
    whole, rest = int(mean), mean - int(mean)
    repeated = (Repeat(whole, *path),) if whole and path else ()
    return (*repeated, maybe(rest, *path)) if rest and path else repeated
