"""Parameters of the DBFS system: those of the hardware, and the priors of fitted ones.

A fitted parameter has a prior: its value here is the centre, and its bounds are two standard deviations away on
each side. Priors come from knowledge of the parts, not from the figures of several nodes, which stay a test.
"""

from __future__ import annotations

from dataclasses import dataclass

from models.io import Op
from models.parameters import prior
from models.parts.fuse.request import RequestTimes
from models.parts.host.record import CALL, SWITCH
from sim.engine.units import KIB
from sim.system import Parameters, parameter

_CHUNK_BYTES = 128 * KIB
REQUEST_COPIES = 3
"""Copies of each byte of a request: by the kernel, between caller and daemon; by the daemon; by the client."""


_QUEUE = "one lock a mount, taken several times a request by cores of two sockets, and wake-up calls: 1 to 7 µs"
_PAGE = "the lock of the mount, taken twice more for each page copied and passed between sockets: 0.2 to 1 µs each"
_HANDLER = "library, daemon and client call for one request, tens of thousands of instructions"
_COPY = "three copies by kernel, daemon and client, each at 2 to 3 GB/s on a Xeon of 2011"
_WAKE = "a thread that slept runs again: the switch takes 3.8 µs (Li, Ding and Shen, ExpCS 2007)"
_NODE = (
    "a stand-in: work of a node that it does one byte after the other; five copies would take 0.25 ns a byte, so "
    "it is something of the one mount or of the instance, which the figures cannot tell apart"
)
_SESSION = "one call of a SecureFile: parse, locate, checksum; tens of microseconds"
_CHUNK_WRITE = (
    "a stand-in: work of the whole cluster for a chunk that is written, one after the other; perhaps space of the "
    "LOB segment that passes between nodes: begins at 30 µs over InfiniBand"
)
_CHUNK_READ = (
    "a stand-in: work of the whole cluster for a chunk that is read, one after the other; reading takes no "
    "space, and no part is known that would do it. Begins where writing does"
)
_REQUEST = (
    "a stand-in: work of the whole cluster for a request and for each 8 KiB, one after the other. Begins at a "
    "small message over QDR InfiniBand, 1.5 to 2 µs, but no process is known that handles half a million a second"
)
_PIECE = (
    "of one cell to one reader: begins at half of what all twelve disks of a cell give (1.8 GB/s). Known from "
    "lone readers, 7 % faster on seven cells than on three, which also ran other software"
)


@dataclass(frozen=True)
class DBFSParameters:
    """Numbers of nodes, database and cells."""

    cores: float = parameter(
        12, "cores", 1, 1024, "published", "Exadata X2-2 data sheet: two six-core sockets a node"
    )
    daemon_threads: float = parameter(
        16, "threads", 1, 4096, "assumed", "dbfs_client's -o max_threads was left at its default", likely=(8, 32)
    )
    call_s: float = CALL.of("a system call with its page handling, 2011 Xeon")
    dispatch_s: float = prior(3e-6, "s", _QUEUE)
    page_s: float = prior(1e-6, "s", _PAGE)
    wake_s: float = SWITCH.of(_WAKE, ranged=False)
    handler_s: float = prior(15e-6, "s", _HANDLER)
    copy_write_s_per_byte: float = prior(1.2e-9, "s/byte", _COPY)
    copy_read_s_per_byte: float = prior(1.2e-9, "s/byte", _COPY)
    cluster_request_write_s: float = prior(2e-6, "s", _REQUEST)
    cluster_request_read_s: float = prior(2e-6, "s", _REQUEST)
    chunk_bytes: float = parameter(
        _CHUNK_BYTES, "bytes", 4096, 1 << 24, "assumed", "a chunk is what one FUSE request can carry"
    )
    buffer_bytes: float = parameter(
        2 * _CHUNK_BYTES,
        "bytes",
        8192,
        1 << 28,
        "assumed",
        "one chunk fills while one drains",
        likely=(2 * _CHUNK_BYTES, 4 * _CHUNK_BYTES),
    )
    node_serial_s_per_byte: float = prior(1e-9, "s/byte", _NODE)
    cluster_chunk_write_s: float = prior(30e-6, "s", _CHUNK_WRITE)
    cluster_chunk_read_s: float = prior(30e-6, "s", _CHUNK_READ)
    latency_s: float = parameter(
        20e-6, "s", 1e-6, 1e-3, "assumed", "RDS message there and back over one switch", likely=(10e-6, 40e-6)
    )
    session_write_s: float = prior(40e-6, "s", _SESSION)
    session_read_s: float = prior(40e-6, "s", _SESSION)
    piece_bytes_per_s: float = prior(0.9e9, "bytes/s", _PIECE)
    cell_cache_bytes: float = parameter(
        512 << 20, "bytes", 1 << 20, 1 << 34, "published", "X2-2 cell: 512 MB controller cache"
    )


PARAMETERS = Parameters.of(DBFSParameters)
"""All parameters of the DBFS system, before a fit."""


@dataclass(frozen=True)
class ByOperation:
    """Times that differ between reads and writes."""

    request: RequestTimes
    cluster_s: float
    chunk_s: float
    session_s: float

    @property
    def copy_s_per_byte(self) -> float:
        """One copy of a byte between kernel and process."""
        return self.request.copy_s_per_byte / REQUEST_COPIES


def by_operation(parameters: DBFSParameters, op: Op) -> ByOperation:
    """The times of ``op``."""
    if op == "read":
        return ByOperation(
            _request(parameters, parameters.copy_read_s_per_byte),
            parameters.cluster_request_read_s,
            parameters.cluster_chunk_read_s,
            parameters.session_read_s,
        )
    return ByOperation(
        _request(parameters, parameters.copy_write_s_per_byte),
        parameters.cluster_request_write_s,
        parameters.cluster_chunk_write_s,
        parameters.session_write_s,
    )


def _request(parameters: DBFSParameters, copy_s_per_byte: float) -> RequestTimes:
    return RequestTimes(
        queue_s=parameters.dispatch_s,
        page_s=parameters.page_s,
        handler_s=parameters.handler_s,
        copy_s_per_byte=copy_s_per_byte,
        wake_s=parameters.wake_s,
        varies=True,
    )
