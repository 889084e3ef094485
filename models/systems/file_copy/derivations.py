"""How the parameters of the file-copy system follow from published figures.

PSFS under direct I/O: 1 GiB was copied by calls of 4 KiB (small) and of 8 MiB (large), so that the time of a call
divides into a part that grows with its size and a part that does not. UFS: 1000 MiB were copied by read and write
of 8 MiB, and by the stock cp, which maps the source.
"""

from __future__ import annotations

from sim.units import KIB

MIB = KIB * KIB
SMALL, LARGE = 4 * KIB, 8 * MIB
SMALL_CALLS, LARGE_CALLS = 2 * 1024 * MIB // SMALL, 2 * 1024 * MIB // LARGE

# Seconds of one call, the mean of a read and a write.
SMALL_SYSTEM_S, LARGE_SYSTEM_S = 52.465 / SMALL_CALLS, 6.883 / LARGE_CALLS
SMALL_ELAPSED_S, LARGE_ELAPSED_S = 521.054 / SMALL_CALLS, 23.947 / LARGE_CALLS
USER_S = 0.304 / SMALL_CALLS

CACHED_READ_BYTES_PER_S = 815e6
FRONT_SPEEDUP, BOTH_SPEEDUP = 0.16, 0.20
"""Shares of the elapsed time of gzip that a dd before it saves, and that a dd on both sides saves."""

OVERLAP = 96 * KIB / LARGE
"""Share of its work that gzip does while dd reads the next 8 MiB: what the pipe and its own buffer hold."""

UFS_BYTES = 1000 * MIB
UFS_COPY_SYSTEM_S, UFS_MAP_SYSTEM_S, UFS_DIRECT_SYSTEM_S = 14.264, 14.363, 10.853
UFS_ELAPSED_S = 116.217
REPOSITION_S = 8.5e-3 + 4.2e-3


def pin_s_per_byte() -> float:
    """System time of a byte: system(large) - system(small) = pin x (large - small)."""
    return (LARGE_SYSTEM_S - SMALL_SYSTEM_S) / (LARGE - SMALL)


def call_s() -> float:
    """System time of a call: system(small) = call + small x pin."""
    return SMALL_SYSTEM_S - SMALL * pin_s_per_byte()


def lun_s_per_byte() -> float:
    """Time of a byte at the LUN: elapsed(large) - elapsed(small) = (pin + lun) x (large - small)."""
    return (LARGE_ELAPSED_S - SMALL_ELAPSED_S) / (LARGE - SMALL) - pin_s_per_byte()


def latency_s() -> float:
    """Latency of the LUN: elapsed(small) = system(small) + user + latency + small x lun."""
    return SMALL_ELAPSED_S - SMALL_SYSTEM_S - USER_S - SMALL * lun_s_per_byte()


def direct_s(block_bytes: int) -> float:
    """All direct calls of ``block_bytes`` for one MiB: calls x (user + call + latency + block x (pin + lun))."""
    one_s = USER_S + call_s() + latency_s() + block_bytes * (pin_s_per_byte() + lun_s_per_byte())
    return MIB / block_bytes * one_s


READ_S, WRITE_S = direct_s(32 * KIB), direct_s(16 * KIB)
"""Reads and writes of gzip, for one MiB."""

PIPE_S = MIB / CACHED_READ_BYTES_PER_S
"""Copy of one MiB through a pipe."""


def front_s() -> float:
    """Seconds for each MiB of input that a dd before gzip saves in calls: read - read in large calls - pipe."""
    return READ_S - direct_s(LARGE) - PIPE_S


def gzip_elapsed_s() -> float:
    """Gzip alone, for each MiB of input: 0.16 x gzip = front + overlap x (gzip - read)."""
    return (front_s() - OVERLAP * READ_S) / (FRONT_SPEEDUP - OVERLAP)


def behind_s() -> float:
    """Seconds that a dd behind gzip saves: 0.20 x gzip = front + overlap x (gzip - read) + behind."""
    alone_s = gzip_elapsed_s()
    return BOTH_SPEEDUP * alone_s - front_s() - OVERLAP * (alone_s - READ_S)


def gzip_share() -> float:
    """Compressed bytes for each byte read: behind = share x ((1 - overlap) x write - pipe)."""
    return behind_s() / ((1.0 - OVERLAP) * WRITE_S - PIPE_S)


def gzip_user_s() -> float:
    """User time of gzip for each MiB of input: gzip = read + user + share x write."""
    return gzip_elapsed_s() - READ_S - gzip_share() * WRITE_S


def ufs_copy_s_per_byte() -> float:
    """System time of a byte through the page cache: read and write copy each byte twice."""
    return UFS_COPY_SYSTEM_S / 2 / UFS_BYTES


def ufs_map_s_per_byte() -> float:
    """System time of a mapped byte: the stock cp maps and copies each byte once."""
    return UFS_MAP_SYSTEM_S / UFS_BYTES - ufs_copy_s_per_byte()


def ufs_pin_s_per_byte() -> float:
    """System time of a byte under forcedirectio: the stock cp maps and pins each byte, in calls of 1 MiB."""
    return (UFS_DIRECT_SYSTEM_S - UFS_BYTES / MIB * call_s()) / UFS_BYTES - ufs_map_s_per_byte()


def ufs_bytes_per_s() -> float:
    """Bandwidth of the disk: elapsed = bytes / bandwidth + two repositions for each 8 MiB.

    The disk turns from reading to writing and back once a block; cp ends before its last block is on disk.
    """
    return (2 * UFS_BYTES - LARGE) / (UFS_ELAPSED_S - 2 * UFS_BYTES / LARGE * REPOSITION_S)
