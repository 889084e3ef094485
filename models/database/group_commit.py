"""Group commit: sessions that commit, a log writer that gathers their commits, and its workers, which write them.

    session     its work ──> post the log writer ──> await [commit] ──> wake up ──> again

    log writer  take an idle worker ──> wait for a post, wake up ──> hand the worker all commits that wait
                ──> [cpu] ──> commits came meanwhile: wait until all workers are idle: the next batch is large

    worker      gather [commit] ──> wake up ──> write, below ──> wait for its turn, wake up
                ──> [cpu] post the sessions of the batch, one after the other ──> give the turn on ──> idle

Batches are posted in the order in which they were gathered: whose write overtakes an earlier one waits for its
turn. So the workers become idle in turn, and the log writer takes them in turn. Who waits to be posted sleeps, and
takes a while to run again; the log writer does not sleep while it waits for its workers.
"""

from __future__ import annotations

from dataclasses import dataclass

from models.io import IO
from models.layer import Layer
from sim import (
    Await,
    Buffer,
    Closed,
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

LOG_FILE_SYNC, LOG_WRITE = "log file sync", "log file parallel write"
ANY_WORKER, ALL_WORKERS, ORDERING = (
    "LGWR any worker group",
    "LGWR all worker groups",
    "LGWR worker group ordering",
)
"""Wait events of the database: each is a pool, of which a waiting process holds a token."""

POSTING = "posting of sessions"
"""What one worker does at a time: sessions are posted in the order of their commits."""

COMMIT = Gate("commit")
_POST, _HANDED = Gate("posts"), Buffer("handed over", 1)


@dataclass(frozen=True)
class GroupCommit:
    """The log writer and its workers.

    Attributes:
        writers: number of workers, and so of log writes at once.
        commit_bytes: redo of one commit.
        dispatch_s: CPU time of the log writer for a batch, once the worker has it.
        post_s: CPU time of a worker to post one session; the mean session of a batch waits for half of them.
        wake_up: a process that slept runs again.
    """

    cpu: Station
    writers: int
    commit_bytes: int
    dispatch_s: float
    post_s: float
    wake_up: Path
    below: Layer

    def session(self, name: str, clients: int, work: Path, *, group: str) -> Closed:
        """``clients`` sessions, each: ``work``, commit, again."""
        post = Fork((Await(_POST),), wait=False)
        sync = Hold(Pool(LOG_FILE_SYNC, clients), Await(COMMIT), *self.wake_up)
        return Closed(name, clients=clients, path=(*work, post, sync), group=group)

    def log_writer(self, name: str, *, group: str) -> Closed:
        """The log writer, which takes its workers in turn; they are branches that it starts."""
        idle = [Buffer(f"log writer {number} idle", 1, 1) for number in range(1, self.writers + 1)]
        turns = [
            Buffer(f"turn of log writer {number}", 1, int(number == 1)) for number in range(1, self.writers + 1)
        ]
        each_idle = (step for worker in idle for step in (Take(worker), Put(worker)))
        all_idle = Hold(Pool(ALL_WORKERS), *each_idle)
        path: Path = ()
        for worker, turn, following in zip(idle, turns, turns[1:] + turns[:1], strict=True):
            path += (
                IfAny(worker, Take(worker), Hold(Pool(ANY_WORKER), Take(worker))),
                IfAny(_POST, (), (Gather(_POST), Wake(_POST), *self.wake_up)),
                Fork(self._worker(worker, turn, following), wait=False),
                Take(_HANDED),
                Use(self.cpu, self.dispatch_s),
                IfAny(COMMIT, all_idle),
            )
        return Closed(name, clients=1, path=path, group=group)

    def _worker(self, idle: Buffer, turn: Buffer, following: Buffer) -> Path:
        write = Hold(Pool(LOG_WRITE, self.writers), *self.below.path(IO("write", self.commit_bytes)))
        ordering = Hold(Pool(ORDERING, self.writers), Take(turn), *self.wake_up)
        post_half = Use(self.cpu, PerItem(0.0, self.post_s / 2))
        return (
            IfAny(_POST, (Gather(_POST), Wake(_POST))),  # one look at the commits serves all posts so far
            Gather(COMMIT),
            Put(_HANDED),
            *self.wake_up,
            write,
            IfAny(turn, Take(turn), ordering),
            Hold(Pool(POSTING), post_half, Wake(COMMIT), post_half),
            Put(following),
            Put(idle),
        )
