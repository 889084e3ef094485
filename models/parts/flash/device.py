"""A flash device: an SSD, a flash card, or any device that is known by latencies and a few ceilings.

I/O ──> hold a place of the [queue]
           └─ [commands: 1 / iops, further pages] ── fixed part ── [units] ── [transfer: bytes / bandwidth]
write ──> … ──> [commands] ── room in the [cache] ── … ;   behind it:  [programming] ──> out of the [cache]
flush ──> hold a place of the [queue] ── [first stage] ── rest

The times of all parts add up to the latency of the table, so an I/O that is alone takes just that. Many in flight
are held up by whichever is slowest: commands, and bytes of reads or of writes, one after the other, or the units
(`cells.py`). The busy time of a unit is a share of the latency, or an access: of each page, on units that follow
each other, or of each command of a large I/O, one after the other. While one command is worked on, the next comes
in, so that only the first takes time of its own beside its access.

A write is done once the cache has it (`write_buffer.py`). A cache of flash (SLC), or one with power-loss
protection, is as good as the flash behind it; a volatile one is written out by a flush (`flushes.py`). A durable
write into a volatile cache is a write and a flush; where no cache is described, a unit takes as long as a flush
besides.

With its `write_cache` off, as when a battery or a capacitor fails, every write is durable when it is done, and a
flush has nothing to do. A degraded device takes `slow` times as long for everything.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Any

from models.io import FileIO
from models.parts import named_hardware
from models.parts.flash.cells import Cells
from models.parts.flash.cleaning import FRESH, RANDOM, SEQUENTIAL
from models.parts.flash.flushes import Flushes
from models.parts.flash.free_space import FreeSpace, Space
from models.parts.flash.write_buffer import PAGE_BYTES, WriteBuffer
from models.parts.named_hardware import Taken, at_date, hardware_name
from models.paths import varied
from sim import Delay, Hold, InputError, Path, Pool, Repeat, Station, Step, Use, Workload
from sim.engine.units import size_text
from sim.system import quantities
from sim.system.quantities import BySize, TimeTable, duration, rate, table
from sim.system.settings import Values, choice, count, flag, number, size
from sim.system.stack.kinds import FLUSH, Below, Filled

IN_TURNS, WHOLE, IN_LINE = "turns", "writes", "line"
"""Orders of a device: commands of several writes in turn; whole writes; and flushes in line with them."""

ROUNDING = 1e-9
"""Share by which the parts of a latency may exceed it: the rounding of a few additions."""


def _of_any_size(seconds: float) -> BySize:
    return BySize(((1, seconds),))


_TAKEN = {
    "iops": Taken("iops", otherwise=math.inf, places=("commands",)),
    "write_iops": Taken("iops", "write", otherwise=math.inf, places=("commands",)),
    "bandwidth": Taken("bandwidth", otherwise=math.inf, places=("transfer",)),
    "write_bandwidth": Taken("bandwidth", "write", otherwise=math.inf, places=("transfer",)),
    "read": Taken("typical_latency", "read", made=_of_any_size),
    "write": Taken("typical_latency", "write", made=_of_any_size),
}


@dataclass(frozen=True)
class Flash:
    """A device by its latencies with one I/O in flight, its parallel units and its ceilings.

    The defaults describe the Samsung NVMe SSD of the ICPE 2024 study of I/O schedulers under random reads of
    4 KiB: latency, units, their share and the bandwidth (781,000 reads a second) are fitted to its runs of one
    process over SPDK and of 1 to 8 processes by io_uring, at depths from 1 to 256. Writes are assumed.
    """

    latency: TimeTable = table(
        {"read": "59.2us", "write": "20us"}, "latency of one I/O in flight: one time, by size, by read and write"
    )
    units: int = count(44, "parallel units, such as flash dies", high=4096)
    unit_share: float = number(
        0.86, "share of the latency, without command and transfer, for which a unit is busy"
    )
    access: TimeTable = table(
        "0s",
        "busy time of a unit in place of unit_share: for each page, by the size of the I/O, or for each command",
    )
    page: int = size(
        0,
        "bytes that a unit reads at once; pages of an I/O lie on successive units; 0: no pages",
        low=0,
    )
    early: float = duration(0.0, "time that a unit stays busy after the answer to a read of up to a page")
    further: float = duration(0.0, "serial controller time for each page of an I/O after the first")
    command: int = size(0, "size of the serial commands into which an I/O is cut; 0: no limit", low=0)
    placement: str = choice(
        "random",
        "random: the unit where the block lies; free: any free unit, as in a volume of many disks",
        ("random", "free"),
    )
    turn: int = count(
        0, "accesses in a row on each unit, one unit after the other, as appends to a zone; 0: as placement", low=0
    )
    variation: float = number(0.0, "coefficient of variation of the time at a unit", high=10.0)
    iops: float = rate(math.inf, "ceiling of I/Os a second, reads and writes together")
    write_iops: float = rate(math.inf, "a lower ceiling for writes")
    bandwidth: float = quantities.bandwidth(3.2e9, "ceiling of bytes a second of reads, and of writes")
    write_bandwidth: float = quantities.bandwidth(math.inf, "a lower ceiling for writes")
    depth: int = count(1024, "I/Os that the device accepts at once", high=1 << 20)
    flush: float = duration(
        0.0,
        "time of a flush, and of a unit for a durable write without cache; 0 with power-loss "
        "protection, 0.45 ms on a Crucial T500 without",
    )
    flushes: int = count(1, "parallel flushes; assumed", high=4096)
    serial: float = duration(0.0, "first part of a flush, to which flushes applies; 0: all of it")
    merged: float = number(0.0, "share of waiting flushes that the drive merges")
    cache: int = size(
        0, "bytes of writes acknowledged before the flash has them; 0: unlimited", low=0, high=1 << 50
    )
    sustained: float = quantities.bandwidth(math.inf, "rate at which flash empties the cache")
    volatile: bool = flag(
        "the cache is unprotected memory: a flush waits until it is empty",
        default=False,
    )
    order: str = choice(
        IN_TURNS,
        "commands into the cache: writes take turns; one whole write after the other; or in line with flushes",
        (IN_TURNS, WHOLE, IN_LINE),
    )
    partial: float = duration(0.0, "time to read the rest of a page that is written in part; 0: it is not read")
    padding: float = duration(0.0, "extra busy time of flash for a durable write into a protected cache")
    capacity: int = size(
        0, "bytes for users, if erased blocks are to run out; 0: there are always enough", low=0, high=1 << 50
    )
    spare: float = number(0.07, "bytes of flash beyond capacity, as a share of it", low=0.0, high=10.0)
    used: float = number(1.0, "share of capacity that is written to; the rest is trimmed", low=1e-3)
    history: str = choice(
        RANDOM,
        "before the run: erased; the used part written once in order; or at random until rates no longer change",
        (FRESH, SEQUENTIAL, RANDOM),
    )
    block: int = size(0, "bytes of a unit that are erased at once, with capacity, such as 16MiB", low=0)
    program: float = duration(0.0, "time for which a unit programs, with capacity; some 0.6 ms of TLC flash")
    erase: float = duration(0.0, "time for which a unit erases a block, with capacity; some 5 ms of TLC flash")
    write_cache: bool = flag("no: each write waits for the flash, as after a failed battery", default=True)
    slow: float = number(1.0, "factor on all times of a degraded device", low=1.0, high=1e6)
    hardware: str = hardware_name("ssd")
    date: str = at_date()

    @staticmethod
    def filled(written: Values) -> dict[str, Filled]:
        """Ceilings of the named drive, and its latency if both are known; no ceiling where it states none.

        It has as many units as its reads of 4 KiB a second keep busy: fewer could not reach that rate.
        """
        fields = named_hardware.filled(written, _TAKEN)
        read, write = (fields.pop(op, None) for op in ("read", "write"))
        if read and write:
            both = TimeTable(read.value, write.value)
            fields["latency"] = Filled(both, f"read {read.text}, write {write.text}", read.source)
        if (reads := fields.get("iops")) and reads.source:
            drive = Flash(**{name: each.value for name, each in fields.items()} | dict(written))
            units = math.ceil(reads.value * drive.unit_s("read", PAGE_BYTES))
            fields["units"] = Filled(units, str(units), f"kept busy by its iops, {reads.source}")
        return fields

    @staticmethod
    def priors(implied: Collection[str]) -> dict[str, Any]:
        """Names of priors by field, for fields of the named drive that are not ``implied``."""
        return {} if "latency" in implied else {"latency": {"read": "ssd.read", "write": "ssd.write"}}

    @staticmethod
    def gives(written: Collection[str]) -> Iterator[str]:
        """A flush, if the file states its time, or a cache to flush."""
        if {"flush", "cache", "write_cache"} & {*written}:
            yield FLUSH

    def layer(self, name: str, below: Below | None = None, *, source: str = "the stack file") -> FlashLayer:  # noqa: ARG002
        """The device, the last layer; ``source`` is that of the variation of its times.

        Raises:
            InputError: a latency of the table is below the time by ceilings alone, or the cache would never fill.
        """
        # Data sheets rate several runs: an access of named hardware takes at least the time by ceilings.
        if not self.hardware:
            for op, by_size in (("read", self.latency.read), ("write", self.latency.write)):
                self._check(op, by_size)
        if self.early > self.access.read.at(self.page):
            raise InputError("early is more than access, of which it is a part; give both, and page")
        if (self.cache == 0) != math.isinf(self.sustained) or (self.volatile and not self.cache):
            raise InputError("a cache is given in part; give cache and sustained, or neither and no volatile")
        if not (self.write_cache or self.cache or self.flush):
            raise InputError("write_cache is off: flush, or cache and sustained, is required")
        free = self.placement == "free" and not self.turn
        cells = Cells.of(name, self.units, free=free, turn=self.turn, variation=self.variation, source=source)
        return FlashLayer(
            self,
            Pool(f"{name} queue", self.depth),
            Station(f"{name} commands"),
            cells,
            (Station(f"{name} transfer"), Station(f"{name} write transfer")),
            self._buffer(name) if self.cache and not self.capacity else None,
            self._flushes(name, source),
            self._space(name, cells) if self.capacity else None,
        )

    def _space(self, name: str, cells: Cells) -> FreeSpace:
        if not (self.cache and self.block and self.program):
            raise InputError("capacity is given; cache, sustained, block and program are required with it")
        if self.volatile or self.padding or self.partial or not self.write_cache:
            raise InputError(
                "capacity is given; volatile, padding, partial and write_cache = false are not modelled with it"
            )
        read_s = self.unit_s("read", PAGE_BYTES)
        state = (self.capacity, self.spare, self.used, self.history)
        space = Space(*state, self.block, self.sustained, self.program, self.erase, read_s)
        return FreeSpace.of(name, space, cells, self.cache)

    def _buffer(self, name: str) -> WriteBuffer:
        ordered = self.order != IN_TURNS
        return WriteBuffer.of(name, self.cache, self.sustained, self.command, ordered=ordered)

    def _flushes(self, name: str, source: str) -> Flushes:
        serial_s = min(self.serial or self.flush, self.flush)
        return Flushes(name, self.flush, serial_s, self.flushes, self.merged, self.variation, source)

    def _check(self, op: str, by_size: BySize) -> None:
        for size_bytes, latency_s in by_size.points:
            accessed_s = self.access.at(op, size_bytes) - self.early_s(op, size_bytes)
            ceilings_s = self.command_s(op, size_bytes) + self.transfer_s(op, size_bytes) + accessed_s
            if ceilings_s > latency_s * (1.0 + ROUNDING):
                raise InputError(
                    f"latency of a {op} of {size_text(size_bytes)} is {latency_s:.6g} s, but one takes "
                    f"{ceilings_s:.6g} s by iops, bandwidth and access alone; raise one of them"
                )

    @property
    def accesses(self) -> bool:
        """True if units have access times of their own, not a share of the latency."""
        return any(time_s for _, time_s in (*self.access.read.points, *self.access.write.points))

    @property
    def access_bytes(self) -> int:
        """Bytes of the largest command, each of which is a separate access; 0 if the I/O is one access."""
        return self.command if self.accesses and not self.page else 0

    def early_s(self, op: str, size_bytes: int) -> float:
        """Seconds for which a unit stays busy after the answer."""
        return self.early if op == "read" and size_bytes <= self.page else 0.0

    def pages(self, size_bytes: int) -> int:
        """Number of units for an I/O; 1 if units have no pages."""
        return max(1, -(-size_bytes // self.page)) if self.page else 1

    def command_s(self, op: str, size_bytes: int) -> float:
        """Seconds of the controller for a command, one at a time."""
        first_s = 1.0 / (min(self.iops, self.write_iops) if op == "write" else self.iops)
        return first_s + self.further * (self.pages(size_bytes) - 1)

    def transfer_s(self, op: str, size_bytes: int) -> float:
        """Seconds of the transfer of the bytes, one I/O at a time."""
        return size_bytes / (min(self.bandwidth, self.write_bandwidth) if op == "write" else self.bandwidth)

    def rest_s(self, op: str, size_bytes: int, slow: float = 1.0) -> float:
        """Seconds of the latency besides command and transfer, for a device slowed by the factor ``slow``."""
        ceilings_s = self.command_s(op, size_bytes) * slow, self.transfer_s(op, size_bytes) * slow
        return max(0.0, self.latency.at(op, size_bytes) * slow - ceilings_s[0] - ceilings_s[1])

    def unit_s(self, op: str, size_bytes: int, slow: float = 1.0) -> float:
        """Busy seconds of a unit for an access, of a page, of a command or of the whole I/O."""
        if self.accesses:
            return self.access.at(op, size_bytes) * slow
        return self.rest_s(op, size_bytes, slow) * self.unit_share


@dataclass(frozen=True)
class FlashLayer:
    """The device at its places.

    Attributes:
        transfers: stations of read and of write transfers.
    """

    flash: Flash
    queue: Pool
    commands: Station
    cells: Cells
    transfers: tuple[Station, Station]
    buffer: WriteBuffer | None
    flushes: Flushes
    space: FreeSpace | None = None

    def background(self) -> Iterator[Workload]:
        """Programs and garbage collection, if erased blocks may run out."""
        if self.space:
            yield from self.space.background(self.flash.slow)

    def path(self, io: FileIO) -> Path:
        """One I/O; beyond the sizes of the table it takes at least the time by ceilings."""
        slow = self.flash.slow * io.slow
        if io.op == "flush":
            return self._flush(slow)
        if self.space and io.op == "write":
            return (Hold(self.queue, *self._accepted(self.space, io, slow)),)
        if self.buffer and io.op == "write":
            return (Hold(self.queue, *self._written(self.buffer, io, slow)),)
        first = io.piece(min(io.size_bytes, self.flash.access_bytes or io.size_bytes))
        fixed_s, accessed = self._alone(first, slow)
        further = self._further(io, io.size_bytes - first.size_bytes, slow)
        return (Hold(self.queue, *self._command(io, slow), Delay(fixed_s), *accessed, *further),)

    def _command(self, io: FileIO, slow: float) -> Path:
        return _used(self.commands, self.flash.command_s(io.op, io.size_bytes) * slow)

    def _alone(self, io: FileIO, slow: float) -> tuple[float, Path]:
        """Time of an I/O besides its command: seconds without queue; and the steps of unit and transfer."""
        flash = self.flash
        transfer_s = flash.transfer_s(io.op, io.size_bytes) * slow
        rest_s, unit_s = (each(io.op, io.size_bytes, slow) for each in (flash.rest_s, flash.unit_s))
        # Without a cache, or with it off, a unit programmes durable data.
        programmed_s = flash.flush * slow * (self._durable(io) and not (self.buffer and flash.write_cache))
        early_s = flash.early_s(io.op, io.size_bytes) * slow
        accessed = self.cells.accessed(unit_s + programmed_s, flash.pages(io.size_bytes), early_s)
        return max(0.0, rest_s - unit_s + early_s), (
            accessed,
            *_used(self.transfers[io.op == "write"], transfer_s),
        )

    def _further(self, io: FileIO, left_bytes: int, slow: float) -> Iterator[Step]:
        """Steps of all commands but the first."""
        for times, piece in io.piece(left_bytes).split(self.flash.access_bytes) if left_bytes else ():
            moved = _used(self.transfers[io.op == "write"], self.flash.transfer_s(io.op, piece.size_bytes) * slow)
            accessed = self.cells.accessed(self.flash.unit_s(io.op, piece.size_bytes, slow))
            yield Repeat(times, *self._command(io, slow), accessed, *moved)

    def _durable(self, io: FileIO) -> bool:
        return io.op == "write" and (io.durable != "no" or not self.flash.write_cache)

    def _written(self, buffer: WriteBuffer, io: FileIO, slow: float) -> Path:
        """A write into the cache; if it is a part of a page, the page is read before."""
        fixed_s, accessed = self._alone(io, slow)
        into = buffer.taken(io, waits=not self.flash.write_cache, slow=slow)
        admitted = self.flushes.admitted() if self._volatile else ()
        return (
            *admitted,
            *self._command(io, slow),
            *self._page_read(buffer, io, slow),
            *accessed,
            *into,
            self._delay(fixed_s),
            *(self._through(buffer, slow) if self._durable(io) else ()),
        )

    def _accepted(self, space: FreeSpace, io: FileIO, slow: float) -> Path:
        """A write into protected memory, which waits for erased blocks but for no unit."""
        moved = _used(self.transfers[1], self.flash.transfer_s(io.op, io.size_bytes) * slow)
        room = space.taken(io, sequential=io.sequential)
        rest_s = self.flash.rest_s(io.op, io.size_bytes, slow)
        return (*self._command(io, slow), *moved, *room, self._delay(rest_s))

    def _page_read(self, buffer: WriteBuffer, io: FileIO, slow: float) -> Path:
        """Read of the page of which a write is only a part; it goes into the cache as well."""
        if not self.flash.partial or io.size_bytes >= PAGE_BYTES:
            return ()
        return (*buffer.taken(io.piece(PAGE_BYTES), slow=slow), self._delay(self.flash.partial * slow))

    def _delay(self, time_s: float) -> Delay:
        return Delay(varied(time_s, self.flash.variation, self.flushes.source))

    @property
    def _volatile(self) -> bool:
        return self.flash.volatile and self.flash.write_cache

    def _through(self, buffer: WriteBuffer, slow: float) -> Path:
        """Extra steps of a durable write."""
        return self._flushed(buffer, slow) if self._volatile else buffer.padded(self.flash.padding * slow)

    def _flush(self, slow: float) -> Path:
        """A flush; empty if every write is durable already."""
        if not self.flash.write_cache:
            return ()
        flushed = self._flushed(self.buffer, slow) if self.buffer else self.flushes.stages(slow)
        return (Hold(self.queue, *flushed),)

    def _flushed(self, buffer: WriteBuffer, slow: float) -> Path:
        """Write out volatile data; safe data may have to leave the cache first."""
        stages = self.flushes.stages(slow)
        if self._volatile:
            return self.flushes.holding_writes(buffer.emptied(stages))
        return (*(buffer.in_line() if self.flash.order == IN_LINE else ()), *stages)


def _used(station: Station, time_s: float) -> Path:
    """A use of ``station``, or nothing if it takes no time."""
    return (Use(station, time_s),) if time_s else ()
