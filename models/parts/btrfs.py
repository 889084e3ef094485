"""The kind ``btrfs`` of stack files: copy on write with checksums, and the tree log, which makes an fsync durable.

    write            ──> [cores]: checksum ──> below, in free space: after the last write
    read             ──> below ──> [cores]: checksum
    fsync, or durable write ──> the same ──> tree log, one at a time, for all who wait:
                                    a block of the log and one of the tree of logs, each twice with DUP
                                    ──> flush ──> superblock, through the cache (FUA) ──> wake up

Nothing is written in place, so that every fsync has new pointers to make durable: fdatasync saves nothing. Changes
of the trees themselves are written at the next transaction, `commit=30` seconds later, and left out here, as is
the fragmentation of files after random writes.

Sources: btrfs_sync_log and its comments (fs/btrfs/tree-log.c of Linux 6: those who come while a log is written
share the next one; log tree, then the tree of log roots, then write_all_supers with one mirror); write_dev_supers
(fs/btrfs/disk-io.c: PREFLUSH, and FUA for the superblock); mkfs.btrfs(8): nodesize 16 KiB, crc32c, DUP metadata on
one device since version 5.15.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace

from models.io import FileIO
from models.layer import FileLayer
from models.parts.host.host import of_host, woken
from models.parts.host.memory import CopyingCores
from models.paths import in_turn
from sim import Fork, Path
from sim.system.quantities import bandwidth
from sim.system.settings import count, flag, size
from sim.system.stack.kinds import FLUSH, Below

SUPERBLOCK_BYTES = 4096


@dataclass(frozen=True)
class Btrfs:
    """Checksums and the tree log, in the words and with the defaults of mkfs.btrfs."""

    nodesize: int = size(16 * 1024, "size of a tree block", low=4096, high=65536)
    blocks: int = count(2, "tree blocks that a sync writes, before they are doubled", high=1000)
    duplicate: bool = flag("metadata are written twice (DUP), the default on one device since 5.15", default=True)
    checksum: float = bandwidth(10e9, "crc32c rate of a core; assumed")
    cores: int = count(4, "cores that compute checksums", high=4096)
    wake: float | None = of_host("until a caller that waited runs, exponential")

    @staticmethod
    def gives(_written: Collection[str]) -> tuple[str, ...]:
        """A flush: durable data is in the tree log."""
        return (FLUSH,)

    @staticmethod
    def notes(_asked: Mapping[str, str]) -> Iterator[str]:
        """Note on what is left out for any load."""
        yield "btrfs leaves out what its transactions write every 30 s, and that files written at random scatter"

    def layer(self, name: str, below: Below) -> CopyOnWrite:
        """The file system on the volume ``below``."""
        return CopyOnWrite(self, name, below(""))


@dataclass(frozen=True)
class CopyOnWrite:
    """All files of one file system; ``name`` is the prefix of place names."""

    kind: Btrfs
    name: str
    below: FileLayer

    def path(self, io: FileIO) -> Path:
        """One I/O; a flush is an fsync or an fdatasync."""
        if io.op == "flush":
            return self._synced(io)
        checked = CopyingCores.of(f"{self.name} cores", self.kind.cores, io).kernel(
            io.size_bytes / self.kind.checksum
        )
        if io.op == "read":
            return (*self.below.path(io), *checked)
        moved = (*checked, *self.below.path(replace(io, sequential=True, durable="no")))
        return moved if io.durable == "no" else (*moved, *self._synced(io))

    def _synced(self, io: FileIO) -> Path:
        """Share the next log that is not being written yet, and wait for its superblock."""
        copies = self.kind.blocks * (2 if self.kind.duplicate else 1)
        blocks = Fork(*(self.below.path(_written(self.kind.nodesize)) for _ in range(copies)))
        flush = self.below.path(replace(io, op="flush", size_bytes=0, durable="no"))
        superblock = self.below.path(replace(_written(SUPERBLOCK_BYTES), durable="data"))
        return (*in_turn(f"{self.name} log", (blocks, *flush, *superblock)), *woken(self.kind.wake, io))


def _written(size_bytes: int) -> FileIO:
    """A write of the file system itself, elsewhere than in files."""
    return FileIO("write", size_bytes, file=-1, process=1, sequential=True)
