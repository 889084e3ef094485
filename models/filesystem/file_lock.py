"""A file of a file system: the lock that its I/O holds, by file system, mode of access and alignment.

    I/O ──> hold the [file lock]  free: not at all; shared: beside other shared ones; exclusive: alone
               └─ below

Every I/O keeps the lock until it is done. So an exclusive one waits for all I/O in flight before it, and all that
come after wait for it: that is what a kernel that drains asynchronous I/O does too.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from models.io import IO
from models.layer import Layer
from sim import Delay, Exponential, Hold, IfAny, InputError, Lock, Path
from sim.errors import nearest

Mode = Literal["free", "shared", "exclusive"]


@dataclass(frozen=True)
class LockRule:
    """In which mode reads and writes hold the lock of their file; ``source`` says where the rule is written."""

    read: Mode
    write: Mode
    source: str


@dataclass(frozen=True)
class _Rules:
    """The rules of a file system for one mode of access: for I/O in whole blocks, and for other I/O."""

    aligned: LockRule
    unaligned: LockRule


def _always(read: Mode, write: Mode, source: str) -> _Rules:
    rule = LockRule(read, write, source)
    return _Rules(rule, rule)


_ORDERED = "POSIX: a write happens whole or not at all for every reader, so one writer at a time"
_CLOSSON = "K. Closson, Yes Direct I/O Means Concurrent Writes"

_RULES = {
    "xfs": {
        "direct": _Rules(
            aligned=LockRule("shared", "shared", "Linux 5.4, xfs_file_dio_aio_write: the lock is shared"),
            unaligned=LockRule(
                "shared",
                "exclusive",
                "Linux 5.1, 'xfs: serialize unaligned dio writes against all other dio writes': "
                "exclusive, and waits for I/O in flight before and after",
            ),
        ),
        "buffered": _always("shared", "exclusive", f"Linux 5.4, xfs_file_buffered_aio_write; {_ORDERED}"),
    },
    "ext4": {
        "direct": _always(
            "shared",
            "shared",
            "Linux 3.6, 'ext4: don't take the i_mutex lock when doing DIO overwrites'; unaligned asynchronous "
            "overwrites leave it once submitted and wait for unwritten extents only, of which a log has none",
        ),
        "buffered": _always("free", "exclusive", "Linux 5.4, ext4_file_write_iter: inode_lock; reads take none"),
    },
    "ext3": {
        "direct": _always(
            "free", "exclusive", "Linux 2.6, generic_file_aio_write: i_mutex around the whole write"
        ),
        "buffered": _always("free", "exclusive", "Linux 2.6, generic_file_aio_write: i_mutex; reads take none"),
    },
    "ufs": {
        "buffered": _always("shared", "exclusive", _ORDERED),
        "direct": _always("shared", "shared", f"{_CLOSSON}: Solaris 8U3 and later, forcedirectio"),
        "direct-8u2": _always("shared", "exclusive", f"{_CLOSSON}: Solaris 8U3 first took the lock away"),
    },
    "vxfs": {
        "buffered": _always("shared", "exclusive", _ORDERED),
        "direct": _always(
            "shared", "exclusive", f"mount_vxfs(1M), mincache=direct: no copy, the same locks; {_ORDERED}"
        ),
        "odm": _always("shared", "shared", f"{_CLOSSON}: VxFS with ODM, as with Quick I/O"),
    },
    "psfs": {
        "buffered": _always("shared", "exclusive", _ORDERED),
        "dboptimize": _always("shared", "shared", f"{_CLOSSON}: PSFS with the DBOptimized mount option"),
    },
    "nfs": {
        "buffered": _always("free", "exclusive", "Linux 2.6, nfs_file_write: i_mutex; reads take none"),
        "direct": _always("free", "free", "Linux 2.6, nfs_file_direct_write: avoids the inode semaphore"),
    },
}

FILE_SYSTEMS = {name: tuple(modes) for name, modes in _RULES.items()}
"""The known file systems, and how each can be accessed."""


def lock_rule(file_system: str, access: str, *, aligned: bool = True) -> LockRule:
    """The rule of ``file_system`` for ``access`` (such as ``direct``) in whole blocks, or not ``aligned`` to them.

    Raises:
        InputError: a file system, or an access to it, that is not listed.
    """
    if file_system not in _RULES:
        raise InputError(f"no file system '{file_system}'; {nearest(file_system, _RULES)}")
    modes = _RULES[file_system]
    if access not in modes:
        raise InputError(f"no access '{access}' to {file_system}; {nearest(access, modes)}")
    return modes[access].aligned if aligned else modes[access].unaligned


@dataclass(frozen=True)
class LockedFile:
    """A file and its lock: every I/O holds ``lock`` as ``rule`` says, until all below is done.

    ``wake_s`` is the mean time until a writer that slept at an exclusive lock runs again, exponential; the lock is
    its own meanwhile. A writer that finds the lock free does not sleep.
    """

    lock: Lock
    rule: LockRule
    below: Layer
    wake_s: float = 0.0

    def path(self, io: IO) -> Path:
        """Lock, go on below, unlock."""
        mode = self.rule.read if io.op == "read" else self.rule.write
        below = self.below.path(io)
        if mode == "free":
            return below
        if mode == "shared":
            return (Hold(self.lock.shared, *below),)
        alone = Hold(self.lock.exclusive, *below)
        if not self.wake_s:
            return (alone,)
        woken = Hold(self.lock.exclusive, Delay(Exponential(self.wake_s)), *below)
        return (IfAny(self.lock, woken, alone),)
