"""A drive under synced writes: a buffer that its flash empties, and flushes that pass it in a pipeline.

write ──> [volatile: wait for the flushes under way] ── [commands] ── pieces into the [buffer] ── latency ──> done
                                                        behind each piece: [flash: bytes / bandwidth] ──> out of it
write through the cache ──> write, and  volatile: a flush;  protected: [flash: padding], which nobody waits for
flush ──> wait for the flush under way of its [queue], merged with all who wait there ── [flushing] ── rest

The flush of a drive that loses its memory with the power has two stages: one passes the first while another is in
the second, so n flushes that come at once take flush_s + (n - 1) serial_s. Writes that come meanwhile wait until
all flushes under way have ended. A drive with power-loss protection answers a flush at once and holds up nobody.

Merging: a drive may make one of several flushes that wait. The block layer of Linux has one flush under way in
each hardware queue, and makes one of all that come meanwhile (block/blk-flush.c, blk_kick_flush, C1 to C3).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from models.io import FileIO
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


_ANY_NUMBER = 1 << 20


def _pages(size_bytes: int) -> int:
    return max(1, size_bytes // PAGE_BYTES)


def _waited(time_s: float) -> Path:
    return (Delay(time_s),) if time_s else ()


@dataclass(frozen=True)
class FlushingDrive:
    """One device, or a volume of several that is known only as a whole.

    Attributes:
        name: of its places.
        volatile: its memory is lost with the power, and somebody flushes it.
        ordered: it takes whole commands one after the other; otherwise pieces of several in turn.
        latency_s: of a write of ``block_bytes`` with nothing else in flight; each byte of a larger one takes
            ``byte_s`` besides.
        small_s: of a write of less than ``block_bytes``; ``sector_s`` more for less than a page.
        foreign_s: what any write takes longer because others use the device, too.
        flush_s, serial_s: of one flush with no other in flight, and the part that only one passes at a time; a
            drive that takes 0 is never sent one.
        merged: share of the flushes that share the turn of one that waits for its first stage already.
        padding_s: time of the flash for a write through the cache, beyond its bytes.
        command_s: between two writes; flushes pass the drive's ceiling by ``serial_s``.
        bytes_per_s, buffer_bytes, piece_bytes: of the flash, or of a cap; of what is taken ahead of it, which for
            a cap are credits; of what is moved at once.
        drained_bytes: of the buffer, that must be free before a flush is done; 0: none.
        queues: hardware queues, to which processes are dealt in turn.
        variation: coefficient of variation of all latencies.
    """

    name: str
    volatile: bool
    ordered: bool
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
    drained_bytes: int
    piece_bytes: int
    queues: int
    variation: float

    def path(self, io: FileIO) -> Path:
        """One write or flush."""
        if io.op == "flush":
            return self._merged(io.process % self.queues) if self.flush_s else ()
        return (*self._admitted(), self._command(), *self._taken(io), *self._latency(io), *self._through(io))

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
        return Buffer(f"{self.name} buffer", _pages(max(self.buffer_bytes, self.piece_bytes)))

    def _streamed_s(self, io: FileIO) -> float:
        """Time of the bytes beyond a block, as one stream moves them."""
        return max(0, io.size_bytes - self.block_bytes) * self.byte_s

    def _taken(self, io: FileIO) -> Path:
        """Put the write into the buffer, piece by piece; the flash takes it out behind."""
        streamed_s = self._streamed_s(io)
        if self.ordered:
            return (*_waited(streamed_s), Hold(self._order.exclusive, *self._pieces(io, 0.0)))
        return tuple(self._pieces(io, streamed_s / io.size_bytes))

    def _pieces(self, io: FileIO, byte_s: float) -> Iterator[Step]:
        for times, piece in io.split(self.piece_bytes):
            taken = _pages(piece.size_bytes)
            programmed = (Use(self._flash, piece.size_bytes / self.bytes_per_s), Take(self._buffer, taken))
            put = (*_waited(piece.size_bytes * byte_s), Put(self._buffer, taken))
            yield Repeat(times, *put, Fork(programmed, wait=False))

    def _latency(self, io: FileIO) -> Path:
        sector_s = self.sector_s if io.size_bytes < PAGE_BYTES else 0.0
        alone_s = self.latency_s if io.size_bytes >= self.block_bytes else self.small_s + sector_s
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
        return (*stages, *self._drained()) if self.drained_bytes else stages

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

    def _drained(self) -> Path:
        """Wait until so much of the buffer is free; whole commands before the flush come first."""
        room = min(_pages(self.drained_bytes), self._buffer.capacity)
        return (Hold(self._order.exclusive, Put(self._buffer, room), Take(self._buffer, room)),)

    def _merged(self, queue: int) -> Path:
        """One flush of a queue under way; who comes meanwhile shares the next."""
        name = f"{self.name} queue {queue + 1}"
        busy, called, waiting = Lock(f"{name} flush"), Buffer(f"{name} called", 1), Gate(f"{name} flushed")
        one = (Take(called), IfAny(waiting, (Gather(waiting), *self._flush(), Wake(waiting))))
        call = (Put(called), Fork(Hold(busy.exclusive, *one), wait=False))
        return (IfAny(called, (), call), Await(waiting))
