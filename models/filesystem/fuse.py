"""A FUSE mount: the kernel hands each request to a daemon in user space through one channel.

call ──> pieces of at most 128 KiB, one after the other
            └─> hold a daemon thread
                   ├─ [channel]  serialized per mount: queue, wake up, copy in part
                   ├─ [cpu]      the daemon's handler, and the rest of the copying
                   └─ below

Requests about names and attributes go the same way and carry no data.
"""

from __future__ import annotations

from dataclasses import dataclass

from models.io import IO
from models.layer import Layer
from models.paths import maybe
from sim import Exponential, Hold, Path, Pool, Repeat, Station, Step, Use

DIRECT_REQUEST_BYTES = 128 * 1024
"""The most that one request carries under direct_io (white paper on DBFS, known issue "High SYS mode CPU")."""

PAGE_BYTES, HEADER_BYTES = 4096, 64
"""A request without direct_io: one page and its header (the same known issue)."""


@dataclass(frozen=True)
class FuseMount:
    """One mount with its daemon.

    Attributes:
        channel: one server: the requests of a mount pass it one at a time.
        threads: the daemon's pool; a request keeps one from dispatch to reply.
        cpu: the cores of the node.
        dispatch_s, channel_s_per_byte: mean time in the channel. Waking a sleeping thread varies widely,
            so the time is exponential.
        handler_s, copy_s_per_byte: time on a core.
        direct_io: mounted with ``-o direct_io``: no page cache, large requests.
    """

    channel: Station
    threads: Pool
    cpu: Station
    dispatch_s: float
    channel_s_per_byte: float
    handler_s: float
    copy_s_per_byte: float
    direct_io: bool
    below: Layer

    def path(self, io: IO) -> Path:
        """All requests of one call, one after the other."""
        if self.direct_io:
            return self._requests(io, DIRECT_REQUEST_BYTES)
        if io.op == "read" and io.size_bytes < PAGE_BYTES:
            # The page stays in the page cache: only one small read in several has to fetch it.
            share = io.size_bytes / PAGE_BYTES
            return (maybe(share, *self._requests(IO("read", PAGE_BYTES), PAGE_BYTES)),)
        return self._requests(io, PAGE_BYTES)

    def request(self, *served: Step) -> Step:
        """One request about a name or attributes, which the daemon serves by the steps ``served``."""
        return Hold(
            self.threads, Use(self.channel, Exponential(self.dispatch_s)), Use(self.cpu, self.handler_s), *served
        )

    def _requests(self, io: IO, max_bytes: int) -> Path:
        return tuple(self._repeated(times, piece) for times, piece in io.split(max_bytes))

    def _repeated(self, times: int, piece: IO) -> Step:
        request = self._request(piece)
        return request if times == 1 else Repeat(times, request)

    def _request(self, piece: IO) -> Step:
        carried_bytes = piece.size_bytes + (0 if self.direct_io else HEADER_BYTES)
        return Hold(
            self.threads,
            Use(self.channel, Exponential(self.dispatch_s + carried_bytes * self.channel_s_per_byte)),
            Use(self.cpu, self.handler_s + carried_bytes * self.copy_s_per_byte),
            *self.below.path(piece),
        )
