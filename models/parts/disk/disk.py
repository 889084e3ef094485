"""A disk: an arm moves to the beginning of an I/O, and a platter passes the bytes; perhaps there is a cache.

anywhere                 [disks, one queue]: position, bytes / bandwidth
of a region     read  ──> [arm] position, unless it is there, then bytes / bandwidth ──> [bus]
                write ──> [bus] a command, bytes ──> put into [cache] ──> done;   behind it [arm] … ──> take out
                flush ──> wait until the cache is empty
                chain ──> the cache is empty: the platter has turned on ──> write;   otherwise: behind the last

Where each I/O lies elsewhere, disks of a kind are servers of one queue. Where runs of bytes are moved in sequence,
the arm remembers in which region it is. With a cache, a host cuts each request into physical I/Os, each a command
of its own; the platter takes longer than the bus, so that a large request is no slower for being cut.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from models.io import IO
from models.paths import varied
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

SOURCE = "seeks and turns of the disk"
"""Source of the variation of a disk's times."""


@dataclass(frozen=True)
class WriteCache:
    """Volatile memory of a drive, which reports a write as done once it has the bytes, and its interface.

    Attributes:
        queue: queue of requests; the physical I/Os of one go to the drive together.
        bus_bytes_per_s, command_s: bandwidth and time of a command of the interface.
        physical_bytes: the largest physical I/O.
        grain_bytes: unit of the buffer's level.
    """

    bus: Station
    queue: Pool
    buffer: Buffer
    bus_bytes_per_s: float
    command_s: float
    physical_bytes: int
    grain_bytes: int = 1

    def room(self, size_bytes: int) -> int:
        """Room of ``size_bytes`` in the buffer, in grains."""
        return -(-size_bytes // self.grain_bytes)

    def command(self, size_bytes: int) -> Step:
        """A physical I/O over the bus."""
        return Use(self.bus, self.command_s + size_bytes / self.bus_bytes_per_s)

    @property
    def flush(self) -> Path:
        """Wait until all cached data is on the platter: only then a put as large as the cache fits."""
        return (Put(self.buffer, self.buffer.capacity), Take(self.buffer, self.buffer.capacity))


@dataclass(frozen=True)
class Disk:
    """One disk, or ``count`` of a kind behind one queue.

    Attributes:
        name: prefix of its places, before ``arm`` and ``place``.
        position_s: mean time to position the head for an I/O elsewhere: a seek and half a turn.
        bytes_per_s: transfer rate of the platter.
        variation: coefficient of variation of the time to position.
        sorted_s: mean time to position for a write from the cache, sorted by place; None: as
            ``position_s``.
    """

    name: str
    position_s: float
    bytes_per_s: float
    variation: float = 0.0
    count: int = 1
    cache: WriteCache | None = None
    sorted_s: float | None = None

    @property
    def station(self) -> Station:
        """The disks, for I/Os at random places."""
        return Station(self.name, self.count)

    @property
    def apart(self) -> tuple[Disk, ...]:
        """The disks, each with a queue of its own."""
        return tuple(replace(self, name=f"{self.name} {number}", count=1) for number in range(1, self.count + 1))

    @property
    def arm(self) -> Pool:
        """The arm, which an I/O of a region holds."""
        return Pool(f"{self.name} arm".strip())

    @property
    def place(self) -> Cache:
        """Cache of one entry: the region of the arm."""
        return Cache(f"{self.name} place".strip(), capacity=1)

    def anywhere(self, size_bytes: float, position_s: float | None = None, *, before_s: float = 0.0) -> Step:
        """An I/O elsewhere than the last one.

        Position and transfer are a single time with the mean of both and the variance of the former.

        Args:
            position_s: time to position; by default the disk's mean.
            before_s: constant time of a preceding seek.
        """
        position_s = self.position_s if position_s is None else position_s
        mean_s = before_s + position_s + size_bytes / self.bytes_per_s
        return Use(self.station, varied(mean_s, self.variation * position_s / mean_s, SOURCE))

    @property
    def flush(self) -> Path:
        """Write the content of the cache to the platter."""
        return self.cache.flush if self.cache else ()

    def position(self, position_s: float) -> Delay:
        """The time of the arm."""
        return Delay(varied(position_s, self.variation, SOURCE))

    def region(self, number: int, *, reads_anew: bool = False, writes_anew: bool = False) -> Region:
        """The region ``number`` (from 1) of the platter."""
        return Region(self, number, reads_anew=reads_anew, writes_anew=writes_anew)

    def chain(self, number: int) -> Chain:
        """The region ``number`` for writes that are each flushed."""
        return Chain(self.region(number), self.region(number, writes_anew=True))


@dataclass(frozen=True)
class Region:
    """The place of some files' bytes.

    Attributes:
        reads_anew, writes_anew: True if each goes to a new place; else it begins where the last one ended.
        slow: factor on the times of a degraded disk.
    """

    disk: Disk
    number: int
    reads_anew: bool
    writes_anew: bool
    slow: float = 1.0

    def round_again(self, turn_s: float) -> Step:
        """Wait until the next write's place comes round: it has just passed, if the arm is there."""
        position = self.disk.position(self.slow * self.disk.position_s)
        there = Lookup(self.disk.place, Replayed([self.number]), Delay(self.slow * turn_s), position)
        return Hold(self.disk.arm, there)

    def path(self, io: IO) -> Path:
        """Steps of one request."""
        cache = self.disk.cache
        if io.op == "read":
            platter = self._platter(io.size_bytes, moved=self.reads_anew)
            return (platter, cache.command(min(io.size_bytes, cache.physical_bytes))) if cache else (platter,)
        return self._written(cache, io) if cache else (self._platter(io.size_bytes, moved=self.writes_anew),)

    def through(self, io: IO) -> Path:
        """A write that is on the platter when it is done, with or without cache."""
        commands = () if self.disk.cache is None else (self.disk.cache.command(io.size_bytes),)
        return (*commands, self._platter(io.size_bytes, moved=self.writes_anew))

    def _written(self, cache: WriteCache, io: IO) -> Path:
        (times, first), *rest = io.split(cache.physical_bytes)
        steps = [*self._cached(cache, first.size_bytes, moved=self.writes_anew)]
        if times > 1:
            steps.append(Repeat(times - 1, *self._cached(cache, first.size_bytes, moved=False)))
        for _, piece in rest:
            steps += self._cached(cache, piece.size_bytes, moved=False)
        return (Hold(cache.queue, *steps),)

    def _cached(self, cache: WriteCache, size_bytes: int, *, moved: bool) -> Path:
        platter = self._platter(size_bytes, moved=moved, position_s=self.disk.sorted_s)
        room = cache.room(size_bytes)
        behind = (platter, Take(cache.buffer, room))
        return (cache.command(size_bytes), Put(cache.buffer, room), Fork(behind, wait=False))

    def _platter(self, size_bytes: int, *, moved: bool, position_s: float | None = None) -> Step:
        disk, here = self.disk, Replayed([self.number])
        position = disk.position(self.slow * (disk.position_s if position_s is None else position_s))
        reached = (Lookup(disk.place, here), position) if moved else (Lookup(disk.place, here, miss=position),)
        return Hold(disk.arm, *reached, Delay(self.slow * size_bytes / disk.bytes_per_s))


@dataclass(frozen=True)
class Chain:
    """Consecutive writes, each of which begins once the one before it is on the platter.

    An idle drive has turned past the place before the next write comes: ``late``.
    """

    behind: Region
    late: Region

    def path(self, io: IO) -> Path:
        """Steps of one write."""
        cache = self.behind.disk.cache
        assert cache  # noqa: S101  (without one there is no flush)
        return (IfAny(cache.buffer, self.behind.path(io), self.late.path(io)),)
