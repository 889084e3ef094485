"""How the parameters of the zfs-ufs system follow from published figures: elapsed times of phases, in seconds.

Each derivation is one equation for a phase in which nothing waits for anything else, so that times add up. Phases
are measured on ``ufs``, on ``zfs``, and on ZFS with compression, ``compressed``.
"""

from __future__ import annotations

from sim.units import KIB

# The machine (data sheets), and what is assumed of it.
CORES = 2
DISK_S_PER_BYTE, BUS_S_PER_BYTE, COPY_S_PER_BYTE = 1 / 58e6, 1 / 150e6, 1 / 815e6
ROTATION_S, COMMAND_S = 60 / 7200 / 2, 1e-4
CHECKSUM_S_PER_BYTE = 0.5e-9
COMPRESSED_SHARE = 0.4
SCRIPT_REDO_BYTES, ROW_REDO_BYTES = 6 * KIB, 256

# Fitted with the simulation in the loop.
SEEK_S, SCRIPT_COMMITS, COMPRESS_S_PER_BYTE = 2.69e-3, 46_250, 8.0e-9

# Published.
SCRIPT_USER_S = 5.5 * 60
ROWS, ROWS_PER_COMMIT = 8_661_245, 64
CATALOG_S, LOAD_S = {"ufs": 379, "zfs": 725}, {"ufs": 529}
TABLESPACE_S = {"ufs": 13, "zfs": 14, "compressed": 4}
DATABASE_S = {"ufs": 38, "compressed": 18}
INDEX_S, KEY_S = {"ufs": 48, "zfs": 38, "compressed": 31}, {"ufs": 115}
CATALOG_DIRECT_8K_S, CATALOG_DIRECT_32K_S = 363.688, 499.359


def log_write_s(redo_bytes: int) -> float:
    """A log write into the cache of the drive: command + redo x (bus + copy)."""
    return COMMAND_S + redo_bytes * (BUS_S_PER_BYTE + COPY_S_PER_BYTE)


def commit_s() -> float:
    """A commit of the script: catalog creation on UFS = CPU time + commits x (commit + log write)."""
    return (CATALOG_S["ufs"] - SCRIPT_USER_S) / SCRIPT_COMMITS - log_write_s(SCRIPT_REDO_BYTES)


def row_s() -> float:
    """CPU time of a loaded row: data load on UFS, a commit = rows a commit x row + commit + log write."""
    transaction_s = LOAD_S["ufs"] / ROWS * ROWS_PER_COMMIT
    return (transaction_s - commit_s() - log_write_s(ROWS_PER_COMMIT * ROW_REDO_BYTES)) / ROWS_PER_COMMIT


def block_growth() -> float:
    """Growth of CPU time with each 8 KiB of block: catalog(32 KiB) - catalog(8 KiB) = 3 x growth x CPU time."""
    return (CATALOG_DIRECT_32K_S - CATALOG_DIRECT_8K_S) / 3 / SCRIPT_USER_S


def tablespace_bytes() -> float:
    """Bytes of the tablespace: tablespace creation on UFS = bytes / bandwidth of the disk."""
    return TABLESPACE_S["ufs"] / DISK_S_PER_BYTE


def burst_bytes() -> int:
    """Bytes between two repositions: tablespace creation on ZFS - on UFS = bytes / burst x (seek + rotation)."""
    return round((SEEK_S + ROTATION_S) / (TABLESPACE_S["zfs"] - TABLESPACE_S["ufs"]) * tablespace_bytes())


def database_user_s() -> float:
    """CPU time of the script that creates the database, from two equations for it and the layout.

    A script takes the same multiple of its CPU time as the catalog. With ``share`` for tablespace(compressed) /
    tablespace(ufs), and ``CPU`` for the CPU time of the catalog,

        database(ufs)        = layout         + script x catalog(ufs) / CPU
        database(compressed) = layout x share + script x catalog(zfs) / CPU
    """
    ufs_elapsed_per_user, zfs_elapsed_per_user = (CATALOG_S[name] / SCRIPT_USER_S for name in ("ufs", "zfs"))
    layout_share = TABLESPACE_S["compressed"] / TABLESPACE_S["ufs"]
    script_s = DATABASE_S["compressed"] - DATABASE_S["ufs"] * layout_share
    return script_s / (zfs_elapsed_per_user - ufs_elapsed_per_user * layout_share)


def database_bytes() -> float:
    """Bytes laid out for the database: database creation on UFS = bytes / bandwidth + script."""
    script_s = CATALOG_S["ufs"] / SCRIPT_USER_S * database_user_s()
    return (DATABASE_S["ufs"] - script_s) / DISK_S_PER_BYTE


def reposition_s_per_byte() -> float:
    """(seek + rotation) / burst."""
    return (SEEK_S + ROTATION_S) / burst_bytes()


def written_s_per_byte(compress_s_per_byte: float, share: float) -> float:
    """A byte that ZFS writes and compresses to ``share``; all cores compress and compute checksums."""
    cpu_s = COPY_S_PER_BYTE + (compress_s_per_byte + share * CHECKSUM_S_PER_BYTE) / CORES
    return cpu_s + share * DISK_S_PER_BYTE + reposition_s_per_byte()


def index_written_bytes() -> float:
    """Bytes written: index creation on ZFS - with compression = bytes x (time a byte - time a compressed byte)."""
    saved_s_per_byte = written_s_per_byte(0.0, 1.0) - written_s_per_byte(COMPRESS_S_PER_BYTE, COMPRESSED_SHARE)
    return (INDEX_S["zfs"] - INDEX_S["compressed"]) / saved_s_per_byte


def index_read_bytes() -> float:
    """Bytes read, which UFS has on disk only: index(ufs) - index(zfs) = read x (disk + reposition) - checksums."""
    checksum_s = index_written_bytes() * CHECKSUM_S_PER_BYTE / CORES
    return (INDEX_S["ufs"] - INDEX_S["zfs"] + checksum_s) / (DISK_S_PER_BYTE + reposition_s_per_byte())


def build_user_s() -> float:
    """CPU time of index creation: on ZFS = CPU time + bytes written x time a byte + bytes read x copy."""
    written_s = index_written_bytes() * written_s_per_byte(0.0, 1.0)
    return INDEX_S["zfs"] - written_s - index_read_bytes() * COPY_S_PER_BYTE


def key_bytes() -> float:
    """Bytes read for the key: index bytes x key creation / index creation, both on UFS."""
    return index_read_bytes() * KEY_S["ufs"] / INDEX_S["ufs"]
