"""A solid-state drive, or any device that is known by a table of latencies and a few ceilings.

I/O ──> hold a tag of the [queue]
           └─ [commands: 1 / iops] ── latency, no queue ── [a unit] ── [transfer: bytes / bandwidth]
write ──> … ──> into the [cache];   behind it:  [programming: bytes / sustained] ──> out of the [cache]
durable write ──> … ──> [a unit] for longer ──> …;   with a volatile cache it waits until it has been programmed
flush ──> hold a tag of the [queue]
             └─ with a volatile cache: alone, until it is empty ──> [flush]

The times of all parts add up to the latency of the table, so an I/O that is alone takes just that. Many in flight
are held up by whichever is slowest: commands and transfer, one after the other for the whole device, or the units.
A block lies on one unit, so reads meet at units long before all of these are busy: that is why the latency of an
SSD rises with the depth of its queue while the device could do much more.

With its `write_cache` off, as when a battery or a capacitor fails, every write is durable when it is done, and a
flush has nothing to do. A degraded device takes `slow` times as long for everything.

A write is done once the cache has it. A cache of flash (SLC), or one with power-loss protection, is as good as the
flash behind it; of a volatile one a flush writes out all there is.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field

from models.io import FileIO
from models.paths import varied
from models.storage import named_hardware
from models.storage.named_hardware import Taken, at_date, hardware_name
from sim import (
    Buffer,
    Choose,
    Delay,
    Fork,
    Hold,
    IfAny,
    InputError,
    Lock,
    Path,
    Pool,
    Put,
    Repeat,
    Station,
    Step,
    Take,
    Use,
)
from sim.system import quantities
from sim.system.quantities import BySize, TimeTable, duration, rate, table
from sim.system.settings import Values, choice, count, flag, number, size
from sim.system.stack.kinds import FLUSH, Below, Filled
from sim.units import size_text

PAGE_BYTES = 4096
"""What a drive keeps track of, in its cache as well."""

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
class Ssd:
    """A device by its latencies with one I/O in flight, its parallel units and its ceilings.

    The defaults describe the Samsung NVMe SSD of the ICPE 2024 study of I/O schedulers under random reads of
    4 KiB: latency, units, their share and the bandwidth (781,000 reads a second) are fitted to its runs of one
    process over SPDK and of 1 to 8 processes by io_uring, at depths from 1 to 256. Writes are assumed.
    """

    latency: TimeTable = table(
        {"read": "59.2us", "write": "20us"}, "of the device with one I/O in flight: by size, by read and write"
    )
    units: int = count(44, "parallel units behind, such as flash dies", high=4096)
    unit_share: float = number(
        0.86, "share of the latency, without commands and transfer, that a unit is busy for"
    )
    placement: str = choice(
        "random", "random: the unit where the block lies; free: any that is free", ("random", "free")
    )
    variation: float = number(0.0, "coefficient of variation of the time at a unit", high=10.0)
    iops: float = rate(math.inf, "ceiling of I/Os a second, reads and writes together")
    write_iops: float = rate(math.inf, "a lower ceiling for writes")
    bandwidth: float = quantities.bandwidth(3.2e9, "ceiling of bytes a second, reads and writes together")
    write_bandwidth: float = quantities.bandwidth(math.inf, "a lower ceiling for writes")
    depth: int = count(1024, "I/Os that the device takes at once (Linux: io_queue_depth of nvme)", high=1 << 20)
    flush: float = duration(
        0.0,
        "of one flush, and of a unit for a durable write besides: none with power-loss protection; 0.45 ms on a "
        "Crucial T500 without (fdatasync, measured)",
    )
    flushes: int = count(1, "flushes that it works on at once (assumed)", high=4096)
    cache: int = size(
        0, "bytes of writes that are done before the flash has them; 0: no end of it", low=0, high=1 << 50
    )
    sustained: float = quantities.bandwidth(
        math.inf, "bytes a second at which the flash takes what is in the cache"
    )
    volatile: bool = flag(
        "the cache is lost with the power, so that a flush waits until it is empty: memory without protection",
        default=False,
    )
    write_cache: bool = flag(
        "off, each write waits until the flash has it, as when a battery failed", default=True
    )
    slow: float = number(1.0, "how many times as long a degraded device takes for everything", low=1.0, high=1e6)
    hardware: str = hardware_name()
    date: str = at_date()

    @staticmethod
    def filled(written: Values) -> dict[str, Filled]:
        """The ceilings of the drive named, and its latency where both are known; no ceiling where none is."""
        found = named_hardware.filled(written, _TAKEN)
        read, write = (found.pop(op, None) for op in ("read", "write"))
        if read and write:
            both = TimeTable(read.value, write.value)
            found["latency"] = Filled(both, f"read {read.text}, write {write.text}", read.source)
        return found

    @staticmethod
    def gives(written: Collection[str]) -> Iterator[str]:
        """A flush, if the file says of it how long it takes, or what there is to be flushed."""
        if {"flush", "cache", "write_cache"} & {*written}:
            yield FLUSH

    def layer(self, name: str, below: Below) -> SsdLayer:  # noqa: ARG002  (a device has nothing below)
        """The device.

        Raises:
            InputError: a latency of the table is less than the ceilings alone need, or a cache that never fills.
        """
        for op, by_size in (("read", self.latency.read), ("write", self.latency.write)):
            self._check(op, by_size)
        if (self.cache == 0) != math.isinf(self.sustained) or (self.volatile and not self.cache):
            raise InputError("a cache is given in part; give cache and sustained, or neither and no volatile")
        if not (self.write_cache or self.cache or self.flush):
            raise InputError(
                "write_cache is off, and nothing says how long the flash takes; give flush, or cache and sustained"
            )
        return SsdLayer(
            self,
            Pool(f"{name} queue", self.depth),
            Station(f"{name} commands"),
            tuple(self._units(name)),
            Station(f"{name} transfer"),
            Station(f"{name} flush", self.flushes),
            self._cache(name),
        )

    def _cache(self, name: str) -> WriteCache | None:
        if not self.cache:
            return None
        volatile = self.volatile and self.write_cache
        return WriteCache.of(name, self.cache, self.sustained, volatile=volatile, used=self.write_cache)

    def _units(self, name: str) -> Iterator[Station]:
        if self.placement == "free":
            yield Station(f"{name} units", self.units)
        else:
            yield from (Station(f"{name} unit {number}") for number in range(1, self.units + 1))

    def _check(self, op: str, by_size: BySize) -> None:
        for size_bytes, latency_s in by_size.points:
            ceilings_s = self.command_s(op) + self.transfer_s(op, size_bytes)
            if ceilings_s > latency_s * (1.0 + ROUNDING):
                raise InputError(
                    f"latency of a {op} of {size_text(size_bytes)} is {latency_s:g} s, but one takes "
                    f"{ceilings_s:.3g} s by iops and bandwidth alone; raise one of the three"
                )

    def command_s(self, op: str) -> float:
        """Seconds that the device works on a command, one after the other."""
        return 1.0 / (min(self.iops, self.write_iops) if op == "write" else self.iops)

    def transfer_s(self, op: str, size_bytes: int) -> float:
        """Seconds that the bytes take, one I/O after the other."""
        return size_bytes / (min(self.bandwidth, self.write_bandwidth) if op == "write" else self.bandwidth)


def pages(size_bytes: int) -> int:
    """Pages that so many bytes take, of which at least one."""
    return max(1, -(-size_bytes // PAGE_BYTES))


@dataclass(frozen=True)
class WriteCache:
    """What the device has taken and the flash has not yet.

    Attributes:
        dirty: pages of it. In bytes, a large one would be too full to be counted over time.
        programming: the flash, all units together.
        flushed: held alone by a flush, shared by writes; None for a cache that is as good as flash.
        used: off, a write passes through it, and is done when it has been programmed.
    """

    dirty: Buffer
    programming: Station
    bytes_per_s: float
    flushed: Lock | None
    used: bool

    @classmethod
    def of(cls, name: str, size_bytes: int, bytes_per_s: float, *, volatile: bool, used: bool) -> WriteCache:
        """The cache of the device ``name``."""
        lock = Lock(f"{name} cache flushed") if volatile else None
        programming = Station(f"{name} programming")
        return cls(Buffer(f"{name} cache", pages(size_bytes)), programming, bytes_per_s, lock, used)

    def taken(self, io: FileIO, *, durable: bool, slow: float) -> Iterator[Step]:
        """Put ``io`` in, piece by piece if it is larger, and programme it behind; what is to be durable waits."""
        for times, piece in io.split(self.dirty.capacity * PAGE_BYTES):
            taken = pages(piece.size_bytes)
            put: Step = Put(self.dirty, taken)
            time_s = slow * piece.size_bytes / self.bytes_per_s
            programmed = (Use(self.programming, time_s), Take(self.dirty, taken))
            waits = not self.used or (durable and self.flushed)
            behind = programmed if waits else (Fork(programmed, wait=False),)
            yield Repeat(times, Hold(self.flushed.shared, put) if self.flushed else put, *behind)

    def emptied(self, *flush: Step) -> Path:
        """Take the steps of a ``flush`` once the flash has all; writes that come meanwhile wait."""
        if not self.flushed:
            return flush
        everything = self.dirty.capacity  # which fits once nothing else is in
        empty = IfAny(self.dirty, (Put(self.dirty, everything), Take(self.dirty, everything)))
        return (Hold(self.flushed.exclusive, empty, *flush),)


@dataclass(frozen=True)
class SsdLayer:
    """The device at its places.

    Attributes:
        at_units: the step at the units for each time, since many I/Os have it in common.
    """

    ssd: Ssd
    queue: Pool
    commands: Station
    units: tuple[Station, ...]
    transfer: Station
    flushing: Station
    cache: WriteCache | None
    at_units: dict[float, Step] = field(default_factory=dict, compare=False, repr=False)

    def path(self, io: FileIO) -> Path:
        """One I/O; beyond the sizes of the table it takes at least what the ceilings need."""
        slow = self.ssd.slow * io.slow
        if io.op == "flush":
            return self._flushed(slow)
        durable = io.op == "write" and (io.durable != "no" or not self.ssd.write_cache)
        command_s, transfer_s = self.ssd.command_s(io.op) * slow, self.ssd.transfer_s(io.op, io.size_bytes) * slow
        rest_s = max(0.0, self.ssd.latency.at(io.op, io.size_bytes) * slow - command_s - transfer_s)
        unit_s = rest_s * self.ssd.unit_share
        return (
            Hold(
                self.queue,
                *_used(self.commands, command_s),
                Delay(rest_s - unit_s),
                self._at_a_unit(unit_s + self.ssd.flush * slow * durable),
                *_used(self.transfer, transfer_s),
                *(self.cache.taken(io, durable=durable, slow=slow) if self.cache and io.op == "write" else ()),
            ),
        )

    def _flushed(self, slow: float) -> Path:
        """Write out what a cache holds that would be lost with the power."""
        if not self.ssd.write_cache:
            return ()
        flush = _used(self.flushing, self.ssd.flush * slow)
        return (Hold(self.queue, *(self.cache.emptied(*flush) if self.cache else flush)),)

    def _at_a_unit(self, unit_s: float) -> Step:
        if unit_s not in self.at_units:
            self.at_units[unit_s] = self._any_unit(unit_s)
        return self.at_units[unit_s]

    def _any_unit(self, unit_s: float) -> Step:
        time = varied(unit_s, self.ssd.variation, "the stack file")
        uses = [Use(unit, time) for unit in self.units]
        return uses[0] if len(uses) == 1 else Choose(*((1.0 / len(uses), use) for use in uses))


def _used(station: Station, time_s: float) -> Path:
    """A use of ``station``, or nothing where it takes no time."""
    return (Use(station, time_s),) if time_s else ()
