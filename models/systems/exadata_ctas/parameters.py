"""Parameters of the Exadata V1 system, with the arithmetic that derives some of them from published figures.

Nothing about storage is fitted: disks, card and the largest I/O are published. Derived are the times on the
cores, from counts of the database and of vmstat, and the time of the coordinator alone.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from sim.system import Basis, Parameters, derivation, parameter
from sim.system.derivation import measured, rounded

_BLOG = "Cached Ext3 against Exadata, 2009"
_CORES = 8
_BLOCK_BYTES = 16384
_EXT3_BYTES, _EXADATA_BYTES = 12_143_325 * _BLOCK_BYTES, 12_142_160 * _BLOCK_BYTES
_IO_BYTES = 1 << 20
_SLAVES, _STATEMENTS = 16, 10


@dataclass(frozen=True)
class _Figures:
    """Seconds, shares of all cores in per cent, and waits: with the table in memory (ext3), and in the cells.

    All figures of a side are of one run, so only their rounding varies between them; run-to-run variation scales
    all of them by ``pace``.
    """

    ext3_pace: float = measured(1.0, 0.0)
    exadata_pace: float = measured(1.0, 0.0)
    ext3_elapsed: float = rounded(307, 0.5, "exadata-v1/completion time/Ext3")
    exadata_elapsed: float = rounded(320, 0.5, "exadata-v1/completion time/Exadata")
    ext3_user: float = rounded(64.8, 0.5, "exadata-v1/vmstat/Ext3 user")
    ext3_system: float = rounded(16.2, 0.5, "exadata-v1/vmstat/Ext3 system")
    exadata_user: float = rounded(51.7, 0.5, "exadata-v1/vmstat/Exadata user")
    exadata_system: float = rounded(7.4, 0.5, "exadata-v1/vmstat/Exadata system")
    ext3_cpu: float = rounded(1682, 0.5, "exadata-v1/DB CPU/Ext3 time")
    exadata_cpu: float = rounded(1462, 0.5, "exadata-v1/DB CPU/Exadata time")
    ext3_write: float = rounded(3078, 0.5, "exadata-v1/direct path write/Ext3 time")
    ext3_write_share: float = rounded(0.641, 0.0005, "exadata-v1/direct path write/Ext3 share")
    ext3_writes: float = measured(328_726, 0.5, "exadata-v1/direct path write/Ext3 waits")
    exadata_writes: float = measured(365_950, 0.5, "exadata-v1/direct path write/Exadata waits")
    exadata_scans: float = measured(238_027, 0.5, "exadata-v1/cell smart table scan/Exadata waits")

    def _ext3(self, percent: float) -> float:
        """Core seconds for a byte of the table, from a share of all cores."""
        return self.ext3_pace * (percent / 100 * _CORES * self.ext3_elapsed / _EXT3_BYTES)

    def _exadata(self, percent: float) -> float:
        return self.exadata_pace * (percent / 100 * _CORES * self.exadata_elapsed / _EXADATA_BYTES)

    # With reads by DMA from the cells, user + system = query; DB CPU = booked x (user + system).

    def user(self) -> float:
        """User time of the query, a byte."""
        return self._exadata(self.exadata_user)

    def system(self) -> float:
        """System time of the query, a byte."""
        return self._exadata(self.exadata_system)

    def booked(self) -> float:
        """Share of both that the database counts."""
        return self.exadata_pace * self.exadata_cpu / _EXADATA_BYTES / (self.user() + self.system())

    # With reads from the page cache, user = query user + blocks, system = query system + copy, and
    # DB CPU(ext3) - DB CPU(exadata) = booked x (blocks + copy).

    def blocks(self) -> float:
        """User time a byte to check and parse blocks."""
        return self._ext3(self.ext3_user) - self.user()

    def copy(self) -> float:
        """System time to copy, a byte."""
        return self._ext3(self.ext3_system) - self.system()

    def io_booked(self) -> float:
        """Share of both that the database counts."""
        ext3, exadata = self.ext3_pace * self.ext3_cpu, self.exadata_pace * self.exadata_cpu
        more = ext3 / _EXT3_BYTES - exadata / _EXADATA_BYTES
        return more / (self.blocks() + self.copy())

    def statement_s(self) -> float:
        """Time of the coordinator alone: elapsed = statements x statement + database time / slaves.

        Database time = direct path write / its share.
        """
        alone_s = self.ext3_elapsed - self.ext3_write / self.ext3_write_share / _SLAVES
        return self.ext3_pace * alone_s / _STATEMENTS


_FIGURES = _Figures()
_MOVED = derivation.moves(_FIGURES)
_EXT3_IOS, _EXADATA_IOS = _EXT3_BYTES / _IO_BYTES, _EXADATA_BYTES / _IO_BYTES


def _parameter(value: float, unit: str, basis: Basis, source: str, **known: Any) -> Any:
    """A parameter with physical bounds a factor of five from its value."""
    return parameter(value, unit, value / 5, value * 5, basis, source, **known)


def _derived(derive: Callable[[_Figures], float], unit: str, how: str) -> Any:
    found = derivation.outcome(derive, _FIGURES, _MOVED)
    return _parameter(found.value, unit, "derived", f"{_BLOG}: {how}", cells=found.cells, follows=found.follows)


@dataclass(frozen=True)
class ExadataCTASParameters:
    """Numbers of hosts, cells and the database."""

    cores: float = _parameter(_CORES, "cores", "published", "HP DL360 G5 data sheet: two four-core sockets a host")
    io_bytes: float = _parameter(
        _IO_BYTES, "bytes", "assumed", "a direct path I/O of the database moves at most 1 MiB"
    )
    disks: float = _parameter(12, "disks", "published", "Exadata V1 data sheet: disks of a cell")
    disk_bytes_per_s: float = _parameter(85e6, "bytes/s", "published", "Exadata V1 data sheet: 1.0 GB/s, 12 disks")
    revolution_s: float = _parameter(60 / 15_000, "s", "published", "Exadata V1 data sheet: 15,000 rpm SAS disks")
    seek_s: float = _parameter(
        1.3e-3,
        "s",
        "assumed",
        "from the table that is read to the one that is written: 3.4 ms is the mean over a whole disk",
        likely=(0.5e-3, 3.4e-3),  # at least a move to the next cylinders; the value is the geometric mean
    )
    latency_s: float = _parameter(
        20e-6,
        "s",
        "assumed",
        "a message there and back over one switch",
        likely=(10e-6, 40e-6),  # twice a few microseconds on the wire, and two interrupts
    )
    statement_s: float = _derived(
        _Figures.statement_s,
        "s",
        "what database time (direct path write over its share) leaves of 16 sessions, a statement",
    )
    query_user_s_per_byte: float = _derived(
        _Figures.user,
        "s/byte",
        "user time of all cores with reads from the cells, a byte of the table",
    )
    query_system_s_per_byte: float = _derived(_Figures.system, "s/byte", "the same, system time")
    query_booked: float = _derived(
        _Figures.booked,
        "1",
        "DB CPU as a share of that; the rest is interrupts and other processes",
    )
    returned: float = _parameter(
        0.88,
        "bytes/byte",
        "assumed",
        "a smart scan returns rows: PCTFREE leaves a tenth of a block free, headers take a hundredth",
        likely=(0.86, 0.9),  # a block is closed before its last row would fit
    )
    block_s_per_byte: float = _derived(
        _Figures.blocks,
        "s/byte",
        "user time that reads from a file take on top: to check blocks and pick them apart, as cells do else",
    )
    copy_s_per_byte: float = _derived(
        _Figures.copy,
        "s/byte",
        "system time that reads from a file take on top: a copy from the page cache",
    )
    io_booked: float = _derived(_Figures.io_booked, "1", "what DB CPU grows by, as a share of both")
    waits_per_write_ext3: float = _derived(
        lambda figures: figures.ext3_writes / _EXT3_IOS,
        "waits",
        "a session waits for each of two copies, or once if both are there when it looks",
    )
    waits_per_write_exadata: float = _derived(
        lambda figures: figures.exadata_writes / _EXADATA_IOS,
        "waits",
        "the same; its cores are less busy, so that it looks sooner",
    )
    waits_per_scan: float = _derived(
        lambda figures: figures.exadata_scans / _EXADATA_IOS,
        "waits",
        "a scan's reply comes in parts",
    )


PARAMETERS = Parameters.of(ExadataCTASParameters)
"""All parameters of the Exadata V1 system."""
