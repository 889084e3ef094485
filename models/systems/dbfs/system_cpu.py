"""System time of moving bytes through a DBFS mount: calls, the queue of the mount, copies by the kernel.

The paper reports it ("High 'SYS' mode CPU usage"): small requests cost more of it, and a mount without direct_io
makes small ones. It follows from the number of requests alone, without queueing. Context switches and lock waits
are not included.
"""

from __future__ import annotations

from models.io import IO
from models.parts.fuse.mount import HEADER_BYTES, PAGE_BYTES, REQUEST_BYTES
from models.systems.dbfs.dd_parameters import ByOperation


def system_s(io: IO, call_s: float, costs: ByOperation, *, direct_io: bool) -> float:
    """System time of one call that moves ``io``, seconds of a core."""
    copies = 1 if direct_io else 2  # a page is copied twice: to or from the daemon, to or from the caller
    queued_s = _direct_s(io, costs) if direct_io else _paged_s(io, costs)
    return call_s + queued_s + copies * io.size_bytes * costs.copy_s_per_byte


def _direct_s(io: IO, costs: ByOperation) -> float:
    """Time in the queue for the requests of one call."""
    return sum(times * costs.request.queued_s(piece.size_bytes) for times, piece in io.split(REQUEST_BYTES))


def _paged_s(io: IO, costs: ByOperation) -> float:
    """Time in the queue through the page cache: writes go page by page, reads are part of a window."""
    if io.op == "read":
        window_s = costs.request.queued_s(REQUEST_BYTES + HEADER_BYTES)
        return io.size_bytes / REQUEST_BYTES * window_s
    return sum(
        times * costs.request.queued_s(piece.size_bytes + HEADER_BYTES) for times, piece in io.split(PAGE_BYTES)
    )
