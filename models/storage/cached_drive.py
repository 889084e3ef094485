"""A disk drive with a write cache: it reports a write as done when it has the bytes, and moves its arm later.

write ──> [bus] a command, bytes ──> put into [cache] ──> done;   behind it [arm] reposition, transfer ──> take out
read  ──> [arm] reposition, transfer ──> [bus]
flush ──> wait until the cache is empty
chain ──> the cache is empty: the platter has turned on ──> write;   otherwise: write behind the last

The host cuts each request into physical I/Os, each a command of its own. The platter takes longer than the bus, so
that a large request is no slower for being cut.
"""

from __future__ import annotations

from dataclasses import dataclass

from models.io import IO
from sim import (
    Buffer,
    Cache,
    Delay,
    Fork,
    Hold,
    IfAny,
    Lookup,
    Path,
    Pool,
    Put,
    Repeat,
    Replayed,
    Station,
    Step,
    Take,
    Use,
)

_ASTRAY = 0


@dataclass(frozen=True)
class Drive:
    """One drive.

    Attributes:
        queue: requests; the physical I/Os of one go to the drive together.
        place: remembers the region where the arm is, and no other.
        seek_s, rotation_s: to another region of the same few gigabytes; half a turn.
        bytes_per_s: of the platter.
        bus_bytes_per_s, command_s: bandwidth and time of a command of the interface.
        physical_bytes: the largest physical I/O.
    """

    bus: Station
    queue: Pool
    cache: Buffer
    arm: Pool
    place: Cache
    seek_s: float
    rotation_s: float
    bytes_per_s: float
    bus_bytes_per_s: float
    command_s: float
    physical_bytes: int

    @property
    def flush(self) -> Path:
        """Wait until all that the cache holds is on the platter: only then a put as large as the cache fits."""
        return (Put(self.cache, self.cache.capacity), Take(self.cache, self.cache.capacity))

    def region(self, number: int, *, anew: bool = False) -> Region:
        """The region ``number`` (from 1) of the platter."""
        return Region(self, number, anew)

    def chain(self, number: int) -> Chain:
        """The region ``number`` for writes of which each is flushed."""
        return Chain(self.region(number), self.region(number, anew=True))


@dataclass(frozen=True)
class Region:
    """Where the bytes of some files lie.

    ``anew``: each write goes to a place of its own (copy-on-write); otherwise it goes on where the last ended.
    """

    drive: Drive
    number: int
    anew: bool

    def path(self, io: IO) -> Path:
        """One request."""
        return self._read(io.size_bytes) if io.op == "read" else self._write(io)

    def _read(self, size_bytes: int) -> Path:
        return (self._platter(size_bytes, moved=True), self._command(min(size_bytes, self.drive.physical_bytes)))

    def _write(self, io: IO) -> Path:
        (times, first), *rest = io.split(self.drive.physical_bytes)
        steps = [*self._cached(first.size_bytes, moved=self.anew)]
        if times > 1:
            steps.append(Repeat(times - 1, *self._cached(first.size_bytes, moved=False)))
        for _, piece in rest:
            steps += self._cached(piece.size_bytes, moved=False)
        return (Hold(self.drive.queue, *steps),)

    def _cached(self, size_bytes: int, *, moved: bool) -> Path:
        cache = self.drive.cache
        behind = (self._platter(size_bytes, moved=moved), Take(cache, size_bytes))
        return (self._command(size_bytes), Put(cache, size_bytes), Fork(behind, wait=False))

    def _command(self, size_bytes: int) -> Step:
        return Use(self.drive.bus, self.drive.command_s + size_bytes / self.drive.bus_bytes_per_s)

    def _platter(self, size_bytes: int, *, moved: bool) -> Step:
        drive = self.drive
        astray = (Lookup(drive.place, Replayed([_ASTRAY])),) if moved else ()
        reposition = Delay(drive.seek_s + drive.rotation_s)
        return Hold(
            drive.arm,
            *astray,
            Lookup(drive.place, Replayed([self.number]), miss=reposition),
            Delay(size_bytes / drive.bytes_per_s),
        )


@dataclass(frozen=True)
class Chain:
    """Bytes that go on where the last ended, each write as soon as the one before it is on the platter.

    A drive that has nothing left to write has turned past the place before the next write comes: ``late``.
    """

    behind: Region
    late: Region

    def path(self, io: IO) -> Path:
        """One write."""
        return (IfAny(self.behind.drive.cache, self.behind.path(io), self.late.path(io)),)
