"""Jobs in terms of the plain load of a stack, so that an answer can mark loads that were never measured."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from models.io import Durable
from models.workloads.fio.job import Job
from sim.engine.units import size_text
from sim.system.stack.kinds import DIRECT, FLUSH, IO_URING, PAGE_CACHE, WRITES, Said

BOTH = "mixed"
"""Operation of the plain load for reads and writes in one load."""


def asks(jobs: Iterable[Job]) -> dict[str, str]:
    """Features that ``jobs`` request from layers besides reads, each with the file's text for it."""
    asked: dict[str, str] = {}
    for job in jobs:
        if job.engine == "io_uring":
            asked[IO_URING] = f"ioengine=io_uring of job '{job.name}'"
        if job.reads < 1.0:
            asked[WRITES] = f"{100 * (1.0 - job.reads):.0f}% of job '{job.name}' writes"
            if job.durable != "no":
                asked[FLUSH] = f"sync={'sync' if job.durable == 'all' else 'dsync'} of job '{job.name}'"
            for option, every in _flushes(job):
                asked[FLUSH] = f"{option}={every} of job '{job.name}'"
        if job.direct:
            asked[DIRECT] = f"direct=1 of job '{job.name}'"
        elif job.reads or not (job.sync_every == 1 or job.durable != "no"):  # else each write reaches the device
            asked[PAGE_CACHE] = f"direct=0 of job '{job.name}' (what fio does unless told)"
    return asked


def said(jobs: Sequence[Job]) -> dict[str, Said]:
    """Values by field of the plain load, and properties without a field, by name; defaults are left out."""
    sizes = [size for job in jobs for _, _, size in job.ios()]
    found = {
        "clients": _one([sum(job.processes for job in jobs)]),
        "depth": _one(job.in_flight for job in jobs),
        "block": _one(sizes, size_text),
        "op": _one(_op(job) for job in jobs),
    }
    if any(_op(job) == BOTH for job in jobs):
        found["read_share"] = _one((job.reads for job in jobs), "{:g}".format)
    if any(job.think_s for job in jobs):
        found["think"] = _one((job.think_s for job in jobs), lambda think_s: f"{1e6 * think_s:g}us")
    if sum(job.processes for job in jobs) > 1:
        found["files"] = _one(job.sharing for job in jobs) if len(jobs) == 1 else _files(jobs)
    writers = [job for job in jobs if job.reads < 1.0]
    if writers:
        found["durable"] = _one(map(_durable, writers))
    found["order"] = _one("random" if job.random else "sequential" for job in jobs)
    return found | dict(_beyond(jobs, writers))


def _beyond(jobs: Sequence[Job], writers: Sequence[Job]) -> Iterator[tuple[str, Said]]:
    """Yield properties that the plain load has no field for."""
    for option in ("fsync", "fdatasync"):
        every = [dict(_flushes(job)).get(option, 0) for job in writers if job.sync_every > 1]
        if any(every):
            yield option, _one(every, otherwise="none")
    if any(job.pace for job in jobs):
        yield "pace", _one((job.pace for job in jobs), lambda pace: f"{pace:g}/s", otherwise="none")
    if any(job.appends for job in writers):
        yield "file_append", _one((int(job.appends) for job in writers), otherwise="0")


def _durable(job: Job) -> Durable:
    """Durability after each write: a flush after each write counts like a durable write."""
    if job.sync_every != 1 or job.durable == "all":
        return job.durable
    return "data" if job.sync_data_only else "all"


def _flushes(job: Job) -> Iterator[tuple[str, int]]:
    """The flush call and its number of writes, if there is one."""
    if job.sync_every:
        yield "fdatasync" if job.sync_data_only else "fsync", job.sync_every


def _op(job: Job) -> str:
    return {1.0: "read", 0.0: "write"}.get(job.reads, BOTH)


def _files(jobs: Sequence[Job]) -> Said:
    """File sharing: one file for all processes of several jobs, or one for each."""
    names = {job.file for job in jobs}
    if len(names) > 1 or any(job.sharing != "shared" for job in jobs if job.file):
        return Said(None, "some shared")
    return _one(["shared" if names != {None} else "each"])


def _one(values: Iterable[Any], text: Callable[[Any], str] = str, otherwise: str = "") -> Said:
    """The value if there is only one; else all of them as text."""
    each = list(dict.fromkeys(values))
    return Said(each[0] if len(each) == 1 else None, ", ".join(map(text, each)), otherwise)
