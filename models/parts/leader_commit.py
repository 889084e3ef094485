"""Group commit by a leader: the first to commit writes and flushes for all that have come by then.

postgresql   transaction ──> [cpu] ──> its record is in the log ──> is the [log] taken?
               no:  lead: take it ──> delay ──> gather all records ──> write ──> flush ──> wake all who sleep
               yes: sleep until it is free ──> wake up ──> flushed meanwhile: done; taken again: sleep once more,
                    as that flush has one's record; else lead

mysql        transaction ──> [cpu] ──> does a leader wait already?
               yes: wait until that one has flushed ──> wake up ──> done
               no:  lead ──> wait for the [log], wake up ──> delay ──> gather all who wait
                         ──> write ──> flush ──> let them go, and the log

A session that finds the log free flushes its own commit at once. One of those that come meanwhile flushes for all
of them once the log is free. So half of many sessions that return quickly share a flush, and the other half
share the next.

PostgreSQL has one such stage: XLogFlush in src/backend/access/transam/xlog.c, where the log is WALWriteLock and
the delay commit_delay (with commit_siblings = 0). No session holds the log while it wakes up: LWLockAcquireOrWait
wakes all sleepers, and leaves the lock to the first that asks, perhaps to a newcomer. MySQL has three, each with a
queue, whose leader takes along all that stand in it, and keeps its lock while it wakes up:
MYSQL_BIN_LOG::ordered_commit in sql/binlog.cc.

    flush (LOCK_log): redo log written and flushed, binary log written
    sync (LOCK_sync): delay, binary log flushed; with sync_binlog = N by every Nth batch only, with 0 by none
    commit (LOCK_commit): every transaction of the batch committed in the engine

A batch may be flushed while the one before is synced, and a session at a stage where a leader waits joins it.

Without the binary log InnoDB commits as PostgreSQL does, with one flush of its redo log
(log_write_up_to in storage/innobase/log/log0log.cc).

A flush takes a core, half of it before the device has it and half once it is done. With synchronous_commit = off
no commit waits for it: the WAL writer of PostgreSQL writes and flushes by a clock of its own.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, field, replace

from models.io import FileIO
from models.layer import Layer
from models.parts.host.host import of_host, woken
from models.parts.host.memory import CopyingCores
from models.parts.host.messages import MessageCores
from models.parts.transactions import SCRIPTS
from sim import (
    Await,
    Buffer,
    Closed,
    Delay,
    Exponential,
    Fork,
    Gate,
    Gather,
    Hold,
    IfAny,
    InputError,
    Lock,
    Path,
    PerItem,
    Put,
    Station,
    Step,
    Take,
    Use,
    Wake,
)
from sim.system.quantities import duration
from sim.system.settings import Values, choice, count, size
from sim.system.stack.kinds import FLUSH, WRITES, Below, Filled

WRITER_DELAY_S = 0.2
"""Interval between flushes of the WAL writer: the default wal_writer_delay of PostgreSQL."""


@dataclass(frozen=True)
class Commits:
    """Durable writes of the load as commits; other I/Os pass through.

    A batch is written as one I/O of ``write`` bytes, for any number of commits: those of a few hundred bytes share
    a block. If the database writes to a file of the operating system and then flushes it, as with
    ``wal_sync_method = fdatasync``, so do these.
    """

    resizes = True  # a batch is one write
    database: str = choice(
        "postgresql",
        "postgresql: one stage (XLogFlush); mysql: flush, sync and commit of the binary log",
        ("postgresql", "mysql"),
    )
    cpu: float = duration(100e-6, "core time of a transaction before it commits, exponential; assumed")
    cores: int = count(4, "cores of the database", high=4096)
    write: int = size(8192, "bytes of a write of the log; 8 KiB is XLOG_BLCKSZ of PostgreSQL")
    delay: float = duration(
        0.0, "time for which a leader waits for others: commit_delay, binlog_group_commit_sync_delay"
    )
    each: float = duration(
        0.0, "time of mysql's leader for each transaction of its batch, once in flush and once in commit"
    )
    wake: float | None = of_host("until a session that slept runs again, exponential")
    flush_cpu: float = duration(0.0, "core time of a flush and the write before it")
    script: str = choice(
        "plain",
        "kind of transaction: plain without messages; insert and tpcb-like of pgbench, from "
        "clients on the same host",
        tuple(SCRIPTS),
    )
    scale: int = count(
        1,
        "scale of pgbench: rows of branches, of which each tpcb-like transaction locks one until its commit",
        high=50,
    )
    binary_log: str = choice("on", "of mysql; off: one stage, which flushes the redo log", ("on", "off"))
    sync_binlog: int = count(
        1, "batches of mysql for each of which the binary log is flushed once; 0: never", low=0, high=1 << 20
    )
    synchronous_commit: str = choice(
        "on",
        "off: no commit of postgresql waits for its flush; the WAL writer flushes every 200 ms",
        ("on", "off"),
    )

    @staticmethod
    def filled(written: Values) -> dict[str, Filled]:
        """No assumption on the binary log where there is none."""
        logged = written.get("database") == "mysql" and written.get("binary_log") != "off"
        return {} if logged or "sync_binlog" in written else {"sync_binlog": Filled(1, "", "")}

    @staticmethod
    def notes(asked: Collection[str]) -> Iterator[str]:
        """Notes on commits that return before they are durable, which pass by, and on flushes under load."""
        if WRITES in asked and FLUSH not in asked:
            yield (
                "writes that are not durable when they return go past the commits, without their processor time; "
                "commits that do not wait are durable ones with synchronous_commit = off"
            )
        elif FLUSH in asked:
            yield (
                "a flush of the device is assumed to take as long under load as alone; on a shared virtual disk "
                "it took three times as long with 32 sessions, and throughput was half of that predicted"
            )

    def layer(self, name: str, below: Below) -> LeaderCommit:
        """The commits above ``below``.

        Raises:
            InputError: mysql cannot commit without waiting.
        """
        if self.database == "mysql" and self.synchronous_commit == "off":
            raise InputError("synchronous_commit is 'off'; allowed: on, as database is mysql")
        return LeaderCommit(self, name, below(""))


@dataclass(frozen=True)
class LeaderCommit:
    """Sessions that commit; ``name`` is the prefix of place names.

    Attributes:
        asked: the first commit, if any: without one there is no WAL writer.
    """

    commits: Commits
    name: str
    below: Layer
    asked: list[FileIO] = field(default_factory=list, compare=False)

    def path(self, io: FileIO) -> Path:
        """A transaction, if ``io`` must be durable when it returns."""
        if io.op != "write" or io.durable == "no":
            return self.below.path(io)
        self.asked[:] = [io]
        cores, commit = self._cores(io), self._commit(io)
        if isinstance(cores, CopyingCores):
            return (Use(self._cpu, Exponential(self.commits.cpu)), *commit)
        return SCRIPTS[self.commits.script].path(cores, self.commits.cpu, self._branches, commit)

    def background(self) -> Iterator[Closed]:
        """The WAL writer, if commits do not wait for its flushes."""
        if self.asked and self.commits.synchronous_commit == "off":
            flush = (Delay(WRITER_DELAY_S), *self._on_device(self.asked[0]))
            yield Closed(f"{self.name} wal writer", 1, flush, group="wal writer")

    def _commit(self, io: FileIO) -> Path:
        if self.commits.synchronous_commit == "off":
            return ()
        one_stage = self.commits.database == "postgresql" or self.commits.binary_log == "off"
        return _if_free(self._log(io)) if one_stage else _through(self._mysql(io))

    def _cores(self, io: FileIO) -> CopyingCores | MessageCores:
        """The cores; with known messages, those on which clients and sessions wake each other."""
        if not SCRIPTS[self.commits.script].messages:
            return CopyingCores(self._cpu)
        if self.commits.wake is not None or not io.times:
            return MessageCores(self._cpu, woken(self.commits.wake, io))
        return MessageCores(self._cpu, io.times.wake, io.times.busy_s)

    @property
    def _branches(self) -> list[Lock]:
        return [Lock(f"{self.name} branch {number}") for number in range(1, self.commits.scale + 1)]

    def _log(self, io: FileIO) -> _Stage:
        return self._stage(io, "log", self.commits.delay, *self._on_device(io))

    def _on_device(self, io: FileIO) -> Path:
        """A write and a flush, as in PostgreSQL."""
        return (*self._written(io), *self._flushed(io))

    def _mysql(self, io: FileIO) -> list[_Stage]:
        each = (Delay(PerItem(0.0, self.commits.each)),) if self.commits.each else ()
        return [
            self._stage(io, "flush", 0.0, *self._written(io), *self._flushed(io), *each, *self._written(io)),
            *(
                [self._stage(io, "sync", self.commits.delay, *self._synced(io))]
                if self.commits.sync_binlog
                else ()
            ),
            self._stage(io, "commit", 0.0, *each),
        ]

    def _synced(self, io: FileIO) -> Path:
        """The flush of the binary log, by every batch or by one of several."""
        every = self.commits.sync_binlog
        if every == 1:
            return self._flushed(io)
        unsynced = Buffer(f"{self.name} batches not synced", every, role="internal")
        return (Put(unsynced), IfAny(unsynced, (Take(unsynced, every), *self._flushed(io)), least=every))

    def _written(self, io: FileIO) -> Path:
        record = replace(io, size_bytes=self.commits.write, sequential=True, durable="no", synced=io.durable)
        return self.below.path(record)

    def _flushed(self, io: FileIO) -> Path:
        half = self._cores(io).kernel(self.commits.flush_cpu / 2) if self.commits.flush_cpu else ()
        flush = self.below.path(replace(io, op="flush", size_bytes=0, sequential=True, synced=io.durable))
        return (*half, *flush, *half)

    def _stage(self, io: FileIO, name: str, delay_s: float, *work: Step) -> _Stage:
        cores = self._cores(io)
        wake_up = cores.woken if isinstance(cores, MessageCores) else woken(self.commits.wake, io, cores)
        return _Stage(f"{self.name} {name}", wake_up, delay_s, work)

    @property
    def _cpu(self) -> Station:
        return Station(f"{self.name} cpu", self.commits.cores)


@dataclass(frozen=True)
class _Stage:
    """Work of one leader at a time for its batch, after a delay in which others may join."""

    name: str
    wake_up: Path
    delay_s: float
    work: Path

    @property
    def delay(self) -> Path:
        """Delay in which others may join."""
        return (Delay(self.delay_s),) if self.delay_s else ()


def _if_free(log: _Stage) -> Path:
    """Path of a session whose record is in the log: the one that finds it free flushes all records."""
    records = Gate(f"{log.name} records")
    # Nobody queues for the lock: who finds it taken waits at the gate, for its batch.
    free, lock = Gate(f"{log.name} free", role="internal"), Lock(f"{log.name} lock", role="internal")
    flushed = Hold(lock.exclusive, *log.delay, Gather(records), *log.work)
    lead = (flushed, Wake(records), IfAny(free, (Gather(free), Wake(free))))
    sleep = (Await(free), *log.wake_up)
    return (
        Fork((Await(records),), wait=False),
        IfAny(lock, (*sleep, IfAny(lock, sleep, (IfAny(records, lead),))), lead),
    )


def _through(stages: list[_Stage]) -> Path:
    """Path of a session through all stages, from before the first."""
    if not stages:
        return ()
    stage, *later = stages
    batch, lock = Gate(f"{stage.name} batch"), Lock(f"{stage.name} lock")
    leader, asleep = (Buffer(f"{stage.name} leader {state}", 1) for state in ("waits", "asleep"))
    lead = (
        Fork((Await(batch),), wait=False),  # its own commit is one of those that it gathers
        Put(leader),
        IfAny(lock, Put(asleep)),
        Hold(
            lock.exclusive,
            IfAny(asleep, (Take(asleep), *stage.wake_up)),
            *stage.delay,
            Take(leader),
            Gather(batch),
            *stage.work,
        ),
        *_through(later),
        Wake(batch),
    )
    return (IfAny(leader, (Await(batch), *stage.wake_up), lead),)
