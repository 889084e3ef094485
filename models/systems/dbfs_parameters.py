"""Parameters of the DBFS system, with the arithmetic that derives them from a few published figures.

Written figures are MB/s of the quarter rack (tables 4-6), so that ``bytes / (figure * MB)`` is seconds.
"""

from __future__ import annotations

from sim.parameters import Parameter, Parameters
from sim.units import KIB, MB

_PAPER = "DBFS white paper, March 2016"
_CHUNK_BYTES = 128 * KIB


def _call_s(block_bytes: int, *figures: float) -> float:
    """Seconds a call of ``block_bytes`` at the mean of the given MB/s."""
    return block_bytes / (sum(figures) / len(figures) * MB)


# One user: what a call costs beyond 1 KiB is per byte, the rest is fixed.
_ONE_KIB_S = _call_s(KIB, 35)
_WRITE_S_PER_BYTE = (_call_s(8 * KIB, 205) - _ONE_KIB_S) / (7 * KIB)
_READ_S_PER_BYTE = (_call_s(8 * KIB, 215) - _ONE_KIB_S) / (7 * KIB)
_FIXED_S = _ONE_KIB_S - KIB * (_WRITE_S_PER_BYTE + _READ_S_PER_BYTE) / 2

# Eight users keep the channel always busy at small blocks: a request takes what the rate leaves.
_CHANNEL_1K_S = _call_s(KIB, 140)
_CHANNEL_S_PER_BYTE = (_call_s(8 * KIB, 770, 820) - _CHANNEL_1K_S) / (7 * KIB)
_DISPATCH_S = _CHANNEL_1K_S - KIB * _CHANNEL_S_PER_BYTE

# Eight users at 128 KiB are limited by what all sessions of the node share.
_MEMORY_S_PER_BYTE = _call_s(1, 935, 900)

# Eight users on each of four nodes, large blocks: the most that all nodes together reach.
_SEGMENT_S = _call_s(_CHUNK_BYTES, 3660, 3980, 3320, 3540)

# One user at 128 KiB: what the stream behind the buffer takes for one chunk.
_LATENCY_S = 20e-6
_LINK_S = _CHUNK_BYTES / 3.2e9
_DISKS_S = _CHUNK_BYTES / 1.8e9
_SHARED_S = _CHUNK_BYTES * _MEMORY_S_PER_BYTE + _SEGMENT_S + _LATENCY_S
_WRITE_CALL_S = _call_s(_CHUNK_BYTES, 405) - _SHARED_S - 2 * _LINK_S
_READ_CALL_S = _call_s(_CHUNK_BYTES, 380) - _SHARED_S - _LINK_S - _DISKS_S


_QUARTER, _HALF = "Quarter-X2-2 (1 db-node)", "Half-X2-2 (4 db node)"


def _derived(name: str, value: float, unit: str, how: str, row: str, columns: str) -> Parameter:
    """A parameter worked out from published figures; within a factor of five is physically possible."""
    cells = tuple(f"dbfs-dd/{row}/{column}" for column in columns.split())
    return Parameter(name, value, unit, value / 5, value * 5, "derived", f"{_PAPER}: {how}", cells)


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
        _derived(
            "dispatch_s",
            _DISPATCH_S,
            "s",
            "with 8 users the channel is always busy at 1 and 8 KiB; what does not grow with size",
            _QUARTER,
            "8u-1k-write 8u-1k-read 8u-8k-write 8u-8k-read",
        ),
        _derived(
            "channel_s_per_byte",
            _CHANNEL_S_PER_BYTE,
            "s/byte",
            "with 8 users the channel is always busy at 1 and 8 KiB; what grows with size",
            _QUARTER,
            "8u-1k-write 8u-1k-read 8u-8k-write 8u-8k-read",
        ),
        _derived(
            "handler_s",
            _FIXED_S - 2e-6 - _DISPATCH_S,
            "s",
            "one user at 1 KiB, less system call and channel",
            _QUARTER,
            "1u-1k-write 1u-1k-read",
        ),
        _derived(
            "copy_write_s_per_byte",
            _WRITE_S_PER_BYTE - _CHANNEL_S_PER_BYTE,
            "s/byte",
            "one user, from 1 to 8 KiB, less the channel's share",
            _QUARTER,
            "1u-1k-write 1u-8k-write",
        ),
        _derived(
            "copy_read_s_per_byte",
            _READ_S_PER_BYTE - _CHANNEL_S_PER_BYTE,
            "s/byte",
            "one user, from 1 to 8 KiB, less the channel's share",
            _QUARTER,
            "1u-1k-read 1u-8k-read",
        ),
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
        _derived(
            "memory_s_per_byte",
            _MEMORY_S_PER_BYTE,
            "s/byte",
            "8 users at 128 KiB are limited by what all sessions of a node share",
            _QUARTER,
            "8u-128k-write 8u-128k-read",
        ),
        _derived(
            "segment_s",
            _SEGMENT_S,
            "s",
            "8 users on each of four nodes at 128 KiB and 1 MiB reach what the cluster shares",
            _HALF,
            "8u-128k-write 8u-128k-read 8u-1m-write 8u-1m-read",
        ),
        Parameter(
            "latency_s", _LATENCY_S, "s", 1e-6, 1e-3, "assumed", "RDS message there and back over one switch"
        ),
        _derived(
            "session_write_s",
            _WRITE_CALL_S,
            "s",
            "one user at 128 KiB, less memory, segment, card and latency",
            _QUARTER,
            "1u-128k-write",
        ),
        _derived(
            "session_read_s",
            _READ_CALL_S,
            "s",
            "one user at 128 KiB, less memory, segment, card, latency and disks",
            _QUARTER,
            "1u-128k-read",
        ),
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
"""All parameters of the DBFS system."""
