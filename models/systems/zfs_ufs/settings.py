"""Settings of a database on ZFS or UFS."""

from __future__ import annotations

from dataclasses import dataclass

from sim.engine.units import KIB
from sim.system import choice, count, flag, size

PHASES = ("db-creation", "catalog", "ts-creation", "load", "index", "key")


@dataclass(frozen=True)
class ZfsUfsSettings:
    """A phase, and the file system below it."""

    phase: str = choice("catalog", "what the database does", PHASES)
    filesystem: str = choice("zfs", "file system of its files", ("ufs", "zfs"))
    mount: str = choice(
        "buffered", "ufs: through the page cache or not", ("buffered", "forcedirectio"), role="access"
    )
    recordsize: int = size(128 * KIB, "zfs: bytes of a record", low=512, high=128 * KIB, role="chunk")
    compression: bool = flag("zfs: LZJB", default=False)
    checksum: bool = flag("zfs: fletcher2", default=True)
    flush: bool = flag("zfs: the intent log waits for the platter, not for the drive's cache", default=True)
    block: int = size(8 * KIB, "block of the database", low=2 * KIB, high=32 * KIB)
    rows: int = count(64, "load: rows of a commit", high=100_000)
    memory: int = size(4 << 30, "of the host", low=512 << 20, high=1 << 40)
    maxphys: int = size(56 * KIB, "largest physical I/O", low=4 * KIB, high=8 << 20)
