"""Derivation of the parameters of the zfs-ufs system from published elapsed times of phases, in seconds.

Each derivation is one equation for a phase without queueing, so that times add up. Phases
are measured on ``ufs``, on ``zfs``, and on ZFS with compression, ``compressed``.
"""

from __future__ import annotations

from dataclasses import dataclass

from models.parts.ufs import BLOCK_BYTES, touched_blocks
from sim.engine.units import KIB
from sim.system.derivation import assumed, measured, moves

_GIB = KIB**3

# The machine (data sheets).
CORES = 2
DISK_S_PER_BYTE, BUS_S_PER_BYTE, COPY_S_PER_BYTE = 1 / 58e6, 1 / 150e6, 1 / 815e6
ROTATION_S, DRIVE_CACHE_BYTES = 60 / 7200 / 2, 8 * KIB * KIB

# Memory of the machine in the second half of the figures, and memory in use: of 4 GB at least 3 GB were unused.
MEMORY_BYTES, USED_BYTES = 1 * _GIB, 4 * _GIB - 3e9

RECORD_BYTES = 128 * KIB  # the default

# Assumed: a value, and its 90 % range.
COMMAND_S = 1e-4, (5e-5, 2e-4)  # the drive's electronics and a driver with an interrupt
CHECKSUM_S_PER_BYTE = 0.5e-9, (0.25e-9, 1e-9)  # 1 to 4 GB/s
RECORD_S = 10e-6, (4e-6, 25e-6)  # fio writes 4 KiB into memory in 4 µs at least and 23 µs on average
POINTER_BYTES = 32, (24, 46)  # 128, of which LZJB leaves 24 if empty Oracle blocks are pointed to, 46 if full ones
COMPRESSED_SHARE = 0.4, (0.3, 0.5)  # less than a half, hardly less than a third
SCRIPT_REDO_BYTES = 6 * KIB, (3 * KIB, 12 * KIB)
ROW_REDO_BYTES = 256, (180, 400)  # at least the row, its undo and their headers

# Fitted with the simulation in the loop.
SEEK_S, SCRIPT_COMMITS, COMPRESS_S_PER_BYTE = 3.55e-3, 44_850, 7.8e-9

# Published, and used unchanged.
SCRIPT_USER_S = 5.5 * 60
ROWS, ROWS_PER_COMMIT = 8_661_245, 64


@dataclass(frozen=True)
class Phases:
    """Published times of phases, in seconds, and assumptions."""

    catalog_ufs: float = measured(379, 0.5, "zfs-ufs/catalog/UFS")
    catalog_direct_8k: float = measured(363.688, 0.0005, "zfs-ufs/UFS(forcedirectio,8K,8K)/catalog creation")
    catalog_direct_32k: float = measured(499.359, 0.0005, "zfs-ufs/UFS(forcedirectio,8K,32K)/catalog creation")
    load_ufs: float = measured(529, 0.5, "zfs-ufs/data load[1]/UFS")
    tablespace_ufs: float = measured(13, 0.5, "zfs-ufs/ts creation/UFS")
    tablespace_zfs: float = measured(14, 0.5, "zfs-ufs/ts creation/ZFS (default)")
    tablespace_compressed: float = measured(4, 0.5, "zfs-ufs/ts creation/ZFS+comp")
    database_ufs: float = measured(38, 0.5, "zfs-ufs/db creation/UFS")
    database_compressed: float = measured(18, 0.5, "zfs-ufs/db creation/ZFS+comp")
    database_direct_32k: float = measured(48.718, 0.0005, "zfs-ufs/UFS(forcedirectio,8K,32K)/db creation")
    index_ufs: float = measured(48, 0.5, "zfs-ufs/index creation/UFS")
    index_zfs: float = measured(38, 0.5, "zfs-ufs/index creation/ZFS (default)")
    index_compressed: float = measured(31, 0.5, "zfs-ufs/index creation/ZFS+comp")
    key_ufs: float = measured(115, 0.5, "zfs-ufs/key creation/UFS")
    command_s: float = assumed(*COMMAND_S)
    checksum_s_per_byte: float = assumed(*CHECKSUM_S_PER_BYTE)
    record_s: float = assumed(*RECORD_S)
    data_share: float = assumed(*COMPRESSED_SHARE)
    script_redo_bytes: float = assumed(*SCRIPT_REDO_BYTES)
    load_redo_bytes: float = assumed(*ROW_REDO_BYTES)

    def log_write_s(self, redo_bytes: float) -> float:
        """A log write into the cache of the drive: redo x copy + blocks x (command + block x bus)."""
        block_s = self.command_s + BLOCK_BYTES * BUS_S_PER_BYTE
        return redo_bytes * COPY_S_PER_BYTE + touched_blocks(redo_bytes) * block_s

    def ufs_write_s(self) -> float:
        """Path of a synchronous write: catalog creation on UFS = CPU time + commits x (path + log write)."""
        return (self.catalog_ufs - SCRIPT_USER_S) / SCRIPT_COMMITS - self.log_write_s(self.script_redo_bytes)

    def row_s(self) -> float:
        """CPU time of a loaded row: data load on UFS, a commit = rows a commit x row + path + log write."""
        transaction_s = self.load_ufs / ROWS * ROWS_PER_COMMIT
        redo_bytes = ROWS_PER_COMMIT * self.load_redo_bytes
        return (transaction_s - self.ufs_write_s() - self.log_write_s(redo_bytes)) / ROWS_PER_COMMIT

    def block_growth(self) -> float:
        """Growth of CPU time with each 8 KiB of block: catalog(32 KiB) - catalog(8 KiB) = 3 x growth x CPU."""
        return (self.catalog_direct_32k - self.catalog_direct_8k) / 3 / SCRIPT_USER_S

    def tablespace_bytes(self) -> float:
        """Bytes of the tablespace: creation on UFS = (bytes - drive cache) / bandwidth."""
        return self.tablespace_ufs / DISK_S_PER_BYTE + DRIVE_CACHE_BYTES

    def burst_bytes(self) -> int:
        """Bytes between repositions: tablespace(zfs) = bytes / bandwidth + bytes / burst x (seek + rotation)."""
        tablespace_bytes = self.tablespace_bytes()
        repositions_s = self.tablespace_zfs - tablespace_bytes * DISK_S_PER_BYTE
        return round((SEEK_S + ROTATION_S) / repositions_s * tablespace_bytes)

    def database_user_s(self) -> float:
        """Start of the instance and its statements, which compression does not shorten.

        With ``share`` for tablespace(compressed) / tablespace(ufs),

            database(ufs)        = layout         + user
            database(compressed) = layout x share + user
        """
        share = self.tablespace_compressed / self.tablespace_ufs
        return (self.database_compressed - self.database_ufs * share) / (1.0 - share)

    def database_bytes(self) -> float:
        """Bytes laid out for the database: creation on UFS = (bytes - drive cache) / bandwidth + user."""
        return (self.database_ufs - self.database_user_s()) / DISK_S_PER_BYTE + DRIVE_CACHE_BYTES

    def file_growth(self) -> float:
        """Growth of files with each 8 KiB of block.

        Database(32 KiB, 1 GB) - database(8 KiB, 4 GB) = paging + 3 x growth of CPU x user + 3 x growth x layout.
        """
        paged_s = (USED_BYTES - MEMORY_BYTES) * DISK_S_PER_BYTE
        user_s = 3 * self.block_growth() * self.database_user_s()
        grown_s = self.database_direct_32k - self.database_ufs - paged_s - user_s
        return grown_s / 3 / (self.database_bytes() * DISK_S_PER_BYTE)

    def reposition_s_per_byte(self) -> float:
        """(seek + rotation) / burst."""
        return (SEEK_S + ROTATION_S) / self.burst_bytes()

    def written_s_per_byte(self, compress_s_per_byte: float, share: float) -> float:
        """Time of a byte that ZFS writes, compressed to ``share``; all cores pass on records, one enters them."""
        passed_s = self.record_s / RECORD_BYTES + compress_s_per_byte + share * self.checksum_s_per_byte
        cpu_s = COPY_S_PER_BYTE + self.record_s / RECORD_BYTES + passed_s / CORES
        return cpu_s + share * DISK_S_PER_BYTE + self.reposition_s_per_byte()

    def index_written_bytes(self) -> float:
        """Bytes written, from the saving by compression.

        Index(zfs) - index(compressed) = bytes x (time a byte - time a compressed byte).
        """
        saved_s_per_byte = self.written_s_per_byte(0.0, 1.0) - self.written_s_per_byte(
            COMPRESS_S_PER_BYTE, self.data_share
        )
        return (self.index_zfs - self.index_compressed) / saved_s_per_byte

    def index_read_bytes(self) -> float:
        """Bytes read, which UFS has only on disk.

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
