"""Parameters of the zfs-ufs system, with the arithmetic that derives them from a few published figures.

Two Opterons, one Barracuda 7200.7 for each file system. What UFS takes tells the work of each phase. Of ZFS, the
load tells the seek of a log write, catalog creation how many commits there are, and what compressing saves how
much of a phase is writing. Five values show only where one thing waits for another: they are fitted with the
simulation in the loop. The others follow from them and from the figures by arithmetic in which nothing waits.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sim.system import Basis, Parameters, parameter
from sim.units import KIB

_POST = "S1, 2006"
_DRIVE = "Seagate, product data of the Barracuda 7200.7"
_MIB = KIB * KIB

# Published figures that are used, in seconds.
_DB, _CATALOG, _LOAD = {"ufs": 38, "comp": 18}, {"ufs": 379, "zfs": 725}, {"ufs": 529}
_TS = {"ufs": 13, "zfs": 14, "comp": 4}
_INDEX, _KEY = {"ufs": 48, "zfs": 38, "comp": 31}, {"ufs": 115}
_DIRECT_8K, _DIRECT_32K = 363.688, 499.359
_SCRIPT_USER_S = 5.5 * 60

# The machine, and what is under way at once.
_CORES, _PLATTER_S, _BUS_S = 2, 1 / 58e6, 1 / 150e6
_ROTATION_S, _COMMAND_S = 60 / 7200 / 2, 1e-4
_COPY_S, _CHECKSUM_S = 1 / 815e6, 0.5e-9
_DATA = 0.4

# Fitted with the simulation in the loop.
_SEEK_S, _SCRIPT_COMMITS, _COMPRESS_S = 2.69e-3, 46_250, 8.0e-9

# What a commit takes on UFS: catalog creation less processor time, and the load less that.
_ROWS, _ROWS_A_COMMIT = 8_661_245, 64
_SCRIPT_REDO, _ROW_REDO = 6 * KIB, 256


def _log_s(redo_bytes: int) -> float:
    """A log write that only goes into the cache of the drive."""
    return _COMMAND_S + redo_bytes * (_BUS_S + _COPY_S)


_COMMIT_S = (_CATALOG["ufs"] - _SCRIPT_USER_S) / _SCRIPT_COMMITS - _log_s(_SCRIPT_REDO)
_LOAD_S = _LOAD["ufs"] / _ROWS * _ROWS_A_COMMIT
_ROW_S = (_LOAD_S - _COMMIT_S - _log_s(_ROWS_A_COMMIT * _ROW_REDO)) / _ROWS_A_COMMIT

# Blocks of 32 KiB are 8 KiB and three times as much: what each of these adds to a script.
_GROWTH = (_DIRECT_32K - _DIRECT_8K) / 3 / _SCRIPT_USER_S

# Laying out files. UFS goes at the speed of the platter, ZFS repositions besides, once a burst. Creating the
# database is a script besides, which takes so many times its processor time as catalog creation does.
_TS_BYTES = _TS["ufs"] / _PLATTER_S
_BURST = round((_SEEK_S + _ROTATION_S) / (_TS["zfs"] - _TS["ufs"]) * _TS_BYTES)
_UFS_SCRIPT, _ZFS_SCRIPT = _CATALOG["ufs"] / _SCRIPT_USER_S, _CATALOG["zfs"] / _SCRIPT_USER_S
_COMP_LAYOUT = _TS["comp"] / _TS["ufs"]
_DB_USER_S = (_DB["comp"] - _DB["ufs"] * _COMP_LAYOUT) / (_ZFS_SCRIPT - _UFS_SCRIPT * _COMP_LAYOUT)
_DB_BYTES = (_DB["ufs"] - _UFS_SCRIPT * _DB_USER_S) / _PLATTER_S

# Building an index, one thing after the other: what compressing saves tells the bytes written, and what UFS takes
# longer, because it has to read, those read.
_REPOSITION_S = (_SEEK_S + _ROTATION_S) / _BURST


def _written_s(compress_s: float, share: float) -> float:
    """A byte that ZFS writes, of which ``share`` is left; all cores compress and checksum."""
    return _COPY_S + (compress_s + share * _CHECKSUM_S) / _CORES + share * _PLATTER_S + _REPOSITION_S


_WRITTEN = (_INDEX["zfs"] - _INDEX["comp"]) / (_written_s(0.0, 1.0) - _written_s(_COMPRESS_S, _DATA))
_READ = (_INDEX["ufs"] - _INDEX["zfs"] + _WRITTEN * _CHECKSUM_S / _CORES) / (_PLATTER_S + _REPOSITION_S)
_BUILD_USER_S = _INDEX["zfs"] - _WRITTEN * _written_s(0.0, 1.0) - _READ * _COPY_S
_KEY_READ = _READ * _KEY["ufs"] / _INDEX["ufs"]


def _one(value: float, unit: str, basis: Basis, source: str, *figures: str) -> Any:
    """A factor of ten is physically possible."""
    cells = tuple(f"zfs-ufs/{figure}" for figure in figures)
    return parameter(value, unit, value / 10, value * 10, basis, source, cells)


def _published(value: float, unit: str, source: str, *figures: str) -> Any:
    return _one(value, unit, "published", source, *figures)


def _assumed(value: float, unit: str, why: str) -> Any:
    return _one(value, unit, "assumed", why)


def _derived(value: float, unit: str, how: str, *figures: str) -> Any:
    return _one(value, unit, "derived", f"{_POST}: {how}", *figures)


def _fitted(value: float, unit: str, how: str, *figures: str) -> Any:
    return _one(value, unit, "fitted", f"{_POST}: {how}; simulation in the loop", *figures)


@dataclass(frozen=True)
class ZfsUfsParameters:
    """What the host, its disk and the database are made of."""

    cores: float = _published(_CORES, "cores", f"{_POST}: 2 x AMD Opteron 252")
    disk_bytes_per_s: float = _published(1 / _PLATTER_S, "bytes/s", f"{_DRIVE}: 58 MB/s sustained")
    rotation_s: float = _published(_ROTATION_S, "s", f"{_DRIVE}: half a turn at 7200 a minute")
    bus_bytes_per_s: float = _published(1 / _BUS_S, "bytes/s", f"{_DRIVE}: 150 MB/s external")
    drive_cache_bytes: float = _published(8 * _MIB, "bytes", f"{_DRIVE}: 8 MB of cache")
    command_s: float = _assumed(_COMMAND_S, "s", "a command of an ATA drive without a queue")
    seek_s: float = _fitted(
        _SEEK_S, "s", "data load on ZFS; a track takes 0.8 ms, a third 8.5", "data load[1]/ZFS (default)"
    )
    copy_s_per_byte: float = _published(
        _COPY_S, "s/byte", "S2: one dd reads 815 MB/s from an Opteron's page cache"
    )

    # The file systems.
    files_bytes: float = _published(2.8e9, "bytes", f"{_POST}: all data files together", "all datafiles/together")
    used_bytes: float = _published(
        4096 * _MIB - 3e9, "bytes", f"{_POST}: of 4 GB at least 3 GB unused", "machine/unused RAM"
    )
    arc_least_bytes: float = _published(
        64 * _MIB, "bytes", "OpenSolaris, arc.c: the cache never shrinks below 64 MB"
    )
    reclaim_s_per_byte: float = _fitted(
        1.16e-8,
        "s/byte",
        "database creation with compression at 1 GB, records of 128 and of 8 KiB",
        "ZFS(on,128K,8K)/db creation",
        "ZFS(on,8K,8K)/db creation",
    )
    request_bytes: float = _published(128 * KIB, "bytes", f"{_POST}: ZFS does 128kByte I/Os")
    immediate_bytes: float = _published(32 * KIB, "bytes", "zfs(4): zfs_immediate_write_sz")
    device_read_bytes: float = _published(
        64 * KIB, "bytes", "OpenSolaris, vdev_cache.c: reads below 16 KiB fetch 64 KiB"
    )
    group_bytes: float = _assumed(8 * _MIB, "bytes", "half of what may be dirty while the ARC is smallest")
    checksum_s_per_byte: float = _assumed(_CHECKSUM_S, "s/byte", "fletcher2 takes a few instructions for 16 bytes")
    compress_s_per_byte: float = _fitted(
        _COMPRESS_S, "s/byte", "tablespace creation with compression", "ts creation/ZFS+comp"
    )
    empty_share: float = _assumed(1 / 16, "bytes/byte", "LZJB writes 2 bytes for at most 66; blocks have headers")
    data_share: float = _assumed(_DATA, "bytes/byte", "LZJB on tables and indexes leaves less than a half")

    # What the database does.
    script_user_s: float = _published(
        _SCRIPT_USER_S,
        "s",
        f"{_POST}: the Oracle process consumes 5:30 minutes of CPU time",
        "UFS catalog creation/CPU time",
    )
    script_commits: float = _fitted(
        _SCRIPT_COMMITS, "commits", "catalog creation on ZFS: a reposition each", "catalog/ZFS (default)"
    )
    script_changed_bytes: float = _fitted(
        1.58e8,
        "bytes",
        "catalog creation on ZFS at 1 GB: commits wait while records are read",
        "ZFS(off,128K,8K) [default]/catalog creation",
    )
    commit_s: float = _derived(_COMMIT_S, "s", "catalog creation on UFS less CPU time, a commit", "catalog/UFS")
    block_growth: float = _derived(
        _GROWTH,
        "1",
        "catalog creation under forcedirectio with blocks of 32 KiB and of 8 KiB",
        "UFS(forcedirectio,8K,32K)/catalog creation",
        "UFS(forcedirectio,8K,8K)/catalog creation",
    )
    script_redo_bytes: float = _assumed(_SCRIPT_REDO, "bytes", "redo of a change of the dictionary")
    load_rows: float = _published(_ROWS, "rows", "TPC-H 4.2.5: rows of all tables at scale factor 1")
    load_row_bytes: float = _published(1e9 / _ROWS, "bytes", f"{_POST}: a 1GB dataset from dbgen")
    load_user_s: float = _derived(_ROW_S, "s", "data load on UFS less its commits, a row", "data load[1]/UFS")
    load_redo_bytes: float = _assumed(_ROW_REDO, "bytes", "redo of a row of 115 bytes and of its undo")
    batch_bytes: float = _assumed(128 * KIB, "bytes", "the database writer's batch: 16 blocks of 8 KiB")
    burst_bytes: float = _derived(
        _BURST,
        "bytes",
        "tablespace creation on ZFS less UFS: written, or read and worked on, between two repositions",
        "ts creation/ZFS (default)",
        "ts creation/UFS",
    )
    writes: float = _assumed(2, "writes", "asynchronous writes of a new file: one is prepared beside the other")
    ts_bytes: float = _derived(
        _TS_BYTES, "bytes", "tablespace creation on UFS, at platter speed", "ts creation/UFS"
    )
    db_user_s: float = _derived(
        _DB_USER_S,
        "s",
        "database creation on UFS and with compression: layout, and a script like the catalog's",
        "db creation/UFS",
        "db creation/ZFS+comp",
    )
    db_bytes: float = _derived(_DB_BYTES, "bytes", "database creation on UFS less its script", "db creation/UFS")
    index_bytes: float = _derived(
        _READ,
        "bytes",
        "index creation on UFS less that on ZFS",
        "index creation/UFS",
        "index creation/ZFS (default)",
    )
    build_written: float = _derived(
        _WRITTEN / _READ,
        "bytes/byte",
        "index creation: what compressing saves",
        "index creation/ZFS (default)",
        "index creation/ZFS+comp",
    )
    build_user_s_per_byte: float = _derived(
        _BUILD_USER_S / _READ, "s/byte", "index creation on ZFS less writing", "index creation/ZFS (default)"
    )
    key_bytes: float = _derived(_KEY_READ, "bytes", "key creation on UFS, as index creation", "key creation/UFS")


PARAMETERS = Parameters.of(ZfsUfsParameters)
"""All parameters of the zfs-ufs system."""
