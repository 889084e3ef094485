"""A file of a file system: the lock of its I/O, by file system, mode of access and alignment.

    I/O ──> hold the [file lock]  free: not at all; shared: beside other shared ones; exclusive: alone
               └─ below

Every I/O keeps the lock until it is done, unless the file's I/O does not wait. So an exclusive one waits for all
earlier I/O in flight, and all later ones wait for it, as in a kernel that drains asynchronous I/O.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace

from models.io import IO, FileIO
from models.layer import FileLayer, Layer
from models.parts.file.lock_rules import (
    EXTENTS,
    FILE_SYSTEMS,
    Extents,
    LockRule,
    Mode,
    linux,
    lock_rule,
    spins,
)
from models.parts.host.asleep import handed_over
from models.parts.host.host import fetched, of_host, on_core, woken
from sim import Hold, Lock, Path
from sim.system import choice, size
from sim.system.releases import Release
from sim.system.stack.kinds import PAGE_CACHE, PAGES, Below


@dataclass(frozen=True)
class LockedFile:
    """A file and its lock: every I/O holds ``lock`` by ``rule`` until it is done below.

    A writer that finds the lock free does not sleep. One that slept owns the lock while it wakes up.

    Attributes:
        wake: steps until a writer that slept at an exclusive lock runs again; none if it spins.
        submit: steps of a thread with the lock before its I/O is in flight.
        waits: True to hold the lock until I/O is done; False to hold it only to submit, as for asynchronous I/O.
    """

    lock: Lock
    rule: LockRule
    below: Layer
    wake: Path = ()
    submit: Path = ()
    waits: bool = True

    def path(self, io: IO) -> Path:
        """Lock, go on below, unlock."""
        return (*self.submitted(io), *self.rest(io))

    def submitted(self, io: IO) -> Path:
        """Steps that block the thread of ``io``."""
        mode = self.rule.read if io.op == "read" else self.rule.write
        below = self.below.path(io) if self.waits else ()
        return _held(self.lock, mode, (*self.submit, *below), self.wake)

    def rest(self, io: IO) -> Path:
        """Steps of the I/O after the thread continues."""
        return () if self.waits else self.below.path(io)


def _held(lock: Lock, mode: Mode, below: Path, wake: Path, fetch: Path = ()) -> Path:
    """The path ``below`` with the lock held: after ``fetch`` if it was free, after ``wake`` if it was not."""
    if mode == "free":
        return below
    if mode == "shared":
        return (Hold(lock.shared, *fetch, *below),)
    return (handed_over(lock, wake, *below, free=fetch),)


BUFFERED = "buffered"

ACCESSES = tuple(dict.fromkeys(access for accesses in FILE_SYSTEMS.values() for access in accesses))
"""All modes of access; each file system supports some of them."""


@dataclass(frozen=True)
class File:
    """Files of a file system, with its locks for simultaneous reads and writes."""

    filesystem: str = choice("xfs", "file system whose lock rule holds", FILE_SYSTEMS)
    access: str = choice("direct", "how files are opened; ufs, vxfs and psfs know further words", ACCESSES)
    kernel: Release = linux("6.4")
    extents: Extents = choice(
        "written", "state of the blocks that are written; an append is always extending", EXTENTS
    )
    block: int = size(
        4096,
        "block of the file system; an I/O that does not begin and end on one is unaligned",
        low=512,
        high=65536,
    )
    files: str = choice(
        "load",
        "each process has its own file, or all share one; load: as the load says",
        ("load", "each", "shared"),
    )
    wake: float | None = of_host("wake-up of a writer that slept at the lock; 0: it spins")

    def gives(self, _written: Collection[str]) -> tuple[str, ...]:
        """A page cache, if the mode of access uses it."""
        return (PAGE_CACHE,) if self.access == BUFFERED else ()

    def notes(self, asked: Collection[str]) -> Iterator[str]:
        """Note that only the lock of a page cache is modelled here."""
        if self.access == BUFFERED and PAGES not in asked:
            yield (
                "access = 'buffered': the lock is simulated, not what a page cache holds; each I/O goes on "
                "below; put a layer of the kind page cache there, or let it be direct"
            )

    def layer(self, name: str, below: Below) -> FileLayer:
        """The files, on the layers below.

        Raises:
            InputError: the file system does not support the mode of access.
        """
        lock_rule(self.filesystem, self.access)
        return _Files(self, name, below(""))


@dataclass(frozen=True)
class _Files:
    """All files; each I/O names its own."""

    kind: File
    name: str
    below: FileLayer

    def path(self, io: FileIO) -> Path:
        """Hold the lock of its file; a flush holds none."""
        io = replace(io, file=self._number(io))
        lock = Lock(f"{self.name} lock {io.file}")
        fetch = fetched(io, self._sharers(io))
        return _held(lock, self._mode(io), self.below.path(io), self._wake(io), fetch)

    def _wake(self, io: FileIO) -> Path:
        """Steps of a waiter: it sleeps, unless the rule is to spin while the holder runs, as in a copy.

        A spinning waiter has the lock as soon as its cache line comes from the holder's core.
        """
        kind = self.kind
        runs = kind.access == BUFFERED and spins(kind.filesystem, kind.kernel)
        if kind.wake is None and runs:
            return on_core(io.times.line_s, None) if io.times else ()
        return woken(kind.wake, io)

    def _number(self, io: FileIO) -> int:
        return {"load": io.file, "each": io.process_of_all, "shared": 0}[self.kind.files]

    def _sharers(self, io: FileIO) -> int:
        return {"load": io.sharers, "each": 1, "shared": io.processes}[self.kind.files]

    def _mode(self, io: FileIO) -> Mode:
        if io.op == "flush":
            return "free"
        rule = lock_rule(
            self.kind.filesystem,
            self.kind.access,
            aligned=io.aligned_bytes % self.kind.block == 0,
            kernel=self.kind.kernel,
            extents="extending" if io.appends else self.kind.extents,
        )
        return rule.read if io.op == "read" else rule.write
