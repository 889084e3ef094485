"""Parameters of the file-copy system: host ``psfs`` (RHEL 4, a LUN) and host ``ufs`` (Solaris 10, one disk)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from models.parameters import guess
from models.parts.host.record import CALL
from models.systems.file_copy import derivations as derive
from models.systems.file_copy.derivations import Figures
from sim.engine.units import KIB
from sim.system import Parameters, derivation, parameter

_BLOG = "S2, 2006-2007"
_MIB = KIB * KIB


def _derived(derive_it: Callable[[Figures], float], unit: str, how: str) -> Any:
    """A parameter derived from published figures, with physical bounds a factor of five from its value."""
    outcome = derivation.outcome(derive_it, derive.FIGURES, derive.MOVED)
    value, cells, follows = outcome.value, outcome.cells, outcome.follows
    return parameter(value, unit, value / 5, value * 5, "derived", f"{_BLOG}: {how}", cells, follows=follows)


def _twice(value: float) -> tuple[float, float]:
    """Range from half to twice the value."""
    return value / 2, value * 2


_USER_S, _CALL_S = derive.FIGURES.user_s, derive.FIGURES.call_s()


@dataclass(frozen=True)
class FileCopyParameters:
    """Numbers of both hosts."""

    cores: float = parameter(
        4, "cores", 1, 1024, "assumed", "no source tells; one utility keeps one of them busy", likely=(2, 8)
    )
    cached_call_s: float = CALL.of("a system call without I/O, 2006 Opteron")
    psfs_user_s: float = _derived(lambda figures: figures.user_s, "s", "user time of 524,288 calls")
    psfs_call_s: float = _derived(
        Figures.call_s,
        "s",
        "system time of 4 KiB and 8 MiB calls; what does not grow with size",
    )
    psfs_io_s_per_byte: float = _derived(
        Figures.io_s_per_byte,
        "s/byte",
        "system time of 4 KiB and 8 MiB calls; what grows with size",
    )
    psfs_latency_s: float = _derived(
        Figures.latency_s,
        "s",
        "elapsed time of 4 KiB and 8 MiB calls, less processor time; what does not grow with size",
    )
    psfs_bytes_per_s: float = _derived(
        lambda figures: 1.0 / figures.lun_s_per_byte(),
        "bytes/s",
        "elapsed time of 4 KiB and 8 MiB calls, less processor time; what grows with size",
    )
    psfs_copy_s_per_byte: float = parameter(
        1.0 / derive.CACHED_READ_BYTES_PER_S,
        "s/byte",
        1e-11,
        1e-7,
        "published",
        f"{_BLOG}: one dd reads 815 MB/s from the page cache of a DL585 under PSFS",
    )
    psfs_map_s_per_byte: float = parameter(
        1.0 / derive.CACHED_READ_BYTES_PER_S,
        "s/byte",
        1e-11,
        1e-7,
        "assumed",
        "to map a page costs what to copy it does, as it does under UFS",
        likely=_twice(1.0 / derive.CACHED_READ_BYTES_PER_S),  # 2.5 to 10 µs for a fault of 4 KiB
    )
    psfs_cluster_bytes: float = parameter(
        128 * KIB, "bytes", 4096, 1 << 26, "assumed", "read-ahead of Linux 2.6 by default: 128 KiB"
    )
    # Another processor and another system: range of half to twice the value.
    ufs_user_s: float = guess(_USER_S, "s", _twice(_USER_S), "as under PSFS")
    ufs_call_s: float = guess(_CALL_S, "s", _twice(_CALL_S), "as under PSFS; calls of 1 MiB hardly show it")
    ufs_io_s_per_byte: float = _derived(
        Figures.ufs_io_s_per_byte,
        "s/byte",
        "system time of the stock cp under forcedirectio: each byte is mapped, and written directly",
    )
    ufs_page_s_per_byte: float = _derived(
        Figures.ufs_page_s_per_byte,
        "s/byte",
        "system time of read and write by 8 MiB, less their I/O: pages found or made, and the copy",
    )
    ufs_map_s_per_byte: float = _derived(
        Figures.ufs_map_s_per_byte,
        "s/byte",
        "system time of the stock cp, less that of its writes and I/O: pages made and mapped, each by a fault",
    )
    ufs_cluster_bytes: float = parameter(
        _MIB,
        "bytes",
        4096,
        1 << 26,
        "assumed",
        "newfs(1M): maxcontig is the most that a disk takes at once, 1 MiB where nothing else is known",
    )
    reposition_s: float = guess(
        derive.REPOSITION_S, "s", derive.REPOSITION_LIKELY, "a 7200 rpm disk of 2005: 8.5 ms seek, 4.2 ms rotation"
    )
    ufs_bytes_per_s: float = _derived(
        Figures.ufs_bytes_per_s,
        "bytes/s",
        "elapsed time of cp8m, less two repositions each 8 MiB",
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
        lambda figures: figures.gzip_user_s() / _MIB,
        "s/byte",
        "the share of canned gzip that is not I/O",
    )
    gzip_share: float = _derived(
        Figures.gzip_share,
        "bytes/byte",
        "what dd behind gzip saves is its writes",
    )


PARAMETERS = Parameters.of(FileCopyParameters)
"""All parameters of the file-copy system."""


@dataclass(frozen=True)
class HostParameters:
    """The parameters of one host; ``ufs`` has a disk of its own, whose latency is its arm's."""

    user_s: float
    call_s: float
    io_s_per_byte: float
    latency_s: float
    bytes_per_s: float
    page_s_per_byte: float
    map_s_per_byte: float
    cluster_bytes: float


def host_parameters(parameters: FileCopyParameters, filesystem: str) -> HostParameters:
    """The parameters of the host with ``filesystem``."""
    if filesystem == "psfs":
        return HostParameters(
            user_s=parameters.psfs_user_s,
            call_s=parameters.psfs_call_s,
            io_s_per_byte=parameters.psfs_io_s_per_byte,
            latency_s=parameters.psfs_latency_s,
            bytes_per_s=parameters.psfs_bytes_per_s,
            page_s_per_byte=parameters.psfs_copy_s_per_byte,
            map_s_per_byte=parameters.psfs_map_s_per_byte,
            cluster_bytes=parameters.psfs_cluster_bytes,
        )
    return HostParameters(
        user_s=parameters.ufs_user_s,
        call_s=parameters.ufs_call_s,
        io_s_per_byte=parameters.ufs_io_s_per_byte,
        latency_s=0.0,
        bytes_per_s=parameters.ufs_bytes_per_s,
        page_s_per_byte=parameters.ufs_page_s_per_byte,
        map_s_per_byte=parameters.ufs_map_s_per_byte,
        cluster_bytes=parameters.ufs_cluster_bytes,
    )
