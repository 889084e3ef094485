"""The journal of ext4 and XFS: how writes become durable, and which of them share a commit.

    fdatasync of blocks already written  ──> flush
    write                                ──> the first in a tick: its file is of the running transaction, [dirty]
    fsync of a [dirty] file, or any of one that has grown
                                         ──> await [commit] ──> wake up       (┄┄> [journal thread])
          of another file                ──> while a commit is written: wait for its end ──> flush
                                             else: flush
    journal thread ┄┄> wake up, work ── ext4: descriptor and metadata ── nothing is [dirty] ── gather all who wait
                       ── flush ── record through the cache ── xfs: wake up who ends it ── wake all
    clock          ┄┄> every tick: the time of no file has changed yet

Requests that come while a commit is written wait for the next one, and share it. An overwrite of written blocks
changes only the time of its file, once a clock tick for all writers. So a file has at most one commit a tick.
That is why fsync costs little more than fdatasync if a sync takes far less than a tick, and twice as much if it
takes as long as one.

Sources: file_update_time (fs/inode.c) takes the coarse clock, which moves once a tick; ext4_sync_file and
ext4_fsync_journal (fs/ext4/fsync.c): i_datasync_tid or i_sync_tid, the transaction of the inode, and a flush of
its own where nothing is to be committed or jbd2_trans_will_send_data_barrier says that the commit has flushed
before; jbd2_journal_commit_transaction (fs/jbd2/commit.c): one transaction at a time, the record is written with
PREFLUSH and FUA once all else is; kjournald2 (fs/jbd2/journal.c) sleeps only if nothing more is asked of it;
xfs_file_fsync (fs/xfs/xfs_file.c): the log is forced if the inode is pinned by more than nothing, otherwise a
flush. The one thread of ext4 writes and waits; XFS has a worker that writes (xlog_cil_push_now,
fs/xfs/xfs_log_cil.c), and another that ends what was written (xlog_bio_end_io, fs/xfs/xfs_log.c).
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, field, replace

from models.io import FileIO
from models.layer import FileLayer
from models.parts.file.lock_rules import EXTENTS, Extents
from models.parts.host.host import of_host, on_core, woken
from sim import Await, Buffer, Closed, Delay, Fork, Gate, Gather, Hold, IfAny, Lock, Path, Put, Take, Wake
from sim.system import choice, count, flag
from sim.system.quantities import duration
from sim.system.stack.kinds import FLUSH, Below

BLOCK_BYTES, SECTOR_BYTES = 4096, 512
"""ext4 writes whole blocks; a record of XFS is whole sectors, of which the first is its header."""


@dataclass(frozen=True)
class Journal:
    """The journal that fsync and fdatasync wait for."""

    filesystem: str = choice("ext4", "file system whose journal it is", ("ext4", "xfs"))
    extents: Extents = choice(
        "written",
        "state of the blocks that are written; for all but written ones, fdatasync needs a commit, too",
        EXTENTS,
    )
    metadata: int = count(
        1, "blocks (ext4) or sectors (xfs) that a commit writes beside its own; 1 is the inode; assumed", high=1000
    )
    fua: bool = flag("the device can write through its cache (FUA); no: a second flush follows", default=True)
    tick: float = duration(
        4e-3,
        "clock tick (CONFIG_HZ=250): a file's time changes once in it, and further fsyncs of "
        "overwrites are flushes; 0: every one commits",
    )
    wake: float | None = of_host("wake-up of the journal thread, or of a caller")
    deep: float = duration(0.0, "extra wake-up of a journal thread where cores sleep deeply meanwhile")
    work: float = duration(0.0, "core time of the journal thread for a commit before it writes")

    @staticmethod
    def gives(_written: Collection[str]) -> tuple[str, ...]:
        """A flush: durable data is in the journal."""
        return (FLUSH,)

    def layer(self, name: str, below: Below) -> Journaled:
        """The journal and the files, on one device."""
        return Journaled(self, name, below(""))


@dataclass(frozen=True)
class Journaled:
    """All files of one file system.

    Attributes:
        stamped: files whose time may change; without any there is no clock.
    """

    kind: Journal
    name: str
    below: FileLayer
    stamped: set[int] = field(default_factory=set, compare=False)

    def path(self, io: FileIO) -> Path:
        """One I/O; a flush is an fsync, or an fdatasync if it asks for the data only."""
        if io.op == "flush":
            return self._sync(io)
        moved = self.below.path(replace(io, durable="no"))
        if io.op == "read" or "all" not in (io.durable, io.synced):
            return moved if io.op == "read" or io.durable == "no" else (*moved, *self._sync(io))
        moved = (*self._stamp(io), *moved)
        return moved if io.durable == "no" else (*moved, *self._sync(replace(io, synced=io.durable)))

    def background(self) -> Iterator[Closed]:
        """The clock, whose own request keeps it running if there is no other."""
        if self.kind.tick and self.stamped:
            tick = (Fork((Await(self._tick),), wait=False), Gather(self._tick), Wake(self._tick))
            yield Closed(f"{self.name} clock", clients=1, path=(Delay(self.kind.tick), *tick))

    @property
    def _tick(self) -> Gate:
        return Gate(f"{self.name} tick", role="internal")

    @property
    def _begun(self) -> Gate:
        return Gate(f"{self.name} begun", role="internal")

    def _dirty(self, io: FileIO) -> Buffer:
        return Buffer(f"{self.name} dirty file {io.file}", 1)

    @property
    def _commit(self) -> Gate:
        return Gate(f"{self.name} commit")

    @property
    def _called(self) -> Buffer:
        return Buffer(f"{self.name} called", 1)

    @property
    def _thread(self) -> Lock:
        return Lock(f"{self.name} thread")

    def _sync(self, io: FileIO) -> Path:
        if io.durable == "data" and not self._grown(io):
            return self._flushed(io)
        if self._always(io):
            return self._committed(io)
        stamp = () if io.synced == "all" else self._stamp(io)
        after_it = (Hold(self._thread.shared), *woken(self.kind.wake, io), *self._flushed(io))
        unchanged = IfAny(self._thread, after_it, self._flushed(io))
        return (*stamp, IfAny(self._dirty(io), self._committed(io), unchanged))

    def _grown(self, io: FileIO) -> bool:
        return self.kind.extents != "written" or io.appends

    def _always(self, io: FileIO) -> bool:
        return self._grown(io) or not self.kind.tick

    def _stamp(self, io: FileIO) -> Path:
        """Change the time of the file, once a tick: it belongs to the transaction until that is written."""
        if self._always(io):
            return ()
        self.stamped.add(io.file)
        stamped, dirty = Buffer(f"{self.name} time of file {io.file}", 1), self._dirty(io)
        until_the_next = Fork((Await(self._tick), Take(stamped)), wait=False)
        until_committed = Fork((Await(self._begun), Take(dirty)), wait=False)
        change = IfAny(dirty, (), (Put(dirty), until_committed))
        return (IfAny(stamped, (), (Put(stamped), until_the_next, change)),)

    def _committed(self, io: FileIO) -> Path:
        """Call the thread unless it is called already, and wait for the commit.

        The thread sleeps until it is called. One call serves all that wait when it begins to flush.
        """
        last = () if self._always(io) else (IfAny(self._begun, (Gather(self._begun), Wake(self._begun))),)
        prepared = (*on_core(self.kind.work, io.core), *self._metadata(io), Take(self._called))
        durable = (Gather(self._commit), *self._flushed(io), *self._record(io), Wake(self._commit))
        one = (*prepared, *last, IfAny(self._commit, durable))
        busy, asleep = (Hold(self._thread.exclusive, *slept, *one) for slept in ((), self._woken(io)))
        call = (Put(self._called), Fork(IfAny(self._thread, busy, asleep), wait=False))
        return (IfAny(self._called, (), call), Await(self._commit), *woken(self.kind.wake, io))

    def _woken(self, io: FileIO) -> Path:
        """Wake-up of a thread of the journal."""
        return (*woken(self.kind.wake, io), *((Delay(self.kind.deep),) if self.kind.deep else ()))

    def _metadata(self, io: FileIO) -> Path:
        """Writes of ext4 before its record: a descriptor, and changed metadata."""
        if self.kind.filesystem == "xfs":
            return ()
        return self.below.path(_written(io, (1 + self.kind.metadata) * BLOCK_BYTES))

    def _record(self, io: FileIO) -> Path:
        """End of a commit: a block, written through the cache; for XFS a header and changed metadata."""
        xfs = self.kind.filesystem == "xfs"
        record = _written(io, (1 + self.kind.metadata) * SECTOR_BYTES if xfs else BLOCK_BYTES)
        ended = self._woken(io) if xfs else ()
        if self.kind.fua:
            return (*self.below.path(replace(record, durable="data")), *ended)
        return (*self.below.path(record), *self._flushed(io), *ended)

    def _flushed(self, io: FileIO) -> Path:
        return self.below.path(replace(io, op="flush", size_bytes=0, durable="no"))


def _written(io: FileIO, size_bytes: int) -> FileIO:
    """A write to the journal for ``io``."""
    return replace(
        io,
        op="write",
        size_bytes=size_bytes,
        sequential=True,
        aligned_bytes=SECTOR_BYTES,
        durable="no",
        appends=False,
    )
