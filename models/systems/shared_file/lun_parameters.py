"""Parameters of the DL585 and its LUN, with the arithmetic that derives them from two published rates.

With two writers the LUN is always busy, according to the author ("I'd have to look around for a LUN that can do
more than 12,633 IOps"), so that its service time is 1 / rate. With one writer, 1 / rate = host + LUN + call of dd.
"""

from __future__ import annotations

from dataclasses import dataclass

from models.parameters import guess
from models.parts.host.record import CALL
from sim.engine.units import KIB
from sim.system import derivation, parameter

_BLOG = "S2, Yes Direct I/O Means Concurrent Writes"
_BLOCK = 4 * KIB
_FC_BYTES_PER_S, _FC_LIKELY = (
    200e6,
    (180e6, 206e6),
)  # 2 Gb/s carry at most 206 MB/s of payload, not always all of it


@dataclass(frozen=True)
class _Figures:
    """Published writes/s, and assumptions."""

    one_writer: float = derivation.measured(7_410, 0.5, "direct-write-lock/1 dd(1)/writes per second")
    two_writers: float = derivation.measured(12_633, 0.5, "direct-write-lock/2 dd(1)/writes per second")
    call_s: float = derivation.assumed(CALL.value, CALL.likely)
    bytes_per_s: float = derivation.assumed(_FC_BYTES_PER_S, _FC_LIKELY)

    @property
    def lun_s(self) -> float:
        """The LUN's time for a write."""
        return 1 / self.two_writers

    def host_s(self) -> float:
        """The host's time for a write."""
        return 1 / self.one_writer - self.lun_s - self.call_s

    def service_s(self) -> float:
        """The LUN's time less the transfer."""
        return self.lun_s - _BLOCK / self.bytes_per_s


_FIGURES = _Figures()
_MOVED = derivation.moves(_FIGURES)
_HOST = derivation.outcome(_Figures.host_s, _FIGURES, _MOVED)
_SERVICE = derivation.outcome(_Figures.service_s, _FIGURES, _MOVED)


@dataclass(frozen=True)
class LunParameters:
    """Numbers of the host and the LUN; ``call_s`` is also that of the other hosts."""

    cores: float = parameter(
        8,
        "cores",
        1,
        1024,
        "assumed",
        "DL585: four sockets of two cores",
        likely=(4, 8),  # also sold with single cores
    )
    call_s: float = CALL.of("dd between two writes, which reads /dev/zero")
    host_s: float = parameter(
        _HOST.value,
        "s",
        _HOST.value / 5,
        _HOST.value * 5,
        "derived",
        f"{_BLOG}: one writer's time for a write, less dd and LUN: kernel, adapter and fabric there and back",
        _HOST.cells,
        follows=_HOST.follows,
    )
    service_s: float = parameter(
        _SERVICE.value,
        "s",
        1e-6,
        _FIGURES.lun_s,
        "derived",
        f"{_BLOG}: two writers keep the LUN busy; less the transfer of 4 KiB",
        _SERVICE.cells,
        follows=_SERVICE.follows,
    )
    bytes_per_s: float = guess(_FC_BYTES_PER_S, "bytes/s", _FC_LIKELY, "one path of 2 Gb/s Fibre Channel")
    copy_s_per_byte: float = parameter(
        1 / 815e6,
        "s/byte",
        1e-11,
        1e-7,
        "published",
        "S2, How Does ZFS and UFS Compare: one dd reads 815 MB/s from a DL585's page cache",
    )
    cluster_bytes: float = parameter(
        512 * KIB, "bytes", 4096, 1 << 26, "assumed", "largest request of Linux 2.6's block layer"
    )
    window_bytes: float = guess(
        64 * KIB * KIB,
        "bytes",
        (16 * KIB * KIB, 256 * KIB * KIB),
        "dirty pages before a writer waits; beside 8 GiB it does not matter",
    )
