"""Parameters of the Exadata V1 system, with the arithmetic that derives some of them from published figures.

Nothing about storage is fitted: disks, card and the largest I/O are published. Derived are the times on the
cores, from what the database and vmstat count, and what the coordinator does alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sim.system import Basis, Parameters, parameter

_BLOG = "Cached Ext3 against Exadata, 2009"
_CORES = 8
_BLOCKS = {"ext3": 12_143_325, "exadata": 12_142_160}
_BLOCK_BYTES = 16384
_ELAPSED_S = {"ext3": 307, "exadata": 320}
_BYTES = {seed: blocks * _BLOCK_BYTES for seed, blocks in _BLOCKS.items()}
_IO_BYTES = 1 << 20


def _core_s_per_byte(seed: str, percent: float) -> float:
    """Seconds on a core for a byte of the table, from a share of all cores."""
    return percent / 100 * _CORES * _ELAPSED_S[seed] / _BYTES[seed]


# With reads by DMA from the cells, user + system = query; DB CPU = booked x (user + system).
_USER = _core_s_per_byte("exadata", 51.7)
_SYSTEM = _core_s_per_byte("exadata", 7.4)
_BOOKED = 1462 / _BYTES["exadata"] / (_USER + _SYSTEM)

# With reads from the page cache, user = query user + issue, system = query system + copy, and
# DB CPU(ext3) - DB CPU(exadata) = booked x (issue + copy).
_ISSUE = _core_s_per_byte("ext3", 64.8) - _USER
_COPY = _core_s_per_byte("ext3", 16.2) - _SYSTEM
_IO_BOOKED = (1682 / _BYTES["ext3"] - 1462 / _BYTES["exadata"]) / (_ISSUE + _COPY)

# elapsed = statements x statement + database time / slaves; database time = direct path write / its share.
_SLAVES, _STATEMENTS = 16, 10
_STATEMENT_S = (_ELAPSED_S["ext3"] - 3078 / 0.641 / _SLAVES) / _STATEMENTS

_IOS = {seed: _BYTES[seed] / _IO_BYTES for seed in _BYTES}


def _parameter(value: float, unit: str, basis: Basis, source: str, *cells: str) -> Any:
    """A parameter that may be wrong by a factor of five and still be physically possible."""
    named = tuple(f"exadata-v1/{cell}" for cell in cells)
    return parameter(value, unit, value / 5, value * 5, basis, source, named)


def _derived(value: float, unit: str, how: str, *cells: str) -> Any:
    return _parameter(value, unit, "derived", f"{_BLOG}: {how}", *cells)


@dataclass(frozen=True)
class ExadataCTASParameters:
    """What hosts, cells and the database are made of."""

    cores: float = _parameter(_CORES, "cores", "published", "HP DL360 G5 data sheet: two four-core sockets a host")
    io_bytes: float = _parameter(
        _IO_BYTES, "bytes", "assumed", "a direct path I/O of the database moves at most 1 MiB"
    )
    disks: float = _parameter(12, "disks", "published", "Exadata V1 data sheet: disks of a cell")
    disk_bytes_per_s: float = _parameter(85e6, "bytes/s", "published", "Exadata V1 data sheet: 1.0 GB/s, 12 disks")
    revolution_s: float = _parameter(60 / 15_000, "s", "published", "Exadata V1 data sheet: 15,000 rpm SAS disks")
    latency_s: float = _parameter(20e-6, "s", "assumed", "a message there and back over one switch")
    statement_s: float = _derived(
        _STATEMENT_S,
        "s",
        "what database time (direct path write over its share) leaves of 16 sessions, a statement",
        "completion time/Ext3",
        "direct path write/Ext3 share",
    )
    query_user_s_per_byte: float = _derived(
        _USER,
        "s/byte",
        "user time of all cores with reads from the cells, a byte of the table",
        "vmstat/Exadata user",
    )
    query_system_s_per_byte: float = _derived(_SYSTEM, "s/byte", "the same, system time", "vmstat/Exadata system")
    query_booked: float = _derived(
        _BOOKED,
        "1",
        "DB CPU as a share of that; the rest is interrupts and other processes",
        "DB CPU/Exadata time",
    )
    issue_s_per_byte: float = _derived(
        _ISSUE,
        "s/byte",
        "user time that reads from a file take on top: issuing and reaping conventional I/O",
        "vmstat/Ext3 user",
    )
    copy_s_per_byte: float = _derived(
        _COPY,
        "s/byte",
        "system time that reads from a file take on top: a copy from the page cache",
        "vmstat/Ext3 system",
    )
    io_booked: float = _derived(_IO_BOOKED, "1", "what DB CPU grows by, as a share of both", "DB CPU/Ext3 time")
    waits_per_write_ext3: float = _derived(
        328_726 / _IOS["ext3"],
        "waits",
        "a session waits for each of two copies, or once if both are there when it looks",
        "direct path write/Ext3 waits",
    )
    waits_per_write_exadata: float = _derived(
        365_950 / _IOS["exadata"],
        "waits",
        "the same; its cores are less busy, so that it looks sooner",
        "direct path write/Exadata waits",
    )
    waits_per_scan: float = _derived(
        238_027 / _IOS["exadata"], "waits", "a scan's reply comes in parts", "cell smart table scan/Exadata waits"
    )


PARAMETERS = Parameters.of(ExadataCTASParameters)
"""All parameters of the Exadata V1 system."""
