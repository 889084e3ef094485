"""The journal of ext4 and XFS under overwrites of one file, by the clock of the kernel.

    write      ──> the first after a tick: [stamped], the running transaction has the inode [dirty] ──> data
    fdatasync  ──> flush
    fsync      ──> [dirty]:                 await [commit] ──> wake up        (┄┄> [journal thread])
                   a commit under way:      wait for it ──> flush
                   else:                    flush
    journal thread ┄┄> wake up, work ── ext4: descriptor and inode ── gather all who wait ── flush ── record
                       through the cache ── xfs: wake up who ends it ── wake all
    clock      ┄┄> every tick: nothing is [stamped]

An overwrite of written blocks changes nothing but the time of its file, and that once a tick of the clock, whoever
writes. So however many jobs write a file, there is one commit a tick at most, and who comes before it has flushed
shares it. That is why fsync costs little more than fdatasync where a sync takes far less than a tick, and twice as
much where it takes as long as one.

Sources: file_update_time (fs/inode.c) takes the coarse clock, which moves once a tick; ext4_sync_file and
ext4_fsync_journal (fs/ext4/fsync.c): the transaction of the inode, and a flush of its own where
jbd2_trans_will_send_data_barrier says that the commit has flushed before; jbd2_journal_commit_transaction
(fs/jbd2/commit.c): the record is written with PREFLUSH and FUA once all else is; xfs_file_fsync
(fs/xfs/xfs_file.c): the log is forced if the inode is pinned by more than nothing, otherwise a flush. The one
thread of ext4 writes and waits; XFS has a worker that writes (xlog_cil_push_now, fs/xfs/xfs_log_cil.c), and
another that ends what was written (xlog_bio_end_io, fs/xfs/xfs_log.c).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from models.io import FileIO
from models.layer import FileLayer
from models.parts.host.asleep import wake_up
from sim import Await, Buffer, Closed, Delay, Fork, Gate, Gather, Hold, IfAny, Lock, Path, Put, Take, Wake

BLOCK_BYTES, SECTOR_BYTES = 4096, 512
"""What ext4 writes is a whole block; a record of XFS is whole sectors, of which the first is its header."""

RECORD_BYTES = {"ext4": BLOCK_BYTES, "xfs": 2 * SECTOR_BYTES}
"""The record that ends a commit: a block; or a header and the inode."""


@dataclass(frozen=True)
class TickingJournal:
    """The journal, and the one file above it.

    Attributes:
        filesystem: ext4 or xfs.
        tick_s: of the clock by which files are stamped.
        called: whether anybody calls fsync; otherwise commits are those of every five seconds, which are left out.
        wake_s: mean time until a thread that slept runs, exponential.
        asleep_s: what a thread of the journal takes besides to wake up, since processors sleep deeply meanwhile.
        commit_s: of the journal thread for a commit, before it writes.
    """

    name: str
    filesystem: str
    called: bool
    tick_s: float
    wake_s: float
    asleep_s: float
    commit_s: float
    below: FileLayer

    def path(self, io: FileIO) -> Path:
        """A write; or a flush that makes durable what ``io.durable`` says: fdatasync ("data") or fsync ("all")."""
        if io.op == "write" and not self.called:
            return self.below.path(io)
        if io.op == "write":
            stamp = (Put(self._stamped), IfAny(self._dirty, (), Put(self._dirty)))
            return (IfAny(self._stamped, (), stamp), *self.below.path(io))
        flush = self.below.path(replace(io, durable="no"))
        if io.durable == "data":
            return flush
        late = (Hold(self._thread.shared), *wake_up(self.wake_s), *flush)
        return (IfAny(self._dirty, self._committed(io), (IfAny(self._thread, late, flush),)),)

    def background(self) -> Iterator[Closed]:
        """The clock."""
        if self.called:
            passed = IfAny(self._stamped, Take(self._stamped))
            yield Closed(f"{self.name} clock", clients=1, path=(Delay(self.tick_s), passed))

    @property
    def _stamped(self) -> Buffer:
        return Buffer(f"{self.name} stamped", 1)

    @property
    def _dirty(self) -> Buffer:
        return Buffer(f"{self.name} dirty", 1)

    @property
    def _thread(self) -> Lock:
        return Lock(f"{self.name} thread")

    def _committed(self, io: FileIO) -> Path:
        """Call the thread unless it is called already, and wait for the commit."""
        commit, called = Gate(f"{self.name} commit"), Buffer(f"{self.name} called", 1)
        flush = self.below.path(replace(io, durable="no"))
        durable = (Gather(commit), *flush, *self._record(io), *self._ended(), Wake(commit))
        begun = (Take(called), IfAny(self._dirty, Take(self._dirty)))
        gathered = (*self._metadata(io), *begun, IfAny(commit, durable))
        one = (*self._woken(), Delay(self.commit_s), *gathered)
        call = (Put(called), Fork(Hold(self._thread.exclusive, *one), wait=False))
        return (IfAny(called, (), call), Await(commit), *wake_up(self.wake_s))

    def _woken(self) -> Path:
        """A thread of the journal."""
        return (*wake_up(self.wake_s), *((Delay(self.asleep_s),) if self.asleep_s else ()))

    def _ended(self) -> Path:
        """XFS: by another worker than the one that wrote."""
        return self._woken() if self.filesystem == "xfs" else ()

    def _metadata(self, io: FileIO) -> Path:
        """What ext4 writes before its record: a descriptor and the block of the inode."""
        if self.filesystem == "xfs":
            return ()
        return self.below.path(replace(io, op="write", size_bytes=2 * BLOCK_BYTES, durable="no"))

    def _record(self, io: FileIO) -> Path:
        size_bytes = RECORD_BYTES[self.filesystem]
        return self.below.path(replace(io, op="write", size_bytes=size_bytes, durable="data"))
