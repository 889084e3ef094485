"""Parameters of the SAN system, with the arithmetic that derives some of them from published figures."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import sqrt
from typing import Any

from models.parameters import guess
from sim.engine.units import MB
from sim.system import Basis, Parameters, derivation, parameter

_BLOG = "Direct I/O blog entries, 2006-2007"

_CONTROLLERS = 4


@dataclass(frozen=True)
class _Figures:
    """Published rates, bytes/s."""

    one_stream: float = derivation.measured(815 * MB, 0.5 * MB, "cached-read/dd/1 stream")
    two_streams: float = derivation.measured(1460 * MB, 5 * MB, "cached-read/dd/2 streams")
    drive: float = derivation.measured(65 * MB, 2.5 * MB, "fc-fabric/UFS/write")

    def copy_memory_s_per_byte(self) -> float:
        """Time of a byte at a memory controller, of which there are k = 4.

        With the seconds a byte of one stream alone, and of each of two, by mean-value analysis: two - alone =
        memory² / (k x alone).
        """
        alone_s, two_s = 1 / self.one_stream, 2 / self.two_streams
        return sqrt(_CONTROLLERS * alone_s * (two_s - alone_s))

    def copy_core_s_per_byte(self) -> float:
        """Time of a byte of one stream, less its time at the memory."""
        return 1 / self.one_stream - self.copy_memory_s_per_byte()


_FIGURES = _Figures()
_MOVED = derivation.moves(_FIGURES)


def _parameter(value: float, unit: str, basis: Basis, source: str, **known: Any) -> Any:
    """A parameter with physical bounds a factor of five from its value."""
    return parameter(value, unit, value / 5, value * 5, basis, source, **known)


def _derived(how: Callable[[_Figures], float], unit: str, source: str) -> Any:
    found = derivation.outcome(how, _FIGURES, _MOVED)
    return _parameter(found.value, unit, "derived", f"{_BLOG}: {source}", cells=found.cells, follows=found.follows)


@dataclass(frozen=True)
class SANParameters:
    """Numbers of the host and the array."""

    socket_cores: float = _parameter(
        2, "cores", "published", "Sun Fire X4100 and ProLiant DL585: dual-core Opterons"
    )
    copy_memory_s_per_byte: float = _derived(
        _Figures.copy_memory_s_per_byte,
        "s/byte",
        "what a second stream adds, by mean-value analysis with a controller a socket",
    )
    copy_core_s_per_byte: float = _derived(
        _Figures.copy_core_s_per_byte,
        "s/byte",
        "one stream, less its time at the memory",
    )
    latency_s: float = parameter(
        115e-6,
        "s",
        20e-6,
        5e-3,
        "assumed",
        "there and back without the transfer, as in shared-file: 115 of 135 µs for a write of 4 KiB",
        likely=(54e-6, 0.86e-3),  # the host's part of them; what the LUN of file-copy takes
    )
    request_bytes: float = parameter(
        1 << 20,
        "bytes",
        128 << 10,
        1 << 26,
        "assumed",
        "the largest request of a host's adapter: maxphys and maxcontig of Solaris on such hosts in 2006, 1 MiB",
        likely=(512 << 10, 2 << 20),  # max_sectors of Linux 2.6: 512 KiB; some adapters take 2 MiB
    )
    array_cache_bytes: float = _parameter(
        1 << 30, "bytes", "assumed", "Sun StorEdge 3510: 1 GB of cache a controller"
    )
    array_dirty_share: float = parameter(
        0.5,
        "1",
        0.01,
        1.0,
        "assumed",
        "the part of the array's memory that may be on no drive yet",
        likely=(0.1, 0.9),  # the other half mirrors that of the second controller, or is kept for reads
    )
    array_ahead_bytes: float = guess(
        1 << 20,
        "bytes",
        (256 << 10, 4 << 20),
        "what an array fetches ahead of a stream, on each drive: some requests",
    )
    host_ahead_bytes: float = parameter(
        128 << 10,
        "bytes",
        4096,
        1 << 26,
        "assumed",
        "read-ahead of Linux 2.6 by default, as in file-copy; one such cluster is used, another fetched",
        likely=(56 << 10, 1 << 20),  # maxcontig of UFS on Solaris: 56 KiB at first, 1 MiB in 2006
    )
    drive_bytes_per_s: float = _derived(
        lambda figures: figures.drive,
        "bytes/s",
        "writes to a LUN of one drive go as fast as the drive",
    )
    dirty_share: float = parameter(
        0.5,
        "1",
        0.01,
        1.0,
        "assumed",
        "pages of the host's memory that may wait to be written",
        likely=(0.2, 0.9),  # Linux began to hold writers back at 40 %, Solaris hardly at all
    )


PARAMETERS = Parameters.of(SANParameters)
"""All parameters of the SAN system."""
