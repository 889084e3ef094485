"""Derivation of the parameters of the file-copy system from published figures.

PSFS under direct I/O: 1 GiB was copied by calls of 4 KiB (small) and of 8 MiB (large), so that the time of a call
divides into a constant part and a part proportional to its size. UFS: 1000 MiB were copied by read and write
of 8 MiB, and by the stock cp, which maps the source.
"""

from __future__ import annotations

from dataclasses import dataclass

from sim.engine.units import KIB
from sim.system.derivation import assumed, measured, moves, rounded

MIB = KIB * KIB
SMALL, LARGE = 4 * KIB, 8 * MIB
SMALL_CALLS, LARGE_CALLS = 2 * 1024 * MIB // SMALL, 2 * 1024 * MIB // LARGE

OVERLAP = 96 * KIB / LARGE
"""Share of gzip's work while dd reads the next 8 MiB: on the content of the pipe and its own buffer."""

CACHED_READ_BYTES_PER_S = 815e6
PIPE_S = MIB / CACHED_READ_BYTES_PER_S
"""Copy of one MiB through a pipe."""

UFS_BYTES = 1000 * MIB

REPOSITION_S, REPOSITION_LIKELY = 8.5e-3 + 4.2e-3, (6e-3, 17e-3)
"""A mean seek and half a turn; range for files close together or far apart: a seek of 2 ms, or one of 13 ms."""


@dataclass(frozen=True)
class Figures:
    """Published times in seconds, the shares of gzip's elapsed time that dd saves, and assumptions."""

    small_system: float = measured(52.465, 0.0005, "direct-copy//bin/cp/sys")
    large_system: float = measured(6.883, 0.0005, "direct-copy//bin/cp8M/sys")
    small_elapsed: float = measured(521.054, 0.0005, "direct-copy//bin/cp/real")
    large_elapsed: float = measured(23.947, 0.0005, "direct-copy//bin/cp8M/real")
    small_user: float = measured(0.304, 0.0005, "direct-copy//bin/cp/user")
    front_speedup: float = rounded(0.16, 0.005, "direct-copy/dd | gzip/speedup")
    both_speedup: float = rounded(0.20, 0.005, "direct-copy/dd | gzip | dd/speedup")
    ufs_copy_system: float = measured(14.264, 0.0005, "direct-copy//usr/bin/cp8m/sys")
    ufs_map_system: float = measured(14.363, 0.0005, "direct-copy//usr/bin/cp/sys")
    ufs_direct_system: float = measured(10.853, 0.0005, "direct-copy//usr/bin/cp, forcedirectio/sys")
    ufs_elapsed: float = measured(116.217, 0.0005, "direct-copy//usr/bin/cp8m/real")
    reposition_s: float = assumed(REPOSITION_S, REPOSITION_LIKELY)

    # Seconds of one call, the mean of a read and a write.

    @property
    def user_s(self) -> float:
        """User time of a call."""
        return self.small_user / SMALL_CALLS

    @property
    def small_system_s(self) -> float:
        """System time of a small call."""
        return self.small_system / SMALL_CALLS

    @property
    def small_elapsed_s(self) -> float:
        """Elapsed time of a small call."""
        return self.small_elapsed / SMALL_CALLS

    def io_s_per_byte(self) -> float:
        """System time of a byte's I/O: system(large) - system(small) = io x (large - small)."""
        return (self.large_system / LARGE_CALLS - self.small_system_s) / (LARGE - SMALL)

    def call_s(self) -> float:
        """System time of a call: system(small) = call + small x io."""
        return self.small_system_s - SMALL * self.io_s_per_byte()

    def lun_s_per_byte(self) -> float:
        """Time of a byte at the LUN: elapsed(large) - elapsed(small) = (io + lun) x (large - small)."""
        return (self.large_elapsed / LARGE_CALLS - self.small_elapsed_s) / (LARGE - SMALL) - self.io_s_per_byte()

    def latency_s(self) -> float:
        """Latency of the LUN: elapsed(small) = system(small) + user + latency + small x lun."""
        return self.small_elapsed_s - self.small_system_s - self.user_s - SMALL * self.lun_s_per_byte()

    def direct_s(self, block_bytes: int) -> float:
        """Time of all direct calls of ``block_bytes`` for one MiB.

        Calls x (user + call + latency + block x (io + lun)).
        """
        one_s = (
            self.user_s
            + self.call_s()
            + self.latency_s()
            + block_bytes * (self.io_s_per_byte() + self.lun_s_per_byte())
        )
        return MIB / block_bytes * one_s

    @property
    def read_s(self) -> float:
        """Time of gzip's reads, for one MiB."""
        return self.direct_s(32 * KIB)

    @property
    def write_s(self) -> float:
        """Time of gzip's writes, for one MiB."""
        return self.direct_s(16 * KIB)

    def front_s(self) -> float:
        """Seconds saved by a dd before gzip, for a MiB of input: read - read in large calls - pipe."""
        return self.read_s - self.direct_s(LARGE) - PIPE_S

    def gzip_elapsed_s(self) -> float:
        """Elapsed time of gzip alone, for a MiB of input: 0.16 x gzip = front + overlap x (gzip - read)."""
        return (self.front_s() - OVERLAP * self.read_s) / (self.front_speedup - OVERLAP)

    def behind_s(self) -> float:
        """Seconds saved by a dd after gzip: 0.20 x gzip = front + overlap x (gzip - read) + behind."""
        alone_s = self.gzip_elapsed_s()
        return self.both_speedup * alone_s - self.front_s() - OVERLAP * (alone_s - self.read_s)

    def gzip_share(self) -> float:
        """Compressed bytes for each byte read: behind = share x ((1 - overlap) x write - pipe)."""
        return self.behind_s() / ((1.0 - OVERLAP) * self.write_s - PIPE_S)

    def gzip_user_s(self) -> float:
        """User time of gzip for each MiB of input: gzip = read + user + share x write."""
        return self.gzip_elapsed_s() - self.read_s - self.gzip_share() * self.write_s

    # Seconds of system time for each byte, on UFS.

    @property
    def _read_or_written(self) -> float:
        """Through the page cache by calls: read and write for each byte."""
        return self.ufs_copy_system / 2 / UFS_BYTES

    @property
    def _mapped(self) -> float:
        """Mapped: the stock cp maps each byte, and writes it through the page cache."""
        return self.ufs_map_system / UFS_BYTES - self._read_or_written

    def ufs_io_s_per_byte(self) -> float:
        """I/O of a byte: under forcedirectio the stock cp maps it, and writes it by direct calls of 1 MiB.

        Reads and writes through the page cache have their I/O, too, which the kernel starts.
        """
        return (self.ufs_direct_system - UFS_BYTES / MIB * self.call_s()) / UFS_BYTES - self._mapped

    def ufs_page_s_per_byte(self) -> float:
        """Time of a byte read or written, besides its I/O."""
        return self._read_or_written - self.ufs_io_s_per_byte()

    def ufs_map_s_per_byte(self) -> float:
        """Time of a mapped byte, besides its I/O."""
        return self._mapped - self.ufs_io_s_per_byte()

    def ufs_bytes_per_s(self) -> float:
        """Bandwidth of the disk: elapsed = bytes / bandwidth + two repositions for each 8 MiB.

        The disk turns from reading to writing and back once a block; cp ends before its last block is on disk.
        """
        return (2 * UFS_BYTES - LARGE) / (self.ufs_elapsed - 2 * UFS_BYTES / LARGE * self.reposition_s)


FIGURES = Figures()
MOVED = moves(FIGURES)
"""The figures, each moved in turn."""
