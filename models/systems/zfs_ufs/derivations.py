"""How the parameters of the zfs-ufs system follow from published figures: elapsed times of phases, in seconds.

Each derivation is one equation for a phase in which nothing waits for anything else, so that times add up. Phases
are measured on ``ufs``, on ``zfs``, and on ZFS with compression, ``compressed``.
"""

from __future__ import annotations

from dataclasses import dataclass

from sim.system.derivation import assumed, measured, moves
from sim.units import KIB

# The machine (data sheets).
CORES = 2
DISK_S_PER_BYTE, BUS_S_PER_BYTE, COPY_S_PER_BYTE = 1 / 58e6, 1 / 150e6, 1 / 815e6
ROTATION_S = 60 / 7200 / 2

# Assumed: a value, and where it lies in nine of ten cases.
COMMAND_S = 1e-4, (5e-5, 2e-4)  # the drive's electronics and a driver with an interrupt
CHECKSUM_S_PER_BYTE = 0.5e-9, (0.25e-9, 1e-9)  # 1 to 4 GB/s
COMPRESSED_SHARE = 0.4, (0.3, 0.5)  # less than a half, hardly less than a third
SCRIPT_REDO_BYTES = 6 * KIB, (3 * KIB, 12 * KIB)
ROW_REDO_BYTES = 256, (180, 400)  # at least the row, its undo and their headers

# Fitted with the simulation in the loop.
SEEK_S, SCRIPT_COMMITS, COMPRESS_S_PER_BYTE = 2.69e-3, 46_250, 8.0e-9

# Published, and taken as they are.
SCRIPT_USER_S = 5.5 * 60
ROWS, ROWS_PER_COMMIT = 8_661_245, 64


@dataclass(frozen=True)
class Phases:
    """Published times of phases, in seconds, and what is assumed."""

    catalog_ufs: float = measured(379, 0.5, "zfs-ufs/catalog/UFS")
    catalog_zfs: float = measured(725, 0.5, "zfs-ufs/catalog/ZFS (default)")
    catalog_direct_8k: float = measured(363.688, 0.0005, "zfs-ufs/UFS(forcedirectio,8K,8K)/catalog creation")
    catalog_direct_32k: float = measured(499.359, 0.0005, "zfs-ufs/UFS(forcedirectio,8K,32K)/catalog creation")
    load_ufs: float = measured(529, 0.5, "zfs-ufs/data load[1]/UFS")
    tablespace_ufs: float = measured(13, 0.5, "zfs-ufs/ts creation/UFS")
    tablespace_zfs: float = measured(14, 0.5, "zfs-ufs/ts creation/ZFS (default)")
    tablespace_compressed: float = measured(4, 0.5, "zfs-ufs/ts creation/ZFS+comp")
    database_ufs: float = measured(38, 0.5, "zfs-ufs/db creation/UFS")
    database_compressed: float = measured(18, 0.5, "zfs-ufs/db creation/ZFS+comp")
    index_ufs: float = measured(48, 0.5, "zfs-ufs/index creation/UFS")
    index_zfs: float = measured(38, 0.5, "zfs-ufs/index creation/ZFS (default)")
    index_compressed: float = measured(31, 0.5, "zfs-ufs/index creation/ZFS+comp")
    key_ufs: float = measured(115, 0.5, "zfs-ufs/key creation/UFS")
    command_s: float = assumed(*COMMAND_S)
    checksum_s_per_byte: float = assumed(*CHECKSUM_S_PER_BYTE)
    data_share: float = assumed(*COMPRESSED_SHARE)
    script_redo_bytes: float = assumed(*SCRIPT_REDO_BYTES)
    load_redo_bytes: float = assumed(*ROW_REDO_BYTES)

    def log_write_s(self, redo_bytes: float) -> float:
        """A log write into the cache of the drive: command + redo x (bus + copy)."""
        return self.command_s + redo_bytes * (BUS_S_PER_BYTE + COPY_S_PER_BYTE)

    def commit_s(self) -> float:
        """A commit of the script: catalog creation on UFS = CPU time + commits x (commit + log write)."""
        return (self.catalog_ufs - SCRIPT_USER_S) / SCRIPT_COMMITS - self.log_write_s(self.script_redo_bytes)

    def row_s(self) -> float:
        """CPU time of a loaded row: data load on UFS, a commit = rows a commit x row + commit + log write."""
        transaction_s = self.load_ufs / ROWS * ROWS_PER_COMMIT
        return (
            transaction_s - self.commit_s() - self.log_write_s(ROWS_PER_COMMIT * self.load_redo_bytes)
        ) / ROWS_PER_COMMIT

    def block_growth(self) -> float:
        """Growth of CPU time with each 8 KiB of block: catalog(32 KiB) - catalog(8 KiB) = 3 x growth x CPU."""
        return (self.catalog_direct_32k - self.catalog_direct_8k) / 3 / SCRIPT_USER_S

    def tablespace_bytes(self) -> float:
        """Bytes of the tablespace: tablespace creation on UFS = bytes / bandwidth of the disk."""
        return self.tablespace_ufs / DISK_S_PER_BYTE

    def burst_bytes(self) -> int:
        """Bytes between two repositions: tablespace(zfs) - tablespace(ufs) = bytes / burst x (seek + rotation)."""
        return round((SEEK_S + ROTATION_S) / (self.tablespace_zfs - self.tablespace_ufs) * self.tablespace_bytes())

    def database_user_s(self) -> float:
        """CPU time of the script that creates the database, from two equations for it and the layout.

        A script takes the same multiple of its CPU time as the catalog. With ``share`` for
        tablespace(compressed) / tablespace(ufs), and ``CPU`` for the CPU time of the catalog,

            database(ufs)        = layout         + script x catalog(ufs) / CPU
            database(compressed) = layout x share + script x catalog(zfs) / CPU
        """
        ufs_elapsed_per_user, zfs_elapsed_per_user = (
            self.catalog_ufs / SCRIPT_USER_S,
            self.catalog_zfs / SCRIPT_USER_S,
        )
        layout_share = self.tablespace_compressed / self.tablespace_ufs
        script_s = self.database_compressed - self.database_ufs * layout_share
        return script_s / (zfs_elapsed_per_user - ufs_elapsed_per_user * layout_share)

    def database_bytes(self) -> float:
        """Bytes laid out for the database: database creation on UFS = bytes / bandwidth + script."""
        script_s = self.catalog_ufs / SCRIPT_USER_S * self.database_user_s()
        return (self.database_ufs - script_s) / DISK_S_PER_BYTE

    def reposition_s_per_byte(self) -> float:
        """(seek + rotation) / burst."""
        return (SEEK_S + ROTATION_S) / self.burst_bytes()

    def written_s_per_byte(self, compress_s_per_byte: float, share: float) -> float:
        """A byte that ZFS writes and compresses to ``share``; all cores compress and compute checksums."""
        cpu_s = COPY_S_PER_BYTE + (compress_s_per_byte + share * self.checksum_s_per_byte) / CORES
        return cpu_s + share * DISK_S_PER_BYTE + self.reposition_s_per_byte()

    def index_written_bytes(self) -> float:
        """Bytes written, by what compressing saves.

        Index(zfs) - index(compressed) = bytes x (time a byte - time a compressed byte).
        """
        saved_s_per_byte = self.written_s_per_byte(0.0, 1.0) - self.written_s_per_byte(
            COMPRESS_S_PER_BYTE, self.data_share
        )
        return (self.index_zfs - self.index_compressed) / saved_s_per_byte

    def index_read_bytes(self) -> float:
        """Bytes read, which UFS has on disk only.

        Index(ufs) - index(zfs) = read x (disk + reposition) - checksums.
        """
        checksum_s = self.index_written_bytes() * self.checksum_s_per_byte / CORES
        return (self.index_ufs - self.index_zfs + checksum_s) / (DISK_S_PER_BYTE + self.reposition_s_per_byte())

    def build_user_s(self) -> float:
        """CPU time of index creation: on ZFS = CPU time + bytes written x time a byte + bytes read x copy."""
        written_s = self.index_written_bytes() * self.written_s_per_byte(0.0, 1.0)
        return self.index_zfs - written_s - self.index_read_bytes() * COPY_S_PER_BYTE

    def key_bytes(self) -> float:
        """Bytes read for the key: index bytes x key creation / index creation, both on UFS."""
        return self.index_read_bytes() * self.key_ufs / self.index_ufs


PHASES = Phases()
MOVED = moves(PHASES)
"""The times, each moved in turn."""
