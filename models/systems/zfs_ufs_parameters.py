"""Parameters of the zfs-ufs system, with the arithmetic that derives them from a few published figures.

Two Opterons, one Barracuda 7200.7 for each file system. What UFS takes tells the work of each phase. Of ZFS, the load
tells the seek of a log write, catalog creation how many commits there are, and what compressing saves tells how much
of a phase is writing. The arithmetic lets nothing wait for what is done behind it; three values that only such waits
show are fitted with the simulation in the loop.
"""

from __future__ import annotations

from sim.parameters import Basis, Parameter, Parameters
from sim.units import KIB

_POST = "S1, 2006"
_MIB = KIB * KIB
_GIB = KIB * _MIB

# The drive, and the bytes that are under way at once.
_PLATTER_S, _BUS_S = 1 / 58e6, 1 / 150e6
_ROTATION_S, _COMMAND_S = 60 / 7200 / 2, 1e-4
_BURST, _WRITES = 8 * _MIB, 2
_COPY_S, _CHECKSUM_S = 1 / 815e6, 0.5e-9
_EMPTY, _DATA = 1 / 16, 0.4
_CORES = 2

# Commits of the load, and of the catalog scripts.
_ROWS, _ROWS_A_COMMIT = 8_661_245, 64
_LOADS = _ROWS / _ROWS_A_COMMIT
_SCRIPT_REDO, _LOAD_REDO = 6 * KIB, 256
_SEEK_S = 2.5e-3
_REPOSITION_S = _SEEK_S + _ROTATION_S
_SCRIPT_USER_S = 5.5 * 60
_SCRIPT_COMMITS = (725 - 379) / (_REPOSITION_S + _SCRIPT_REDO * _PLATTER_S)
_BUS_COMMIT_S = _COMMAND_S + _SCRIPT_REDO * (_BUS_S + _COPY_S)
_COMMIT_S = (379 - _SCRIPT_USER_S) / _SCRIPT_COMMITS - _BUS_COMMIT_S
_LOAD_BUS_S = _COMMAND_S + _ROWS_A_COMMIT * _LOAD_REDO * (_BUS_S + _COPY_S)
_LOAD_USER_S = (529 / _LOADS - _COMMIT_S - _LOAD_BUS_S) / _ROWS_A_COMMIT

# Catalog creation with blocks of 32 KiB: three times 8 KiB more, and what it costs.
_GROWTH = (499.359 - 363.688) / 3 / _SCRIPT_USER_S


def _written_s(compress_s: float, share: float) -> float:
    """A byte that ZFS writes in records, one burst after the other; two cores compress and checksum."""
    return _COPY_S + (compress_s + share * _CHECKSUM_S) / _CORES + share * _PLATTER_S + _REPOSITION_S / _BURST


# Laying out files: UFS goes at the speed of the platter.
_TS_BYTES = 13 / _PLATTER_S
_COMPRESS_S = 8e-9

# Building an index, one thing after the other: what compressing saves tells the bytes written, and reads of UFS, which
# ZFS need not do, those read.
_INDEX_WRITTEN = (38 - 31) / (_written_s(0.0, 1.0) - _written_s(_COMPRESS_S, _DATA))
_INDEX_READ = (48 - 38 + _INDEX_WRITTEN * _CHECKSUM_S / _CORES) / (_PLATTER_S + _REPOSITION_S / _BURST)
_INDEX_USER_S = 38 - _INDEX_WRITTEN * _written_s(0.0, 1.0) - _INDEX_READ * _COPY_S
_KEY_READ = _INDEX_READ * 115 / 48


def _given(name: str, value: float, unit: str, basis: Basis, source: str, *figures: str) -> Parameter:
    """A parameter that no fit moves; within a factor of ten is physically possible."""
    return Parameter(name, value, unit, value / 10, value * 10, basis, source, _cells(figures))


def _derived(name: str, value: float, unit: str, how: str, *figures: str) -> Parameter:
    return _given(name, value, unit, "derived", f"{_POST}: {how}", *figures)


def _fitted(name: str, value: float, unit: str, how: str, *figures: str) -> Parameter:
    return _given(name, value, unit, "fitted", f"{_POST}: {how}, simulation in the loop", *figures)


def _cells(figures: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(f"zfs-ufs/{figure}" for figure in figures)


_DRIVE = "Seagate Barracuda 7200.7, product data"

PARAMETERS = Parameters(
    (
        _given("cores", _CORES, "cores", "published", f"{_POST}: 2 x AMD Opteron 252"),
        _given("disk_bytes_per_s", 1 / _PLATTER_S, "bytes/s", "published", f"{_DRIVE}: 58 MB/s sustained"),
        _given("rotation_s", _ROTATION_S, "s", "published", f"{_DRIVE}: half a turn at 7200 a minute"),
        _given("bus_bytes_per_s", 1 / _BUS_S, "bytes/s", "published", f"{_DRIVE}: 150 MB/s external"),
        _given("drive_cache_bytes", 8 * _MIB, "bytes", "published", f"{_DRIVE}: 8 MB of cache"),
        _given(
            "files_bytes",
            2.8e9,
            "bytes",
            "published",
            f"{_POST}: all data files together",
            "all datafiles/together",
        ),
        _given(
            "used_bytes",
            4 * _GIB - 3e9,
            "bytes",
            "published",
            f"{_POST}: of 4 GB at least 3 GB are unused",
            "machine/unused RAM",
        ),
        _given("arc_least_bytes", 64 * _MIB, "bytes", "published", "OpenSolaris, arc.c: never below 64 MB"),
        _given("immediate_bytes", 32 * KIB, "bytes", "published", "zfs(4), zfs_immediate_write_sz: 32 KiB"),
        _given(
            "device_read_bytes",
            64 * KIB,
            "bytes",
            "published",
            "OpenSolaris, vdev_cache.c: reads below 16 KiB fetch 64 KiB",
        ),
        _given(
            "script_user_s",
            _SCRIPT_USER_S,
            "s",
            "published",
            f"{_POST}: processor time of catalog creation",
            "UFS catalog creation/CPU time",
        ),
        _given("load_rows", _ROWS, "rows", "published", "TPC-H, clause 4.2.5: rows of all tables at scale factor 1"),
        _given("load_row_bytes", 1e9 / _ROWS, "bytes", "published", f"{_POST}: a 1GB dataset from dbgen"),
        _given("copy_s_per_byte", _COPY_S, "s/byte", "published", "S2: one dd reads 815 MB/s from an Opteron's memory"),
        _given("command_s", _COMMAND_S, "s", "assumed", "a command of an ATA drive without a queue"),
        _given("checksum_s_per_byte", _CHECKSUM_S, "s/byte", "assumed", "fletcher2 runs at some GB/s"),
        _given("empty_share", _EMPTY, "bytes/byte", "assumed", "LZJB copies at most 66 bytes by two; blocks have headers"),
        _given("data_share", _DATA, "bytes/byte", "assumed", "LZJB on tables and indexes: less than a half"),
        _given("script_redo_bytes", _SCRIPT_REDO, "bytes", "assumed", "redo of a data definition statement"),
        _given("load_redo_bytes", _LOAD_REDO, "bytes", "assumed", "redo and undo of a row of 115 bytes"),
        _given("request_bytes", 128 * KIB, "bytes", "published", f"{_POST}: ZFS does 128kByte I/Os"),
        _given("burst_bytes", _BURST, "bytes", "assumed", "what is written, or read and sorted, before the next thing"),
        _given("writes", _WRITES, "writes", "assumed", "asynchronous writes of a new file: one is made ready beside the other"),
        _given("batch_bytes", 128 * KIB, "bytes", "assumed", "what the database writer writes at a time: 16 blocks of 8 KiB"),
        _given("group_bytes", 8 * _MIB, "bytes", "assumed", "what a transaction group gathers in 5 s of the load or the scripts"),
        _fitted("seek_s", _SEEK_S, "s", "data load on ZFS", "data load[1]/ZFS (default)"),
        _fitted(
            "script_changed_bytes",
            155e6,
            "bytes",
            "catalog creation on ZFS at 1 GB: records that must be read keep commits waiting",
            "ZFS(off,128K,8K) [default]/catalog creation",
        ),
        _fitted(
            "reclaim_s_per_byte",
            13.5e-9,
            "s/byte",
            "database creation with compression at 1 GB",
            "ZFS(on,128K,8K)/db creation",
        ),
        _derived(
            "script_commits",
            _SCRIPT_COMMITS,
            "commits",
            "catalog creation on ZFS less UFS, a reposition each",
            "catalog/ZFS (default)",
            "catalog/UFS",
        ),
        _derived(
            "commit_s",
            _COMMIT_S,
            "s",
            "catalog creation on UFS less its processor time, for each commit",
            "catalog/UFS",
        ),
        _derived("load_user_s", _LOAD_USER_S, "s", "data load on UFS less its commits, for each row", "data load[1]/UFS"),
        _derived(
            "block_growth",
            _GROWTH,
            "1",
            "catalog creation under forcedirectio with blocks of 32 KiB less that with 8 KiB: processor time that "
            "grows with the block",
            "UFS(forcedirectio,8K,32K)/catalog creation",
            "UFS(forcedirectio,8K,8K)/catalog creation",
        ),
        _derived("ts_bytes", _TS_BYTES, "bytes", "tablespace creation on UFS, at the speed of the platter", "ts creation/UFS"),
        _derived(
            "compress_s_per_byte",
            _COMPRESS_S,
            "s/byte",
            "tablespace creation with compression",
            "ts creation/ZFS+comp",
        ),
        _derived(
            "db_user_s",
            3.42,
            "s",
            "database creation on UFS and with compression: a script like the catalog's, and laying out files",
            "db creation/UFS",
            "db creation/ZFS+comp",
        ),
        _derived(
            "db_bytes",
            1.976e9,
            "bytes",
            "database creation on UFS less its script",
            "db creation/UFS",
            "db creation/ZFS+comp",
        ),
        _derived("index_bytes", _INDEX_READ, "bytes", "index creation on UFS less what it writes", "index creation/UFS"),
        _derived(
            "build_written",
            _INDEX_WRITTEN / _INDEX_READ,
            "bytes/byte",
            "index creation: what compression saves",
            "index creation/ZFS (default)",
            "index creation/ZFS+comp",
        ),
        _derived(
            "build_user_s_per_byte",
            _INDEX_USER_S / _INDEX_READ,
            "s/byte",
            "index creation on ZFS less what it writes",
            "index creation/ZFS (default)",
        ),
        _derived("key_bytes", _KEY_READ, "bytes", "key creation on UFS, like index creation", "key creation/UFS"),
    )
)
"""All parameters of the zfs-ufs system."""

if __name__ == "__main__":
    for each in PARAMETERS.entries:
        print(each.name, each.value, each.basis)
