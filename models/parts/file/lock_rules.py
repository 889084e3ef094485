"""Lock modes of reads and writes of a file, by file system, mode of access, kernel and blocks.

An I/O in whole blocks of the file system is *aligned*. The blocks that it goes to are *written*; *preallocated*,
that is, set aside by fallocate and never written; *unwritten*, that is, still to be allocated; or the write is
*extending* the file.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, get_args

from sim import InputError
from sim.engine.errors import nearest
from sim.system.releases import Release, release

Mode = Literal["free", "shared", "exclusive"]
Extents = Literal["written", "preallocated", "unwritten", "extending"]

EXTENTS: tuple[Extents, ...] = get_args(Extents)

FIRST_KERNEL, LAST_KERNEL = (2, 6), (9, 99)
"""Releases of Linux whose rules are known; 2.6 is 2.6.18 to 2.6.37, and one after 6.4 keeps the rules of 6.4."""

PUBLISHED_KERNEL = (5, 4)
"""Release on the machines of published figures."""


def linux(default: str) -> Any:
    """A field that is the release of Linux under a file."""
    about = "release of Linux, on which the rules of xfs and ext4 depend"
    return release(default, about, program="Linux", low=FIRST_KERNEL, high=LAST_KERNEL)


@dataclass(frozen=True)
class LockRule:
    """Lock modes of reads and writes of a file; ``source`` states where the rule is written."""

    read: Mode
    write: Mode
    source: str


@dataclass(frozen=True)
class _Rules:
    """The rules of a file system for one mode of access, from one kernel on.

    Attributes:
        read: mode of all reads.
        write: mode of writes that do not share the lock.
        since: the first kernel.
        aligned, other: block states in which writes share the lock: aligned writes, and others.
    """

    read: Mode
    write: Mode
    source: str
    since: Release = FIRST_KERNEL
    aligned: tuple[Extents, ...] = ()
    other: tuple[Extents, ...] = ()

    def rule(self, extents: Extents, *, aligned: bool) -> LockRule:
        """The rule for one I/O."""
        shared = extents in (self.aligned if aligned else self.other)
        return LockRule(self.read, "shared" if shared else self.write, self.source)


_ORDERED = "POSIX: a write happens whole or not at all for every reader, so one writer at a time"
_CLOSSON = "K. Closson, Yes Direct I/O Means Concurrent Writes"

_XFS_DIRECT = (
    _Rules(
        "shared",
        "exclusive",
        "Linux 2.6.18, xfs_write: a direct write in whole sectors takes the lock shared, once the pages of the "
        "file are flushed or its end is zeroed",
        aligned=EXTENTS,
        other=EXTENTS,
    ),
    _Rules(
        "shared",
        "exclusive",
        "Linux 5.4, xfs_file_dio_aio_write: the lock is shared, and once the end of the file is zeroed shared "
        "again; 2032a8a27b5c 'xfs: serialize unaligned dio writes against all other dio writes' (5.1): others are "
        "exclusive, and wait for I/O in flight before and after",
        since=(3, 0),
        aligned=EXTENTS,
    ),
    _Rules(
        "shared",
        "exclusive",
        "ed1128c2d0c8 'xfs: reduce exclusive locking on unaligned dio': shared where blocks are written",
        since=(5, 12),
        aligned=EXTENTS,
        other=("written",),
    ),
)

_EXT4_DIRECT = (
    _Rules("shared", "exclusive", "Linux 2.6 and 3.0, generic_file_aio_write: i_mutex around the whole write"),
    _Rules(
        "shared",
        "exclusive",
        "4bd809dbbf17 'ext4: don't take the i_mutex lock when doing DIO overwrites'; unaligned asynchronous "
        "overwrites leave it once submitted and wait for unwritten extents only, of which a log has none",
        since=(3, 6),
        aligned=("written",),
        other=("written",),
    ),
    _Rules(
        "shared",
        "exclusive",
        "378f32bab371 'ext4: introduce direct I/O write using iomap infrastructure': unaligned ones keep the lock "
        "until they are done",
        since=(5, 5),
        aligned=("written",),
    ),
    _Rules(
        "shared",
        "exclusive",
        "Linux 6.3, ext4: overwrites of preallocated blocks share the lock, too",
        since=(6, 3),
        aligned=("written", "preallocated"),
    ),
    _Rules(
        "shared",
        "exclusive",
        "310ee0902b8d 'ext4: allow concurrent unaligned dio overwrites': those of written blocks",
        since=(6, 4),
        aligned=("written", "preallocated"),
        other=("written",),
    ),
)

_RULES: dict[str, dict[str, tuple[_Rules, ...]]] = {
    "xfs": {
        "direct": _XFS_DIRECT,
        "buffered": (_Rules("shared", "exclusive", f"Linux 5.4, xfs_file_buffered_aio_write; {_ORDERED}"),),
    },
    "ext4": {
        "direct": _EXT4_DIRECT,
        "buffered": (_Rules("free", "exclusive", "Linux 5.4, ext4_file_write_iter: inode_lock; reads take none"),),
    },
    "ext3": {
        "direct": (
            _Rules("free", "exclusive", "Linux 2.6, generic_file_aio_write: i_mutex around the whole write"),
        ),
        "buffered": (_Rules("free", "exclusive", "Linux 2.6, generic_file_aio_write: i_mutex; reads take none"),),
    },
    "ufs": {
        "buffered": (_Rules("shared", "exclusive", _ORDERED),),
        "direct": (_Rules("shared", "shared", f"{_CLOSSON}: Solaris 8U3 and later, forcedirectio"),),
        "direct-8u2": (_Rules("shared", "exclusive", f"{_CLOSSON}: Solaris 8U3 first took the lock away"),),
    },
    "vxfs": {
        "buffered": (_Rules("shared", "exclusive", _ORDERED),),
        "direct": (
            _Rules("shared", "exclusive", f"mount_vxfs(1M), mincache=direct: no copy, the same locks; {_ORDERED}"),
        ),
        "odm": (_Rules("shared", "shared", f"{_CLOSSON}: VxFS with ODM, as with Quick I/O"),),
    },
    "psfs": {
        "buffered": (_Rules("shared", "exclusive", _ORDERED),),
        "dboptimize": (_Rules("shared", "shared", f"{_CLOSSON}: PSFS with the DBOptimized mount option"),),
    },
    "nfs": {
        "buffered": (_Rules("free", "exclusive", "Linux 2.6, nfs_file_write: i_mutex; reads take none"),),
        "direct": (_Rules("free", "free", "Linux 2.6, nfs_file_direct_write: avoids the inode semaphore"),),
    },
}

_SPINNING: dict[str, Release] = {"xfs": (3, 16), "ext3": (3, 0), "ext4": (3, 0), "nfs": (3, 0)}
"""First kernels in which waiters spin while the holder of the lock runs on a core, and sleep once the holder does.

XFS has a reader-writer semaphore, whose writers spin since 4fc828e24cd9 "locking/rwsem: Support optimistic
spinning" (3.16; rwsem_optimistic_spin, rwsem_spin_on_owner). The others had a mutex, i_mutex, which spins since
2.6.29 ("mutex: implement adaptive spinning"), and such a semaphore since 4.7. In other
systems waiters sleep, as far as is known.
"""

FILE_SYSTEMS = {name: tuple(modes) for name, modes in _RULES.items()}
"""The known file systems, each with its modes of access."""


def lock_rule(
    file_system: str,
    access: str,
    *,
    aligned: bool = True,
    kernel: Release = PUBLISHED_KERNEL,
    extents: Extents = "written",
) -> LockRule:
    """The rule of ``file_system`` for ``access`` (such as ``direct``) in whole blocks, or not ``aligned`` to them.

    Raises:
        InputError: an unlisted file system, or an unlisted mode of access to it.
    """
    if file_system not in _RULES:
        raise InputError(f"no file system '{file_system}'; {nearest(file_system, _RULES)}")
    modes = _RULES[file_system]
    if access not in modes:
        raise InputError(f"no access '{access}' to {file_system}; {nearest(access, modes)}")
    rules = next(rules for rules in reversed(modes[access]) if rules.since <= kernel)
    return rules.rule(extents, aligned=aligned)


def spins(file_system: str, kernel: Release) -> bool:
    """True if a waiter for the lock of a file spins as long as the holder runs."""
    since = _SPINNING.get(file_system)
    return since is not None and since <= kernel
