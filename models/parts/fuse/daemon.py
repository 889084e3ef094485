"""FUSE: the kernel hands each request to a daemon in user space, and copies the bytes beside the queue.

call ──> writes and flushes hold the [inode]; a write asks for attributes first, if the daemon keeps any
            └─> requests, one after the other, on the queue of the mount or of the caller's core
                   ├─ [cores]  copy between caller and page cache, without direct_io
                   └─ a request ──> below

reads in sequence, without direct_io:  [read ahead] the next window is fetched while the caller reads this one
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace

from models.io import FileIO
from models.layer import FileLayer
from models.parts.fuse.request import FuseRequests, RequestTimes
from models.parts.host.asleep import handed_over
from models.parts.host.host import copied_at, copies_of_host, of_host, woken
from models.parts.host.memory import CopyingCores
from models.parts.page_cache.read_ahead import ReadAhead, cut
from sim import Hold, Lock, Path, Pool, Station
from sim.engine.units import KIB
from sim.system import choice, count, flag, size
from sim.system.quantities import duration
from sim.system.stack.kinds import DIRECT, PAGE_CACHE, Below

PAGE_BYTES = 4 * KIB


@dataclass(frozen=True)
class Fuse:
    """A FUSE mount and its daemon, which forwards each request to the layer below."""

    resizes = True  # reads of whole pages
    direct_io: bool = flag("the daemon turned the page cache off", default=False)
    max_write: int = size(
        KIB * KIB,
        "largest request: 1 MiB since libfuse 3.6 and Linux 4.20, 128 KiB before, 4 KiB for "
        "writes in libfuse 2 without big_writes",
        low=PAGE_BYTES,
    )
    read_ahead: int = size(128 * KIB, "window of the page cache; VM_READAHEAD_PAGES of Linux", low=PAGE_BYTES)
    parallel_direct_writes: bool = flag(
        "direct writes of a file share its lock (FOPEN_PARALLEL_DIRECT_WRITES, Linux 6.2)", default=False
    )
    attributes: bool = flag(
        "the daemon keeps extended attributes and lacks FUSE_HANDLE_KILLPRIV: one more request before each write",
        default=False,
    )
    syncs: str = choice(
        "unless direct_io",
        "whether a durable write ends with a sync request (FSYNC); always: callers open with "
        "O_DIRECT and the mount keeps pages",
        ("unless direct_io", "always"),
    )
    queues: str = choice(
        "one",
        "one queue for the mount, or one with a thread for each core (FUSE over io_uring, Linux 6.14)",
        ("one", "each core"),
    )
    threads: int = count(10, "threads of the daemon; max_threads of libfuse 3.12", high=100_000)
    cores: int = count(4, "cores of daemon and callers; assumed", high=4096)
    queue: float = duration(2e-6, "time for which a request keeps its queue; assumed")
    handler: float = duration(5e-6, "core time of a request: two system calls and the daemon's code; assumed")
    copy: float | None = copies_of_host("bytes a second that one core copies")
    wake: float | None = of_host("wake-up of a thread that slept")

    def gives(self, _written: Collection[str]) -> tuple[str, ...]:
        """A page cache, or what takes its place for every file if the daemon asked for none.

        Where ``direct_io`` stands for callers that open with O_DIRECT, the mount keeps pages, which are not here.
        """
        return () if self.direct_io and self.syncs == "always" else (PAGE_CACHE,)

    def notes(self, asked: Mapping[str, str]) -> Iterator[str]:
        """Note that the mount decides, not the flags of an open file."""
        if DIRECT in asked and not self.direct_io:
            yield f"{asked[DIRECT]}: no effect, as the mount keeps pages (direct_io is off)"

    def layer(self, name: str, below: Below) -> FileLayer:
        """The mount; the daemon reads and writes below."""
        return FuseDaemon(self, name, below(""))


@dataclass(frozen=True)
class FuseDaemon:
    """One mount with its daemon; places are named after ``name``."""

    kind: Fuse
    name: str
    below: FileLayer

    def path(self, io: FileIO) -> Path:
        """Steps of all requests of one call."""
        if io.op == "read":
            return self._read(io)
        whole = self._request(io) if io.op == "flush" else self._write(io)
        inode = Lock(f"{self.name} inode {io.file}")
        if io.op == "write" and self.kind.direct_io and self.kind.parallel_direct_writes and not io.appends:
            return (Hold(inode.shared, *whole),)
        return (handed_over(inode, self._woken(io), *whole),)

    def _write(self, io: FileIO) -> Path:
        """Steps of all requests of a write; ``file_remove_privs`` of Linux asks for attributes once a call.

        A write that is to be durable is followed by a flush (``generic_write_sync``).
        """
        requests = self._requests(io)
        asked = requests.waited_for(requests.served()) if self.kind.attributes else ()
        written = cut(io, self.kind.max_write, self._written)
        if io.durable == "no" or (self.kind.direct_io and self.kind.syncs != "always"):
            return (*asked, *written)
        return (*asked, *written, *self._request(replace(io, op="flush", size_bytes=0, synced=io.durable)))

    def _written(self, io: FileIO) -> Path:
        return self._request(io) if self.kind.direct_io else (*self._copied(io), *self._request(io))

    def _read(self, io: FileIO) -> Path:
        if self.kind.direct_io:
            return cut(io, self.kind.max_write, self._request)
        if io.sequential:
            ahead = ReadAhead(self.name, self.kind.read_ahead, self._served, self._copied, self._woken(io))
            return ahead.path(io)
        whole_pages = io.piece(-(-io.size_bytes // PAGE_BYTES) * PAGE_BYTES)
        return (*cut(whole_pages, self.kind.read_ahead, self._request), *self._copied(io))

    def _request(self, io: FileIO) -> Path:
        """Steps of one request; the caller sleeps until it is answered."""
        return self._requests(io).waited_for(self._served(io))

    def _served(self, io: FileIO) -> Path:
        """One request, from the queue to the reply."""
        return self._requests(io).moved(io.op, io.size_bytes, self.below.path(io))

    def _copied(self, io: FileIO) -> Path:
        """Copy all bytes of ``io`` once."""
        return self._requests(io).copied(io.size_bytes)

    def _requests(self, io: FileIO) -> FuseRequests:
        """Requests on the queue of the caller's core."""
        kind, core = self.kind, io.process % self.kind.cores
        own = "" if kind.queues == "one" else f" {core}"
        return FuseRequests(
            RequestTimes(kind.queue, kind.handler, 1.0 / copied_at(kind.copy, io), 0.0),
            threads=Pool(f"{self.name} threads{own}", 1 if own else kind.threads),
            queue=Station(f"{self.name} queue{own}"),
            cores=self._cores(io),
            wake=self._woken(io),
        )

    def _woken(self, io: FileIO) -> Path:
        """Wake the caller or the daemon."""
        return woken(self.kind.wake, io, self._cores(io))

    def _cores(self, io: FileIO) -> CopyingCores:
        return CopyingCores.of(f"{self.name} cores", self.kind.cores, io)
