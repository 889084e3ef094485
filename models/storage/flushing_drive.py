"""A drive under synced writes: a buffer that its flash empties, and flushes that pass it in a pipeline.

write ──> [volatile: wait for the flushes under way] ── [commands] ── its bytes, as one stream moves them ──
          commands of it into the [buffer] ── latency ──> done
                └─┄┄> behind each: [flash: bytes / bandwidth] ──> out of the buffer
part of a page ──> the page is read before, and passes the buffer as a write does
write through the cache ──> write, and  volatile: a flush;  protected: [flash: padding], which nobody waits for
flush ──> wait for the flush under way of its [queue], merged with all who wait there ── [flushing] ── rest

A command goes in once there is room for a whole one, however small it is: the last command of a large write is
acknowledged before its bytes have gone, and what comes next, a small write of the journal too, waits until they
have. Commands of several writes take turns; a device in order takes all commands of one write first.

The flush of a drive that loses its memory with the power has two stages: one passes the first while another is in
the second, so n flushes that come at once take flush_s + (n - 1) serial_s. Writes that come meanwhile wait until
all flushes under way have ended. A drive with power-loss protection answers a flush at once and holds up nobody.

Merging: a drive may make one of several flushes that wait. The block layer of Linux has one flush under way in
each hardware queue, and makes one of all that come meanwhile (block/blk-flush.c, blk_kick_flush, C1 to C3).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from models.io import IO, FileIO
from sim import (
    Await,
    Buffer,
    Choose,
    Delay,
    Fork,
    Gamma,
    Gate,
    Gather,
    Hold,
    IfAny,
    Lock,
    Path,
    Put,
    Repeat,
    Station,
    Step,
    Take,
    Use,
    Wake,
)

PAGE_BYTES = 4096
"""What the buffer is counted in."""

GRAIN_BYTES = 32 * 1024
"""In what steps room becomes free."""

_ANY_NUMBER = 1 << 20


def _pages(size_bytes: int) -> int:
    return max(1, size_bytes // PAGE_BYTES)


@dataclass(frozen=True)
class FlushingDrive:
    """One device, or a volume of several that is known only as a whole.

    Attributes:
        name: of its places.
        volatile: its memory is lost with the power, and somebody flushes it.
        ordered: it takes whole writes one after the other; otherwise commands of several in turn.
        lined: its flushes wait in line with the writes, as one that has no bytes.
        latency_s: of a write of ``block_bytes`` with nothing else in flight; each byte of a larger one takes
            ``byte_s`` besides.
        small_s: of a write of less than ``block_bytes``; before one of less than a page, ``sector_s`` for the read
            of the page, none if 0.
        foreign_s: what any write takes longer because others use the device, too.
        flush_s, serial_s: of one flush with no other in flight, and the part that only one passes at a time; a
            drive that takes 0 is never sent one.
        merged: share of the flushes that share the turn of one that waits for its first stage already.
        padding_s: time of the flash for a write through the cache, beyond its bytes.
        command_s: between two writes; flushes pass the drive's ceiling by ``serial_s``.
        bytes_per_s, buffer_bytes: of the flash, or of a cap; of what is taken ahead of it beside one command,
            which for a cap are credits.
        command_bytes: of the largest command; as much room as any command needs to go in.
        queues: hardware queues, to which processes are dealt in turn.
        variation: coefficient of variation of all latencies.
    """

    name: str
    volatile: bool
    ordered: bool
    lined: bool
    block_bytes: int
    latency_s: float
    byte_s: float
    small_s: float
    sector_s: float
    foreign_s: float
    flush_s: float
    serial_s: float
    merged: float
    padding_s: float
    command_s: float
    bytes_per_s: float
    buffer_bytes: int
    command_bytes: int
    queues: int
    variation: float

    def path(self, io: FileIO) -> Path:
        """One write or flush."""
        if io.op == "flush":
            return self._merged(io.process % self.queues) if self.flush_s else ()
        admitted = (*self._admitted(), self._command(), *self._page_read(io))
        return (*admitted, *self._taken(io), *self._latency(io), *self._through(io))

    @property
    def _flash(self) -> Station:
        return Station(f"{self.name} flash")

    @property
    def _under_way(self) -> Buffer:
        """How many flushes are."""
        return Buffer(f"{self.name} flushes under way", _ANY_NUMBER)

    @property
    def _held(self) -> Gate:
        """Where writes wait meanwhile."""
        return Gate(f"{self.name} writes held")

    @property
    def _order(self) -> Lock:
        return Lock(f"{self.name} order")

    def _command(self) -> Step:
        return Use(Station(f"{self.name} commands"), self.command_s)

    def _varied(self, time_s: float) -> Step:
        return Delay(Gamma(time_s, self.variation))

    def _admitted(self) -> Path:
        if not self.volatile:
            return ()
        return (IfAny(self._under_way, Await(self._held)),)

    @property
    def _buffer(self) -> Buffer:
        return Buffer(f"{self.name} buffer", self._room + self.buffer_bytes // PAGE_BYTES)

    @property
    def _room(self) -> int:
        """Pages that must be free before a command goes in."""
        return _pages(self.command_bytes)

    def _streamed(self, io: FileIO) -> Path:
        """Bytes beyond a block, as one stream moves them."""
        time_s = max(0, io.size_bytes - self.block_bytes) * self.byte_s
        return (self._varied(time_s),) if time_s else ()

    def _page_read(self, io: FileIO) -> Path:
        """The page of which a write is only a part."""
        if not self.sector_s or io.size_bytes >= PAGE_BYTES:
            return ()
        return (*self._taken(io.piece(PAGE_BYTES)), self._varied(self.sector_s))

    def _taken(self, io: FileIO) -> Path:
        """Put the commands of a write into the buffer; the flash takes them out behind."""
        commands = tuple(self._commands(io))
        return (*self._streamed(io), *self._in_order(commands))

    def _in_order(self, steps: Path) -> Path:
        return (Hold(self._order.exclusive, *steps),) if self.ordered else steps

    def _commands(self, io: FileIO) -> Iterator[Step]:
        """What is less than a command goes first."""
        for times, command in reversed(list(io.split(self.command_bytes))):
            unused = self._room - _pages(command.size_bytes)
            left = (Take(self._buffer, unused),) if unused else ()
            yield Repeat(times, Put(self._buffer, self._room), *left, Fork(self._programmed(command), wait=False))

    def _programmed(self, command: IO) -> Path:
        """Grain by grain; the last one frees the pages that are left, if any."""
        left, steps = _pages(command.size_bytes), []
        for times, grain in command.split(GRAIN_BYTES):
            pages = min(_pages(grain.size_bytes), left // times)
            left -= times * pages
            freed = (Take(self._buffer, pages),) if pages else ()
            steps.append(Repeat(times, Use(self._flash, grain.size_bytes / self.bytes_per_s), *freed))
        return tuple(steps)

    def _latency(self, io: FileIO) -> Path:
        alone_s = self.latency_s if io.size_bytes >= self.block_bytes else self.small_s
        return (self._varied(alone_s + self.foreign_s),)

    def _through(self, io: FileIO) -> Path:
        if io.durable == "no":
            return ()
        if self.volatile:
            return self._flush()
        return (Fork(Use(self._flash, self.padding_s), wait=False),) if self.padding_s else ()

    def _flush(self) -> Path:
        """What the drive does for one command."""
        rest_s = max(0.0, self.flush_s - self.serial_s)
        stages = (*self._first_stage(), *((self._varied(rest_s),) if rest_s else ()))
        if self.volatile:
            freed = IfAny(self._held, (Gather(self._held), Wake(self._held)))
            return (Put(self._under_way), *stages, Take(self._under_way), IfAny(self._under_way, (), freed))
        return (*self._in_line(), *stages)

    def _first_stage(self) -> Path:
        """Alone; a share of the flushes that find another waiting share its turn."""
        alone, stage = Lock(f"{self.name} flushing"), self._varied(self.serial_s)
        if not self.merged:
            return (Hold(alone.exclusive, stage),)
        next_turn, joined = (
            Buffer(f"{self.name} flushes waiting", _ANY_NUMBER),
            Gate(f"{self.name} flushes joined"),
        )
        turn = IfAny(joined, (Gather(joined), stage, Wake(joined)), stage)
        own = (Put(next_turn), Hold(alone.exclusive, Take(next_turn), turn))
        return (IfAny(next_turn, Choose((self.merged, Await(joined)), (1.0 - self.merged, own)), own),)

    def _in_line(self) -> Path:
        """Behind all that was written before."""
        waits = (Put(self._buffer, self._room), Take(self._buffer, self._room))
        return self._in_order(waits) if self.lined else ()

    def _merged(self, queue: int) -> Path:
        """One flush of a queue under way; who comes meanwhile shares the next."""
        name = f"{self.name} queue {queue + 1}"
        busy, called, waiting = Lock(f"{name} flush"), Buffer(f"{name} called", 1), Gate(f"{name} flushed")
        one = (Take(called), IfAny(waiting, (Gather(waiting), *self._flush(), Wake(waiting))))
        call = (Put(called), Fork(Hold(busy.exclusive, *one), wait=False))
        return (IfAny(called, (), call), Await(waiting))
