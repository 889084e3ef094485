"""Parameters of the zfs-ufs system: two Opterons, and one Barracuda 7200.7 for each file system.

The work of each phase follows from its time on UFS; the time between repositions, the bytes written and the bytes
read follow from the times on ZFS, with and without compression (``derivations``). Five values show only where one
activity waits for another; they are fitted with the simulation in the loop.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from models.systems.zfs_ufs import derivations as derive
from models.systems.zfs_ufs.derivations import Phases
from sim.engine.units import KIB
from sim.system import Basis, Parameters, derivation, parameter

_POST = "S1, 2006"
_DRIVE = "Seagate, product data of the Barracuda 7200.7"
_MIB = KIB * KIB


def _parameter(
    value: float, unit: str, basis: Basis, source: str, cells: tuple[str, ...] = (), **known: Any
) -> Any:
    """A parameter with physical bounds a factor of ten from its value."""
    return parameter(value, unit, value / 10, value * 10, basis, source, cells, **known)


def _cells(*figures: str) -> tuple[str, ...]:
    return tuple(f"zfs-ufs/{figure}" for figure in figures)


def _published(value: float, unit: str, source: str, *figures: str) -> Any:
    return _parameter(value, unit, "published", source, _cells(*figures))


def _assumed(value: float, likely: tuple[float, float], unit: str, why: str) -> Any:
    return _parameter(value, unit, "assumed", why, likely=likely)


def _derived(derive_it: Callable[[Phases], float], unit: str, how: str) -> Any:
    outcome = derivation.outcome(derive_it, derive.PHASES, derive.MOVED)
    return _parameter(outcome.value, unit, "derived", f"{_POST}: {how}", outcome.cells, follows=outcome.follows)


def _fitted(value: float, unit: str, how: str, *figures: str) -> Any:
    return _parameter(value, unit, "fitted", f"{_POST}: {how}; simulation in the loop", _cells(*figures))


@dataclass(frozen=True)
class ZfsUfsParameters:
    """Numbers of the host, its disk and the database."""

    cores: float = _published(derive.CORES, "cores", f"{_POST}: 2 x AMD Opteron 252")
    disk_bytes_per_s: float = _published(1 / derive.DISK_S_PER_BYTE, "bytes/s", f"{_DRIVE}: 58 MB/s sustained")
    rotation_s: float = _published(derive.ROTATION_S, "s", f"{_DRIVE}: half a turn at 7200 a minute")
    bus_bytes_per_s: float = _published(1 / derive.BUS_S_PER_BYTE, "bytes/s", f"{_DRIVE}: 150 MB/s external")
    drive_cache_bytes: float = _published(derive.DRIVE_CACHE_BYTES, "bytes", f"{_DRIVE}: 8 MB of cache")
    command_s: float = _assumed(*derive.COMMAND_S, "s", "a command of an ATA drive without a queue")
    seek_s: float = _fitted(
        derive.SEEK_S, "s", "data load on ZFS; a track takes 0.8 ms, a third 8.5", "data load[1]/ZFS (default)"
    )
    copy_s_per_byte: float = _published(
        derive.COPY_S_PER_BYTE, "s/byte", "S2: one dd reads 815 MB/s from an Opteron's page cache"
    )

    # The file systems.
    files_bytes: float = _published(2.8e9, "bytes", f"{_POST}: all data files together", "all datafiles/together")
    used_bytes: float = _published(
        derive.USED_BYTES, "bytes", f"{_POST}: of 4 GB at least 3 GB unused", "machine/unused RAM"
    )
    arc_least_bytes: float = _published(
        64 * _MIB, "bytes", "OpenSolaris, arc.c: the cache never shrinks below 64 MB"
    )
    reclaim_s: float = _fitted(
        0.98e-3,
        "s",
        "database creation with compression at 1 GB: a large buffer unmapped, and one mapped",
        "ZFS(on,128K,8K)/db creation",
    )
    request_bytes: float = _published(128 * KIB, "bytes", f"{_POST}: ZFS does 128kByte I/Os")
    immediate_bytes: float = _published(32 * KIB, "bytes", "zfs(4): zfs_immediate_write_sz")
    device_read_bytes: float = _published(
        64 * KIB, "bytes", "OpenSolaris, vdev_cache.c: reads below 16 KiB fetch 64 KiB"
    )
    checksum_s_per_byte: float = _assumed(
        *derive.CHECKSUM_S_PER_BYTE, "s/byte", "fletcher2 takes a few instructions for 16 bytes"
    )
    record_s: float = _assumed(
        *derive.RECORD_S,
        "s",
        "a core enters a record, and again passes it on; fio takes 4 to 23 us for a write of 4 KiB into memory "
        "(rnz, openzfs/zfs issue 8381, 2021)",
    )
    pointer_bytes: float = _assumed(
        *derive.POINTER_BYTES,
        "bytes",
        "of a compressed indirect block for each record (OpenSolaris, spa.h: blkptr_t, 128 bytes)",
    )
    compress_s_per_byte: float = _fitted(
        derive.COMPRESS_S_PER_BYTE, "s/byte", "tablespace creation with compression", "ts creation/ZFS+comp"
    )
    empty_share: float = _assumed(
        1 / 16, (1 / 33, 1 / 8), "bytes/byte", "LZJB writes 2 bytes for at most 66; blocks have headers"
    )
    data_share: float = _assumed(
        *derive.COMPRESSED_SHARE, "bytes/byte", "LZJB on tables and indexes leaves less than a half"
    )

    # What the database does.
    script_user_s: float = _published(
        derive.SCRIPT_USER_S,
        "s",
        f"{_POST}: the Oracle process consumes 5:30 minutes of CPU time",
        "UFS catalog creation/CPU time",
    )
    script_commits: float = _fitted(
        derive.SCRIPT_COMMITS, "commits", "catalog creation on ZFS: a reposition each", "catalog/ZFS (default)"
    )
    ufs_write_s: float = _derived(
        Phases.ufs_write_s, "s", "catalog creation on UFS less CPU time and commands, a commit"
    )
    block_growth: float = _derived(
        Phases.block_growth,
        "1",
        "catalog creation under forcedirectio with blocks of 32 KiB and of 8 KiB",
    )
    script_redo_bytes: float = _assumed(*derive.SCRIPT_REDO_BYTES, "bytes", "redo of a change of the dictionary")
    load_rows: float = _published(derive.ROWS, "rows", "TPC-H 4.2.5: rows of all tables at scale factor 1")
    load_row_bytes: float = _published(1e9 / derive.ROWS, "bytes", f"{_POST}: a 1GB dataset from dbgen")
    load_user_s: float = _derived(Phases.row_s, "s", "data load on UFS less its commits, a row")
    load_redo_bytes: float = _assumed(
        *derive.ROW_REDO_BYTES, "bytes", "redo of a row of 115 bytes and of its undo"
    )
    batch_bytes: float = _assumed(
        128 * KIB, (64 * KIB, 256 * KIB), "bytes", "the database writer's batch: 16 blocks of 8 KiB"
    )
    burst_bytes: float = _derived(
        Phases.burst_bytes,
        "bytes",
        "tablespace creation on ZFS less UFS: written, or read and worked on, between two repositions",
    )
    writes: float = _assumed(
        2, (2, 4), "writes", "asynchronous writes of a new file: one is prepared beside the other"
    )
    ts_bytes: float = _derived(Phases.tablespace_bytes, "bytes", "tablespace creation on UFS, at platter speed")
    db_user_s: float = _derived(
        Phases.database_user_s,
        "s",
        "database creation on UFS and with compression: layout, and a script like the catalog's",
    )
    db_bytes: float = _derived(Phases.database_bytes, "bytes", "database creation on UFS less its script")
    file_growth: float = _derived(
        Phases.file_growth, "1", "database creation under forcedirectio at 1 GB with blocks of 32 KiB"
    )
    index_bytes: float = _derived(
        Phases.index_read_bytes,
        "bytes",
        "index creation on UFS less that on ZFS",
    )
    build_written: float = _derived(
        lambda phases: phases.index_written_bytes() / phases.index_read_bytes(),
        "bytes/byte",
        "index creation: what compressing saves",
    )
    build_user_s_per_byte: float = _derived(
        lambda phases: phases.build_user_s() / phases.index_read_bytes(),
        "s/byte",
        "index creation on ZFS less writing",
    )
    key_bytes: float = _derived(Phases.key_bytes, "bytes", "key creation on UFS, as index creation")


PARAMETERS = Parameters.of(ZfsUfsParameters)
"""All parameters of the zfs-ufs system."""
