"""Settings of the shared-file system, and their incompatible combinations."""

from __future__ import annotations

from dataclasses import dataclass

from models.parts.file.lock import ACCESSES
from models.parts.file.lock_rules import (
    EXTENTS,
    FILE_SYSTEMS,
    Extents,
    LockRule,
    linux,
    lock_rule,
)
from sim import InputError
from sim.engine.units import KIB
from sim.system import choice, count, flag, size
from sim.system.releases import Release

MOUNTS = ACCESSES
LUN, DUO, NVME = "lun", "iodrive-duo", "nvme"
BLOCK_BYTES = 4 * KIB
"""Block of the file system: the default of mkfs.xfs and mkfs.ext4."""


@dataclass(frozen=True)
class SharedFileSettings:
    """Processes on one file."""

    filesystem: str = choice("psfs", "whose lock rule holds", tuple(FILE_SYSTEMS))
    mount: str = choice(
        "dboptimize", "how the file is accessed; each file system knows some of these", MOUNTS, role="access"
    )
    kernel: Release = linux("5.4")
    extents: Extents = choice("written", "the blocks that writes go to, on which the same rules depend", EXTENTS)
    device: str = choice(LUN, "what the file is on, and the host in front of it", (LUN, DUO, NVME))
    writers: int = count(1, "processes, each overwriting its part of the file", high=256, role="clients")
    threads: int = count(1, "threads of each writer", high=256)
    depth: int = count(1, "writes in flight of each thread; from two on it does not wait for them", high=1024)
    readers: int = count(0, "dd processes that read the file meanwhile, without end", low=0, high=256)
    block: int = size(4 * KIB, "bytes of one read or write", high=16 << 20)
    file: int = size(1024 * KIB * KIB, "bytes that the writers overwrite together", high=64 << 30, role="bytes")
    aligned: bool = flag("writes begin at a block of the file system", default=True)

    @property
    def rule(self) -> LockRule:
        """Lock mode of the file; writes of part of a block are never in whole blocks."""
        return lock_rule(
            self.filesystem, self.mount, aligned=self.whole_blocks, kernel=self.kernel, extents=self.extents
        )

    @property
    def whole_blocks(self) -> bool:
        """True if each I/O is in whole blocks of the file system."""
        return self.aligned and self.block % BLOCK_BYTES == 0

    def check(self) -> None:
        """Refuse combinations that are not modelled.

        Raises:
            InputError: one line, with what is allowed.
        """
        if self.mount not in FILE_SYSTEMS[self.filesystem]:
            known = ", ".join(sorted(FILE_SYSTEMS[self.filesystem]))
            raise InputError(f"mount is '{self.mount}'; allowed for {self.filesystem}: {known}")
        if self.device == LUN and self.depth > 1:
            raise InputError(
                f"depth is {self.depth}, but on device=lun dd writes, which waits for each block; give more "
                f"writers, or device={DUO} or {NVME}"
            )
        if self.device != LUN and self.mount == "buffered":
            raise InputError(
                f"mount is 'buffered'; allowed on device={self.device}: direct I/O; or give device=lun"
            )
        if self.device != LUN and self.readers:
            raise InputError(
                f"readers is {self.readers}; allowed on device={self.device}: 0, since reads were not measured "
                f"there; or give device={LUN}"
            )
