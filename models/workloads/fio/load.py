"""Jobs of fio as workloads over the layers of a stack.

client (one for each request in flight of a process):
  [pause] ──> [token of the pace] ──> read ──────────────> stack ──> again
                                  or  write ─────────────> stack ──> again
                                  or  write ─> stack ──> flush ──> stack ──> again

pace of a process: a token, an interval after the last one ──> tokens, at most a second's worth

A request is one I/O, with the flush after it if there is one; it begins once it has its token. Writes to be
followed by a flush are drawn at random, where fio counts.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import ceil

from models.io import Durable, FileIO
from models.layer import Layer
from models.workloads.fio.job import Direction, Job, What
from sim import (
    Buffer,
    Choose,
    Closed,
    Exponential,
    Hold,
    InputError,
    Path,
    Pool,
    Put,
    Take,
    Workload,
)
from sim.engine.errors import shown

ROOM = 1000
"""Tokens for each client of a pool that only counts requests: none waits, and it is no bottleneck."""

CATCH_UP_S = 1.0
"""Largest lag that a process makes up (assumed; fio has no limit, but a steady state has no memory)."""


def inside(job: Job, what: What) -> Pool:
    """The pool that counts the reads, writes or flushes (sync) of ``job`` in flight."""
    return Pool(f"{job.name} [{what}]", ROOM * job.processes * job.in_flight)


def loads(jobs: Sequence[Job], top: Layer) -> list[Workload]:
    """Workloads of simultaneous ``jobs`` on the stack ``top``; each job is a group.

    Raises:
        InputError: a job ends beside others, which would then become faster.
    """
    _check_ends(jobs)
    files: dict[str, int] = {}
    workloads: list[Workload] = []
    all_of_them = [(job, number) for job in jobs for number in range(job.processes)]
    names = [
        job.file.replace("$jobnum", str(number)) if job.file else f"own [{process}]"
        for process, (job, number) in enumerate(all_of_them)
    ]
    sharers = Counter(names)
    for process, (job, number) in enumerate(all_of_them):
        file = files.setdefault(names[process], len(files))
        sharing = len(all_of_them), sharers[names[process]]
        workloads += _Process(job, number + 1, process, sharing, file, top, beside=len(jobs) > 1).workloads()
    return workloads


def _check_ends(jobs: Sequence[Job]) -> None:
    for job in jobs:
        if job.count is not None and len(jobs) > 1:
            raise InputError(
                f"job '{shown(job.name)}' ends, and others run beside it; add time_based=1 and runtime=60 to all "
                "of them, or stonewall between them"
            )


@dataclass(frozen=True)
class _Process:
    """One process of a job.

    Attributes:
        number: its number among the processes of the job, from 1.
        process, file: its number and its file's number over all jobs, for layers.
        sharing: number of all processes, and of those that share this file.
        beside: True if other jobs run beside its own.
    """

    job: Job
    number: int
    process: int
    sharing: tuple[int, int]
    file: int
    top: Layer
    beside: bool

    @property
    def name(self) -> str:
        return f"{self.job.name} {self.number}"

    def workloads(self) -> Iterator[Workload]:
        """The clients of the process, and its pace if it has one."""
        options = tuple(self._options())
        path: Path = options[0][1] if len(options) == 1 else (Choose(*options),)
        if self.job.pace:
            room = max(self.job.in_flight, ceil(self.job.pace * CATCH_UP_S))
            tokens = Buffer(f"{self.name} [pace]", room, role="throttle")
            interval_s = 1.0 / self.job.pace
            think = Exponential(interval_s) if self.job.poisson else interval_s
            yield Closed(tokens.name, clients=1, think=think, path=[Put(tokens)], group=f"{self.job.name} [pace]")
            path = (Take(tokens), *path)
        yield Closed(
            self.name,
            clients=self.job.in_flight,
            path=path,
            begins=1 if self.job.pace else 0,
            think=self.job.think_s or None,
            count=self.job.count,
            group=self.job.name,
        )

    def _options(self) -> Iterator[tuple[float, Path]]:
        """Yield the paths of an I/O, each with its probability."""
        flushed = 1.0 / self.job.sync_every if self.job.sync_every else 0.0
        for share, op, size_bytes in self.job.ios():
            path = self._timed(op, self._io(op, size_bytes))
            if op == "read" or flushed < 1.0:
                yield share * (1.0 if op == "read" else 1.0 - flushed), path
            if op == "write" and flushed:
                yield share * flushed, (*path, *self._timed("sync", self._flush()))

    def _io(self, op: Direction, size_bytes: int) -> FileIO:
        return FileIO(
            op,
            size_bytes,
            file=self.file,
            process=self.process,
            processes=self.sharing[0],
            beside=self.beside,
            sharers=self.sharing[1],
            sequential=not self.job.random,
            aligned_bytes=self.job.aligned_bytes(op),
            durable=self.job.durable if op == "write" else "no",
            synced=self._synced if op == "write" and self.job.sync_every else "no",
            appends=self.job.appends and op == "write",
            asynchronous=self.job.asynchronous,
        )

    def _flush(self) -> FileIO:
        return replace(self._io("write", 0), op="flush", sequential=False, durable=self._synced, appends=False)

    @property
    def _synced(self) -> Durable:
        return "data" if self.job.sync_data_only else "all"

    def _timed(self, what: What, io: FileIO) -> Path:
        """Path of ``io``, in a pool that measures its latency where reads and writes of a job differ."""
        path = self.top.path(io)
        return path if self.job.alike or not path else (Hold(inside(self.job, what), *path),)
