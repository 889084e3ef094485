"""Memory, or fast flash, that accepts writes before the flash has them, and the flash that drains it.

write ──> its commands, each once there is room ──> into the [cache] ┄┄> [programming: bytes / rate] ──> out of it
flush in line ──> wait for the room of a command

A command goes in once there is room for a whole one, however small it is: the last command of a large write is
acknowledged before its bytes have gone, and the next command, even of a small write, waits until they have.
Commands of several writes take turns; a device in order takes all commands of one write first. Room becomes free
grain by grain. Where commands have no size, a write goes in as it is, or in pieces as large as the cache.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from models.io import IO
from sim import Buffer, Fork, Hold, IfAny, Lock, Path, Put, Repeat, Station, Step, Take, Use

PAGE_BYTES = 4096
"""Mapping unit of a drive, also in its cache."""

GRAIN_BYTES = 32 * 1024
"""Steps in which the room of a command becomes free."""


def pages_of(size_bytes: int) -> int:
    """Pages for ``size_bytes``, at least one."""
    return max(1, -(-size_bytes // PAGE_BYTES))


@dataclass(frozen=True)
class WriteBuffer:
    """Data that the device has accepted and the flash has not yet.

    Attributes:
        cache: its pages; bytes of a large one would overflow counters over time.
        programming: the flash, all units together.
        bytes_per_s: rate of programming.
        command_bytes: size of the largest command; 0: unlimited.
        order: lock of a write while its commands go in; None if writes take turns by command.
    """

    cache: Buffer
    programming: Station
    bytes_per_s: float
    command_bytes: int
    order: Lock | None

    @classmethod
    def of(
        cls, name: str, size_bytes: int, bytes_per_s: float, command_bytes: int, *, ordered: bool
    ) -> WriteBuffer:
        """The cache of the device ``name``: ``size_bytes`` beside one command."""
        pages = size_bytes // PAGE_BYTES + pages_of(command_bytes) if command_bytes else pages_of(size_bytes)
        order = Lock(f"{name} order") if ordered else None
        return cls(
            Buffer(f"{name} cache", pages), Station(f"{name} programming"), bytes_per_s, command_bytes, order
        )

    def taken(self, io: IO, *, waits: bool = False, slow: float = 1.0) -> Path:
        """Put the commands of ``io`` in, a partial one first; programme them in the background, or wait."""
        most = self.command_bytes or self.cache.capacity * PAGE_BYTES
        return self._in_order(
            *(self._put(*each, waits=waits, slow=slow) for each in reversed(list(io.split(most))))
        )

    def padded(self, time_s: float) -> Path:
        """Keep the flash busy for longer, in the background."""
        return (Fork(Use(self.programming, time_s), wait=False),) if time_s else ()

    def in_line(self) -> Path:
        """Wait behind all earlier writes, as a write without bytes."""
        room = self._room(0)
        return self._in_order(Put(self.cache, room), Take(self.cache, room))

    def emptied(self, meanwhile: Path) -> Step:
        """Take the steps ``meanwhile``, and wait until the flash has everything."""
        everything = self.cache.capacity  # which fits once nothing else is in
        empty = (Put(self.cache, everything), Take(self.cache, everything))
        return IfAny(self.cache, Fork(empty, meanwhile) if meanwhile else empty, meanwhile)

    def _in_order(self, *steps: Step) -> Path:
        return (Hold(self.order.exclusive, *steps),) if self.order else steps

    def _room(self, size_bytes: int) -> int:
        """Pages that must be free before a command of ``size_bytes`` goes in."""
        return pages_of(self.command_bytes or size_bytes)

    def _put(self, times: int, command: IO, *, waits: bool, slow: float) -> Step:
        room = self._room(command.size_bytes)
        unused = room - pages_of(command.size_bytes)
        left = (Take(self.cache, unused),) if unused else ()
        programmed = tuple(self._programmed(command, slow))
        return Repeat(
            times, Put(self.cache, room), *left, *(programmed if waits else (Fork(programmed, wait=False),))
        )

    def _programmed(self, command: IO, slow: float) -> Iterator[Step]:
        """Programme grain by grain; the last one frees the remaining pages, if any."""
        left = pages_of(command.size_bytes)
        for times, grain in command.split(GRAIN_BYTES if self.command_bytes else command.size_bytes):
            pages = min(pages_of(grain.size_bytes), left // times)
            left -= times * pages
            freed = (Take(self.cache, pages),) if pages else ()
            yield Repeat(times, Use(self.programming, slow * grain.size_bytes / self.bytes_per_s), *freed)
