"""Parameters of the SAN system, with the arithmetic that derives some of them from published figures."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from typing import Any

from sim.system import Basis, Parameters, parameter
from sim.units import MB

_BLOG = "Direct I/O blog entries, 2006-2007"

# Seconds a byte for one stream alone, and for each of two, on a host with k = 4 memory controllers. Mean-value
# analysis: two - alone = memory² / (k x alone).
_CONTROLLERS = 4
_ALONE_S, _TWO_S = 1 / (815 * MB), 2 / (1460 * MB)
_MEMORY_S = sqrt(_CONTROLLERS * _ALONE_S * (_TWO_S - _ALONE_S))


def _parameter(value: float, unit: str, basis: Basis, source: str, *cells: str) -> Any:
    """A parameter that may be wrong by a factor of five and still be physically possible."""
    return parameter(value, unit, value / 5, value * 5, basis, source, cells)


@dataclass(frozen=True)
class SANParameters:
    """What the host and the array are made of."""

    socket_cores: float = _parameter(
        2, "cores", "published", "Sun Fire X4100 and ProLiant DL585: dual-core Opterons"
    )
    copy_memory_s_per_byte: float = _parameter(
        _MEMORY_S,
        "s/byte",
        "derived",
        f"{_BLOG}: what a second stream adds, by mean-value analysis with a controller a socket",
        "cached-read/dd/1 stream",
        "cached-read/dd/2 streams",
    )
    copy_core_s_per_byte: float = _parameter(
        _ALONE_S - _MEMORY_S,
        "s/byte",
        "derived",
        f"{_BLOG}: one stream, less its time at the memory",
        "cached-read/dd/1 stream",
    )
    latency_s: float = _parameter(20e-6, "s", "assumed", "a command there and back over one switch")
    array_cache_bytes: float = _parameter(
        1 << 30, "bytes", "assumed", "Sun StorEdge 3510: 1 GB of cache a controller"
    )
    drive_bytes_per_s: float = _parameter(
        65 * MB,
        "bytes/s",
        "derived",
        f"{_BLOG}: writes to a LUN of one drive go as fast as the drive",
        "fc-fabric/UFS/write",
    )
    dirty_share: float = parameter(
        0.5, "1", 0.01, 1.0, "assumed", "pages of the host's memory that may wait to be written"
    )


PARAMETERS = Parameters.of(SANParameters)
"""All parameters of the SAN system."""
