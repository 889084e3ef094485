"""Parameters of the DBFS system: what is known of the hardware, and the priors of what is fitted.

A fitted parameter has a prior: its value here is the middle, its bounds are two standard deviations away on
each side. Priors come from what is known of the parts, not from the figures of several nodes: these stay a test.
"""

from __future__ import annotations

from sim.system import Parameter, Parameters
from sim.units import KIB

_CHUNK_BYTES = 128 * KIB
_FACTOR = 4.0
"""From the middle of a prior to its bounds."""


def _prior(name: str, value: float, unit: str, why: str) -> Parameter:
    return Parameter(name, value, unit, value / _FACTOR, value * _FACTOR, "fitted", why)


_CHANNEL = "waking a daemon through /dev/fuse: two context switches of a few microseconds"
_COPY_IN = "one copy within the channel, at 2 to 3 GB/s on a Xeon of 2011"
_HANDLER = "library, daemon and client call for one request, tens of thousands of instructions"
_COPY = "two copies by the daemon and the client, each at 2 to 3 GB/s"
_MEMORY = "five copies of each byte between page, daemon, client, server and driver, at 5 GB/s for the node"
_SESSION = "one call of a SecureFile: parse, locate, checksum; tens of microseconds"
_SEGMENT = "one block of space or inode passes between nodes: about 30 µs over InfiniBand"
_MESSAGE = "a small message over QDR InfiniBand, 1.5 to 2 µs, handled one at a time"
_STREAM = "half of what all twelve disks of a cell give together (1.8 GB/s)"

PARAMETERS = Parameters(
    (
        Parameter(
            "cores", 12, "cores", 1, 1024, "published", "Exadata X2-2 data sheet: two six-core sockets a node"
        ),
        Parameter(
            "daemon_threads",
            16,
            "threads",
            1,
            4096,
            "assumed",
            "dbfs_client's -o max_threads was left at its default",
        ),
        Parameter("call_s", 2e-6, "s", 1e-7, 2e-5, "assumed", "a system call with its page handling, 2011 Xeon"),
        _prior("dispatch_s", 7e-6, "s", _CHANNEL),
        _prior("channel_write_s_per_byte", 0.4e-9, "s/byte", _COPY_IN),
        _prior("channel_read_s_per_byte", 0.4e-9, "s/byte", _COPY_IN),
        _prior("handler_s", 15e-6, "s", _HANDLER),
        _prior("copy_write_s_per_byte", 0.8e-9, "s/byte", _COPY),
        _prior("copy_read_s_per_byte", 0.8e-9, "s/byte", _COPY),
        _prior("message_write_s", 2e-6, "s", _MESSAGE),
        _prior("message_read_s", 2e-6, "s", _MESSAGE),
        Parameter(
            "chunk_bytes",
            _CHUNK_BYTES,
            "bytes",
            4096,
            1 << 24,
            "assumed",
            "a chunk is what one FUSE request can carry",
        ),
        Parameter(
            "buffer_bytes",
            2 * _CHUNK_BYTES,
            "bytes",
            8192,
            1 << 28,
            "assumed",
            "one chunk fills while one drains",
        ),
        _prior("memory_s_per_byte", 1e-9, "s/byte", _MEMORY),
        _prior("segment_write_s", 30e-6, "s", _SEGMENT),
        _prior("segment_read_s", 30e-6, "s", _SEGMENT),
        Parameter("latency_s", 20e-6, "s", 1e-6, 1e-3, "assumed", "RDS message there and back over one switch"),
        _prior("session_write_s", 40e-6, "s", _SESSION),
        _prior("session_read_s", 40e-6, "s", _SESSION),
        _prior("cell_stream_bytes_per_s", 0.9e9, "bytes/s", _STREAM),
        Parameter(
            "cell_cache_bytes",
            512 << 20,
            "bytes",
            1 << 20,
            1 << 34,
            "published",
            "X2-2 cell: 512 MB controller cache",
        ),
    )
)
"""All parameters of the DBFS system, as a fit begins with them."""
