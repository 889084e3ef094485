"""Settings of the file-sync system: options of fio, and its host."""

from __future__ import annotations

from dataclasses import dataclass

from models.systems.file_sync.hosts import HOSTS
from sim.engine.units import KIB
from sim.system import choice, count, size

SYNCS = ("none", "fsync", "fdatasync")


@dataclass(frozen=True)
class FileSyncSettings:
    """Jobs of fio, each a process with one direct write in flight (psync)."""

    host: str = choice("dell32", "machine and device, by the name that its source gives it", tuple(HOSTS))
    filesystem: str = choice("ext4", "file system of the file, whose blocks are all written", ("ext4", "xfs"))
    jobs: int = count(1, "processes that write the one file", high=256, role="clients")
    block: int = size(16 * KIB, "bytes of one write", low=512, high=16 << 20)
    sync: str = choice("fsync", "what a process calls after each write", SYNCS)
