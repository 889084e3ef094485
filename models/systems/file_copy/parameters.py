"""Parameters of the file-copy system, with the arithmetic that derives them from a few published figures.

Two hosts. ``psfs``: RHEL 4, PolyServe PSFS on a LUN of an array; 1 GiB copied under direct I/O with blocks of
4 KiB and of 8 MiB, so that each cost is what does not grow with the block, and what does. ``ufs``: Solaris 10,
UFS on what is taken for one disk; 1000 MiB copied by read and write of 8 MiB, and by the stock cp, which maps it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sim.system import Parameters, parameter
from sim.units import KIB

_BLOG = "S2, 2006-2007"
_MIB = KIB * KIB
_SMALL, _LARGE = 4 * KIB, 8 * _MIB

# PSFS under direct I/O: seconds of one call, as a mean of reads and writes, at 4 KiB and at 8 MiB.
_SMALL_CALLS, _LARGE_CALLS = 2 * 1024 * _MIB // _SMALL, 2 * 1024 * _MIB // _LARGE
_SMALL_SYSTEM_S, _LARGE_SYSTEM_S = 52.465 / _SMALL_CALLS, 6.883 / _LARGE_CALLS
_SMALL_ELAPSED_S, _LARGE_ELAPSED_S = 521.054 / _SMALL_CALLS, 23.947 / _LARGE_CALLS
_USER_S = 0.304 / _SMALL_CALLS
_PIN_S_PER_BYTE = (_LARGE_SYSTEM_S - _SMALL_SYSTEM_S) / (_LARGE - _SMALL)
_CALL_S = _SMALL_SYSTEM_S - _SMALL * _PIN_S_PER_BYTE
_LUN_S_PER_BYTE = (_LARGE_ELAPSED_S - _SMALL_ELAPSED_S) / (_LARGE - _SMALL) - _PIN_S_PER_BYTE
_LATENCY_S = _SMALL_ELAPSED_S - _SMALL_SYSTEM_S - _USER_S - _SMALL * _LUN_S_PER_BYTE

# gzip under direct I/O, seconds for each MiB of its input. Canned, it reads and writes in turn with its own work;
# with dd in front the reads are large, with dd behind the writes are another process's. While dd reads the next
# 8 MiB, gzip goes on with what the pipe and its own buffer hold: 96 KiB.
_CACHED_READ_BYTES_PER_S = 815e6
_PIPE_S = _MIB / _CACHED_READ_BYTES_PER_S
_OVERLAP = 96 * KIB / _LARGE


def _direct_s(block_bytes: int) -> float:
    """All direct calls of such blocks that one MiB takes."""
    call_s = _USER_S + _CALL_S + _LATENCY_S + block_bytes * (_PIN_S_PER_BYTE + _LUN_S_PER_BYTE)
    return _MIB / block_bytes * call_s


_READ_S, _WRITE_S = _direct_s(32 * KIB), _direct_s(16 * KIB)
_FRONT_S = _READ_S - _direct_s(_LARGE) - _PIPE_S
_CANNED_S = (_FRONT_S - _OVERLAP * _READ_S) / (0.16 - _OVERLAP)
_BEHIND_S = 0.20 * _CANNED_S - _FRONT_S - _OVERLAP * (_CANNED_S - _READ_S)
_GZIP_SHARE = _BEHIND_S / ((1.0 - _OVERLAP) * _WRITE_S - _PIPE_S)
_GZIP_S = _CANNED_S - _READ_S - _GZIP_SHARE * _WRITE_S

# UFS: system time of each byte by way of the page cache, mapped, and under forcedirectio.
_UFS_FILE = 1000 * _MIB
_UFS_COPY_S_PER_BYTE = 14.264 / 2 / _UFS_FILE
_UFS_MAP_S_PER_BYTE = 14.363 / _UFS_FILE - _UFS_COPY_S_PER_BYTE
_UFS_PIN_S_PER_BYTE = (10.853 - _UFS_FILE / _MIB * _CALL_S) / _UFS_FILE - _UFS_MAP_S_PER_BYTE

# The disk turns from reading to writing and back once for each 8 MiB; cp ends before its last block is on disk.
_REPOSITION_S = 8.5e-3 + 4.2e-3
_UFS_BYTES_PER_S = (2 * _UFS_FILE - _LARGE) / (116.217 - 2 * _UFS_FILE / _LARGE * _REPOSITION_S)


def _derived(value: float, unit: str, how: str, *figures: str) -> Any:
    """A parameter worked out from published figures; within a factor of five is physically possible."""
    cells = tuple(f"direct-copy/{figure}" for figure in figures)
    return parameter(value, unit, value / 5, value * 5, "derived", f"{_BLOG}: {how}", cells)


_CP, _CP8M = "/bin/cp", "/bin/cp8M"
_SOLARIS_CP, _SOLARIS_CP8M = "/usr/bin/cp", "/usr/bin/cp8m"


@dataclass(frozen=True)
class FileCopyParameters:
    """What both hosts are made of."""

    cores: float = parameter(4, "cores", 1, 1024, "assumed", "no source tells; one utility keeps one of them busy")
    cached_call_s: float = parameter(2e-6, "s", 1e-7, 2e-5, "assumed", "a system call without I/O, 2006 Opteron")
    psfs_user_s: float = _derived(_USER_S, "s", "user time of 524,288 calls", f"{_CP}/user")
    psfs_call_s: float = _derived(
        _CALL_S,
        "s",
        "system time of 4 KiB and 8 MiB calls; what does not grow with size",
        f"{_CP}/sys",
        f"{_CP8M}/sys",
    )
    psfs_pin_s_per_byte: float = _derived(
        _PIN_S_PER_BYTE,
        "s/byte",
        "system time of 4 KiB and 8 MiB calls; what grows with size",
        f"{_CP}/sys",
        f"{_CP8M}/sys",
    )
    psfs_latency_s: float = _derived(
        _LATENCY_S,
        "s",
        "elapsed time of 4 KiB and 8 MiB calls, less processor time; what does not grow with size",
        f"{_CP}/real",
        f"{_CP8M}/real",
    )
    psfs_bytes_per_s: float = _derived(
        1.0 / _LUN_S_PER_BYTE,
        "bytes/s",
        "elapsed time of 4 KiB and 8 MiB calls, less processor time; what grows with size",
        f"{_CP}/real",
        f"{_CP8M}/real",
    )
    psfs_copy_s_per_byte: float = parameter(
        1.0 / _CACHED_READ_BYTES_PER_S,
        "s/byte",
        1e-11,
        1e-7,
        "published",
        f"{_BLOG}: one dd reads 815 MB/s from the page cache of a DL585 under PSFS",
    )
    psfs_map_s_per_byte: float = parameter(
        1.0 / _CACHED_READ_BYTES_PER_S,
        "s/byte",
        1e-11,
        1e-7,
        "assumed",
        "to map a page costs what to copy it does, as it does under UFS",
    )
    psfs_cluster_bytes: float = parameter(
        128 * KIB, "bytes", 4096, 1 << 26, "assumed", "read-ahead of Linux 2.6 by default: 128 KiB"
    )
    ufs_user_s: float = parameter(_USER_S, "s", 1e-8, 1e-4, "assumed", "as under PSFS")
    ufs_call_s: float = parameter(
        _CALL_S, "s", 1e-7, 1e-3, "assumed", "as under PSFS; calls of 1 MiB hardly show it"
    )
    ufs_copy_s_per_byte: float = _derived(
        _UFS_COPY_S_PER_BYTE,
        "s/byte",
        "system time of read and write by 8 MiB: each byte is copied twice",
        f"{_SOLARIS_CP8M}/sys",
    )
    ufs_map_s_per_byte: float = _derived(
        _UFS_MAP_S_PER_BYTE,
        "s/byte",
        "system time of the stock cp: each byte is mapped, and copied once",
        f"{_SOLARIS_CP}/sys",
    )
    ufs_pin_s_per_byte: float = _derived(
        _UFS_PIN_S_PER_BYTE,
        "s/byte",
        "system time of the stock cp under forcedirectio: each byte is mapped and pinned, each MiB a call",
        "/usr/bin/cp, forcedirectio/sys",
    )
    ufs_cluster_bytes: float = parameter(
        _MIB,
        "bytes",
        4096,
        1 << 26,
        "assumed",
        "newfs(1M): maxcontig is the most that a disk takes at once, 1 MiB where nothing else is known",
    )
    reposition_s: float = parameter(
        _REPOSITION_S, "s", 1e-3, 1e-1, "assumed", "a 7200 rpm disk of 2005: 8.5 ms seek, 4.2 ms rotation"
    )
    ufs_bytes_per_s: float = _derived(
        _UFS_BYTES_PER_S,
        "bytes/s",
        "elapsed time of cp8m, less two repositions each 8 MiB",
        f"{_SOLARIS_CP8M}/real",
    )
    behind_bytes: float = parameter(
        16 * _MIB,
        "bytes",
        1 << 20,
        1 << 34,
        "published",
        "Solaris Tunable Parameters: ufs_HW, most that may be on its way to a file's disk, 16 MiB",
    )
    gzip_s_per_byte: float = _derived(
        _GZIP_S / _MIB,
        "s/byte",
        "the share of canned gzip that is not I/O",
        "dd | gzip/speedup",
        "dd | gzip | dd/speedup",
    )
    gzip_share: float = _derived(
        _GZIP_SHARE,
        "bytes/byte",
        "what dd behind gzip saves is its writes",
        "dd | gzip/speedup",
        "dd | gzip | dd/speedup",
    )


PARAMETERS = Parameters.of(FileCopyParameters)
"""All parameters of the file-copy system."""


@dataclass(frozen=True)
class HostParameters:
    """The parameters of one host; ``ufs`` lies on a disk of its own, whose latency is its arm's."""

    user_s: float
    call_s: float
    pin_s_per_byte: float
    latency_s: float
    bytes_per_s: float
    copy_s_per_byte: float
    map_s_per_byte: float
    cluster_bytes: float


def host_parameters(parameters: FileCopyParameters, filesystem: str) -> HostParameters:
    """The parameters of the host with ``filesystem``."""
    if filesystem == "psfs":
        return HostParameters(
            user_s=parameters.psfs_user_s,
            call_s=parameters.psfs_call_s,
            pin_s_per_byte=parameters.psfs_pin_s_per_byte,
            latency_s=parameters.psfs_latency_s,
            bytes_per_s=parameters.psfs_bytes_per_s,
            copy_s_per_byte=parameters.psfs_copy_s_per_byte,
            map_s_per_byte=parameters.psfs_map_s_per_byte,
            cluster_bytes=parameters.psfs_cluster_bytes,
        )
    return HostParameters(
        user_s=parameters.ufs_user_s,
        call_s=parameters.ufs_call_s,
        pin_s_per_byte=parameters.ufs_pin_s_per_byte,
        latency_s=0.0,
        bytes_per_s=parameters.ufs_bytes_per_s,
        copy_s_per_byte=parameters.ufs_copy_s_per_byte,
        map_s_per_byte=parameters.ufs_map_s_per_byte,
        cluster_bytes=parameters.ufs_cluster_bytes,
    )
