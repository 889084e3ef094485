"""Commits by a log writer, which gathers them, and by its workers, which write them (Oracle Database).

    session     its work ──> post the log writer ──> await [commit] ──> wake up ──> again

    log writer  take an idle worker ──> wait for a post, wake up ──> hand the worker all commits that wait
                ──> [cpu] ──> commits came meanwhile: wait until all workers are idle: the next batch is large

    worker      gather [commit] ──> wake up ──> write, below ──> wait for its turn, wake up
                ──> [cpu] post the sessions of the batch, one after the other ──> give the turn on ──> idle

Batches are posted in the order in which they were gathered: a worker whose write overtakes an earlier one waits
for its turn. So workers become idle in turn, and the log writer takes them in turn. A process that waits for a
post sleeps, and takes a while to run again; the log writer does not sleep while it waits for its workers.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, field, replace

from models.io import FileIO
from models.layer import Layer
from models.parts.host.asleep import wake_up
from sim import (
    Await,
    Buffer,
    Closed,
    Exponential,
    Fork,
    Gate,
    Gather,
    Hold,
    IfAny,
    Path,
    PerItem,
    Pool,
    Put,
    Station,
    Take,
    Use,
    Wake,
)
from sim.system.quantities import duration
from sim.system.settings import count, number, size
from sim.system.stack.kinds import FLUSH, WRITES, Below

LOG_FILE_SYNC, LOG_WRITE = "log file sync", "log file parallel write"
ANY_WORKER, ALL_WORKERS, ORDERING = (
    "LGWR any worker group",
    "LGWR all worker groups",
    "LGWR worker group ordering",
)
"""Wait events of the database: each is a pool, of which a waiting process holds a token."""

POSTING = "posting of sessions"
"""Place for one worker at a time: sessions are posted in the order of their commits."""

COMMIT = "commit"

_ANY_NUMBER = 1 << 20


@dataclass(frozen=True)
class LogWriter:
    """Durable writes of the load as commits; other I/Os pass through.

    The defaults of processor times and wake-ups are those fitted to Oracle 19c on XFS and ext4 (``redo``).
    """

    cpu: float = duration(118e-6, "core time of a transaction before it commits, exponential; fitted for redo")
    cores: int = count(16, "cores of the database", high=4096)
    workers: int = count(2, "workers of the log writer, each with one write at a time", high=64)
    write: int = size(4096, "bytes of a write of the log")
    dispatch: float = duration(14.5e-6, "core time for a batch")
    post: float = duration(5e-6, "core time to post a session")
    wake: float = duration(35e-6, "wake-up of a process")
    wake_variation: float = number(
        1.0, "coefficient of variation of the wake-up; 1: exponential", low=0.0, high=10.0
    )

    @staticmethod
    def notes(asked: Collection[str]) -> Iterator[str]:
        """Note that commits which return before they are durable are not commits for this layer."""
        if WRITES in asked and FLUSH not in asked:
            yield "writes that are not durable when they return (commit_wait = nowait) go past the log writer"

    def layer(self, name: str, below: Below) -> Commits:
        """The commits above ``below``."""
        return Commits(self, name, below(""))


@dataclass(frozen=True)
class Commits:
    """The log writer and its workers; ``name`` is the prefix of place names.

    Attributes:
        asked: True once there is a commit: without one there is no log writer.
    """

    kind: LogWriter
    name: str
    below: Layer
    asked: list[bool] = field(default_factory=list, compare=False)

    def path(self, io: FileIO) -> Path:
        """A transaction, if ``io`` must be durable when it returns."""
        if io.op != "write" or io.durable == "no":
            return self.below.path(io)
        return (Use(self.cpu, Exponential(self.kind.cpu)), *self.commit(_ANY_NUMBER))

    def commit(self, sessions: int) -> Path:
        """Commit of one of ``sessions``, which waits until its redo is written."""
        self.asked[:] = [True]
        post = Fork((Await(self._post),), wait=False)
        return (post, Hold(self._pool(LOG_FILE_SYNC, sessions), Await(self._commit), *self._woken))

    def background(self) -> Iterator[Closed]:
        """The log writer, which takes its workers in turn; they are branches that it starts."""
        if self.asked:
            yield Closed(self._named("log writer"), clients=1, path=self.taken_in_turn(), group="log writer")

    def taken_in_turn(self) -> Path:
        """Path of the log writer."""
        numbers = range(1, self.kind.workers + 1)
        idle = [Buffer(self._named(f"log writer {number} idle"), 1, 1) for number in numbers]
        turns = [Buffer(self._named(f"turn of log writer {number}"), 1, int(number == 1)) for number in numbers]
        each_idle = (step for worker in idle for step in (Take(worker), Put(worker)))
        all_idle = Hold(self._pool(ALL_WORKERS), *each_idle)
        path: Path = ()
        for place, (worker, turn, following) in enumerate(zip(idle, turns, turns[1:] + turns[:1], strict=True)):
            path += (
                IfAny(worker, Take(worker), Hold(self._pool(ANY_WORKER), Take(worker))),
                IfAny(self._post, (), (Gather(self._post), Wake(self._post), *self._woken)),
                Fork(self._worker(place, worker, turn, following), wait=False),
                Take(self._handed),
                Use(self.cpu, self.kind.dispatch),
                IfAny(self._commit, all_idle),
            )
        return path

    def _worker(self, number: int, idle: Buffer, turn: Buffer, following: Buffer) -> Path:
        io = FileIO("write", self.kind.write, process=number, sequential=True, durable="data")
        below = self.below.path(replace(io, aligned_bytes=self.kind.write & -self.kind.write))
        write = Hold(self._pool(LOG_WRITE, self.kind.workers), *below)
        ordering = Hold(self._pool(ORDERING, self.kind.workers), Take(turn), *self._woken)
        post_half = Use(self.cpu, PerItem(0.0, self.kind.post / 2))
        return (
            IfAny(self._post, (Gather(self._post), Wake(self._post))),  # one look serves all posts so far
            Gather(self._commit),
            Put(self._handed),
            *self._woken,
            write,
            IfAny(turn, Take(turn), ordering),
            *self._posted(Hold(self._pool(POSTING), post_half, Wake(self._commit), post_half), following, idle),
        )

    def _posted(self, post: Hold, following: Buffer, idle: Buffer) -> Path:
        """Post the sessions of a batch; then the worker is idle."""
        return (post, Put(following), Put(idle))

    @property
    def cpu(self) -> Station:
        """The cores, which sessions share with the log writer."""
        return Station(self._named("cpu"), self.kind.cores)

    @property
    def _commit(self) -> Gate:
        return Gate(self._named(COMMIT))

    @property
    def _post(self) -> Gate:
        return Gate(self._named("posts"), role="internal")

    @property
    def _handed(self) -> Buffer:
        return Buffer(self._named("handed over"), 1, role="internal")

    @property
    def _woken(self) -> Path:
        return wake_up(self.kind.wake, self.kind.wake_variation)

    def _pool(self, event: str, tokens: int = 1) -> Pool:
        return Pool(self._named(event), tokens)

    def _named(self, what: str) -> str:
        return f"{self.name} {what}".strip()


@dataclass(frozen=True)
class PostedApart(Commits):
    """Sessions are posted by a separate process, batch by batch, while workers write the next."""

    def _posted(self, post: Hold, following: Buffer, idle: Buffer) -> Path:
        """A worker is idle once it is its turn."""
        return (Put(idle), post, Put(following))
