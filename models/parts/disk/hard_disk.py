"""The kind ``disk`` of stack files: one disk by the figures of its data sheet.

read, write at random    ──> [arm] seek, half a turn, bytes / rate of the zones
in sequence              ──> [arm] is where the process left it, unless another was served meanwhile ──> bytes
write, into the cache    ──> [bus] ──> [cache] ──> done;   behind it, sorted by place: [arm] …
"""

from __future__ import annotations

from dataclasses import dataclass

from models.io import FileIO
from models.parts import named_hardware
from models.parts.disk.disk import Disk, Region, WriteCache
from models.parts.disk.mechanics import Mechanics
from models.parts.named_hardware import Taken, at_date, hardware_name
from sim import Buffer, InputError, Path, Pool, Station
from sim.system import quantities
from sim.system.quantities import duration
from sim.system.settings import Values, count, number, size
from sim.system.stack.kinds import FLUSH, Below, Filled

MINUTE_S = 60.0

_TAKEN = {"bandwidth": Taken("bandwidth", places=("arm",)), "half_turn": Taken("latency", "read")}

PAGE_BYTES = 4096
"""Unit of a drive's cache."""

AT_RANDOM = 1
"""Region of all random I/Os: after one, the arm is in no process's sequence."""

SORTED = 32
"""Writes that a drive sorts by place (as many as tags of native command queueing)."""


@dataclass(frozen=True)
class HardDisk:
    """One disk. The defaults are those of a present 7,200 rpm drive, as far as data sheets state them."""

    rpm: int = count(7200, "turns a minute", low=1000, high=20_000)
    seek: float = duration(8.5e-3, "average seek of a data sheet")
    track: float = duration(1e-3, "seek to the next track; assumed")
    bandwidth: float = quantities.bandwidth(250e6, "rate of the outermost tracks")
    inner: float = quantities.bandwidth(0.0, "rate of the innermost tracks; 0: half of the outermost", low=0.0)
    span: float = number(
        1.0, "share of the platter in use, from the outside: shorter seeks, faster zones", low=1e-6, high=1.0
    )
    cache: int = size(
        0,
        "bytes of writes acknowledged before the platter has them, lost with the power; 0: none",
        low=0,
        high=1 << 40,
    )
    bus: float = quantities.bandwidth(600e6, "rate of the interface, used with a cache; Serial ATA, 6 Gb/s")
    command: float = duration(20e-6, "time of a command on the interface, used with a cache; assumed")
    hardware: str = hardware_name("disk")
    date: str = at_date()

    @staticmethod
    def filled(written: Values) -> dict[str, Filled]:
        """Bandwidth of the named disk, and its rotation speed, as its least mean latency is half a turn."""
        fields = named_hardware.filled(written, _TAKEN)
        if half_turn := fields.pop("half_turn", None):
            rpm = int(round(MINUTE_S / 2 / half_turn.value, -1))
            fields["rpm"] = Filled(rpm, str(rpm), half_turn.source)
        return fields

    @staticmethod
    def gives(_written: object) -> tuple[str, ...]:
        """A flush: it waits for the platter with a cache, and does nothing without one."""
        return (FLUSH,)

    def layer(self, name: str, below: Below) -> DiskLayer:  # noqa: ARG002  (a device is the last layer)
        """The disk, below which there is nothing.

        Raises:
            InputError: an inner track is faster than an outer one, or a seek is shorter than a track-to-track one.
        """
        mechanics = self._mechanics()
        sorted_s = mechanics.sorted_s(SORTED)
        disk = Disk(
            name,
            mechanics.position_s,
            mechanics.bytes_per_s,
            mechanics.position_cv,
            cache=self._cache(name),
            sorted_s=sorted_s,
        )
        return DiskLayer(disk, mechanics.turn_s)

    def _mechanics(self) -> Mechanics:
        inner = self.inner or self.bandwidth / 2
        if inner > self.bandwidth:
            raise InputError("inner is more than bandwidth, that of the outer tracks; give less, or leave it out")
        if self.track > self.seek:
            raise InputError("track is more than seek, the average; give less")
        return Mechanics(self.seek, self.track, MINUTE_S / self.rpm, self.bandwidth, inner, self.span)

    def _cache(self, name: str) -> WriteCache | None:
        if not self.cache:
            return None
        queue, buffer = Pool(f"{name} queue"), Buffer(f"{name} cache", max(1, self.cache // PAGE_BYTES))
        largest = buffer.capacity * PAGE_BYTES
        return WriteCache(Station(f"{name} bus"), queue, buffer, self.bus, self.command, largest, PAGE_BYTES)


@dataclass(frozen=True)
class DiskLayer:
    """The disk for I/Os of a stack.

    Attributes:
        turn_s: one revolution.
    """

    disk: Disk
    turn_s: float

    def path(self, io: FileIO) -> Path:
        """Each process has a region; any other I/O, and its own random ones, interrupt its sequence.

        A log has one region for all its writers. A write that waited for the platter comes too late for the next
        place, and waits a turn; that turn is paid at this time, and not by the next writer.
        """
        anew = not io.sequential
        region = Region(self.disk, self._number(io), reads_anew=anew, writes_anew=anew, slow=io.slow)
        again = () if anew else (region.round_again(self.turn_s),)
        if io.op == "flush":
            return (*self.disk.flush, *again)
        if io.op == "read" or io.durable == "no":
            return region.path(io)
        return (*region.through(io), *again)

    @staticmethod
    def _number(io: FileIO) -> int:
        if not io.sequential:
            return AT_RANDOM
        logged = io.op == "flush" or io.durable != "no" or io.synced != "no"
        return AT_RANDOM + 1 + 2 * (io.file if logged else io.process_of_all) + logged
