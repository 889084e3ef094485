"""The journal of ext4 and XFS: what makes a write durable, and who shares a commit.

    fdatasync of blocks already written  ──> flush
    fsync, or a file that has grown      ──> await [commit] ──> wake up
                                         ┄┄> [journal thread] somebody waits: gather, write the commit, wake all

              blocks of a commit, in order
    ext4      descriptor and metadata ──> flush ──> commit block, through the cache
    xfs       flush ──> one record, through the cache

Those who come while a commit is written wait for the next one, and share it. An overwrite changes nothing but the
time of its file, and that only once a clock tick: a further fsync in the same tick finds nothing to commit.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace

from models.io import FileIO
from models.layer import FileLayer
from models.parts.file.lock_rules import EXTENTS, Extents
from models.parts.host.host import of_host, woken
from sim import Await, Buffer, Delay, Fork, Gate, Gather, Hold, IfAny, Lock, Path, Put, Take, Wake
from sim.system import choice, count, flag
from sim.system.quantities import duration
from sim.system.stack.kinds import FLUSH, Below

BLOCK_BYTES, SECTOR_BYTES = 4096, 512
"""What ext4 writes is a whole block; a record of XFS is whole sectors, of which the first is its header."""

_FLUSH = FileIO("flush", 0)


@dataclass(frozen=True)
class Journal:
    """What fsync and fdatasync wait for."""

    filesystem: str = choice("ext4", "whose journal it is", ("ext4", "xfs"))
    extents: Extents = choice("written", "the blocks that writes go to, but for those behind the end", EXTENTS)
    metadata: int = count(
        1, "blocks (ext4) or sectors (xfs) of metadata in a commit; 1 is the inode; assumed", high=1000
    )
    fua: bool = flag("the device can write through its cache (FUA); else a second flush follows", default=True)
    tick: float = duration(
        4e-3, "clock tick, once in which a file's time changes (4 ms: CONFIG_HZ=250); 0: always"
    )
    wake: float | None = of_host("until a thread that slept runs, exponential")

    @staticmethod
    def gives(_written: Collection[str]) -> tuple[str, ...]:
        """A flush: what is durable is in the journal."""
        return (FLUSH,)

    def layer(self, name: str, below: Below) -> FileLayer:
        """The journal and the files, on one device."""
        return _Journal(self, name, below(""))


@dataclass(frozen=True)
class _Journal:
    """All files of one file system.

    Sources: ext4_sync_file (fs/ext4/fsync.c: i_datasync_tid or i_sync_tid, and a flush where nothing is to be
    committed); jbd2_journal_commit_transaction (fs/jbd2/commit.c: one transaction at a time, the commit record is
    submitted once all else is written); xfs_file_fsync (fs/xfs/xfs_file.c: the log is forced only if more than the
    time has changed or all was asked for, and a flush where it was not forced); file_update_time (fs/inode.c).
    """

    kind: Journal
    name: str
    below: FileLayer

    def path(self, io: FileIO) -> Path:
        """One I/O; a flush is an fsync, or an fdatasync if it asks for the data only."""
        if io.op == "flush":
            return self._sync(io)
        moved = self.below.path(replace(io, durable="no"))
        return moved if io.op == "read" or io.durable == "no" else (*moved, *self._sync(io))

    @property
    def _commit(self) -> Gate:
        return Gate(f"{self.name} commit")

    def _committed(self, io: FileIO) -> Path:
        """Call the journal thread unless it is called already, and wait for the commit.

        The thread sleeps until it is called. One call is enough for all who wait when it is answered; who comes
        later calls again.
        """
        thread, called = Lock(f"{self.name} thread"), Buffer(f"{self.name} called", 1)
        wake = woken(self.kind.wake, io)
        commit = IfAny(self._commit, (Gather(self._commit), *self._written(), Wake(self._commit)))
        busy = Hold(thread.exclusive, Take(called), commit)
        asleep = Hold(thread.exclusive, *wake, Take(called), commit)
        call = (Put(called), Fork(IfAny(thread, busy, asleep), wait=False))
        return (IfAny(called, (), call), Await(self._commit), *wake)

    def _sync(self, io: FileIO) -> Path:
        if self.kind.extents != "written" or io.appends:
            return self._committed(io)
        flush = self.below.path(replace(io, op="flush", size_bytes=0, durable="no"))
        return flush if io.durable == "data" else self._if_the_time_changed(io, flush)

    def _if_the_time_changed(self, io: FileIO, flush: Path) -> Path:
        """Commit the time of the file, but once in a tick."""
        if not self.kind.tick:
            return self._committed(io)
        stamped = Buffer(f"{self.name} time of file {io.file}", 1)
        until_the_next = Fork((Delay(self.kind.tick), Take(stamped)), wait=False)
        return (IfAny(stamped, flush, (Put(stamped), until_the_next, *self._committed(io))),)

    def _written(self) -> Path:
        """What the thread writes for all who share the commit."""
        if self.kind.filesystem == "xfs":
            return (*self.below.path(_FLUSH), *self._through((1 + self.kind.metadata) * SECTOR_BYTES))
        blocks = self.below.path(_record((1 + self.kind.metadata) * BLOCK_BYTES))
        return (*blocks, *self.below.path(_FLUSH), *self._through(BLOCK_BYTES))

    def _through(self, size_bytes: int) -> Path:
        """A write that is durable once it is done."""
        if self.kind.fua:
            return self.below.path(replace(_record(size_bytes), durable="data"))
        return (*self.below.path(_record(size_bytes)), *self.below.path(_FLUSH))


def _record(size_bytes: int) -> FileIO:
    return FileIO("write", size_bytes, sequential=True, aligned_bytes=SECTOR_BYTES)
