"""Limits of a cloud volume or instance: token buckets for I/Os and for bytes, with a burst while credits last.

I/O    ──> its tokens of each bucket in turn: more [throttle]; it would exceed the credits: wait ──> below
refill ──> [tokens / rate] ──> less [throttle]; there is none: wait      a client of each bucket, in the background

The throttle counts tokens taken and not yet refilled instead of credits, so that a full bucket costs nothing: once
it is full, credits are spent. The refill rate is the sustained rate; simulation gives the length of a burst.
Tokens come in lumps, of one I/O or of 16 KiB, of which one lies ready beside the credits: without credits, I/Os of
one token pass two at once and then at the rate (assumed: clouds publish rates and credits, and not how evenly they
let I/Os pass). A control group of Linux counts in slices of 0.1 s: the lump is what its rate allows in one of
them, and never less than one I/O or 16 KiB.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field

from models.io import IO
from models.layer import Layer
from models.parts import named_hardware
from models.parts.named_hardware import Taken, at_date, hardware_name
from models.paths import varied
from sim import Buffer, Closed, Path, Put, Repeat, Station, Take, Use, Workload
from sim.system import quantities
from sim.system.quantities import rate
from sim.system.settings import Values, choice, count, flag, number, size
from sim.system.stack.kinds import Below, Filled

LUMP_BYTES = 16 << 10
"""Bytes refilled at a time: few events, and usually no more than an I/O that such a limit delays."""

SLICE_S = 0.1
"""A slice of a control group of Linux: what its rate allows in this time may pass at once, and the rest waits for
the next slice (``DFL_THROTL_SLICE_HD`` in block/blk-throttle.c)."""

_TAKEN = {
    "iops": Taken("iops", otherwise=math.inf, places=("IOPS",)),
    "burst_iops": Taken("burst_iops", otherwise=math.inf),
    "iops_credits": Taken("burst_credits", otherwise=0.0, made=int),
    "bandwidth": Taken("bandwidth", otherwise=math.inf, places=("bandwidth",)),
    "burst_bandwidth": Taken("burst_bandwidth", otherwise=math.inf),
    "bandwidth_credits": Taken("burst_bytes", otherwise=0.0, made=int),
}


@dataclass(frozen=True)
class Limits:
    """Limits of a volume or an instance, permanent ones and those while credits last.

    The defaults are those of a default AWS gp3 volume: 3,000 IOPS, 125 MiB/s, no burst; an I/O of more than
    256 KiB counts as several (Amazon EBS user guide, "Amazon EBS volume types" and "I/O characteristics").
    """

    iops: float = rate(3000.0, "sustained I/Os a second")
    burst_iops: float = rate(math.inf, "I/Os a second while credits last")
    iops_credits: int = count(0, "I/Os in a full bucket", low=0, high=10**12)
    bandwidth: float = quantities.bandwidth(125.0 * (1 << 20), "sustained bytes a second")
    burst_bandwidth: float = quantities.bandwidth(math.inf, "bytes a second while credits last")
    bandwidth_credits: int = size(0, "bytes in a full bucket", low=0, high=1 << 50)
    io_size: int = size(256 << 10, "largest I/O that counts as one", low=512)
    only: str = choice(
        "all",
        "limited I/Os: all, or read, or write with flushes; use a layer for each to limit them separately",
        ("all", "read", "write"),
    )
    flushes: bool = flag("a flush counts as an I/O, as in a control group of Linux", default=False)
    credits: str = choice(
        "full",
        "full: a burst comes first; spent: none are left; slice: as much as 0.1 s allow may pass "
        "at once, as in a control group of Linux",
        ("full", "spent", "slice"),
    )
    variation: float = number(0.0, "coefficient of variation of the time between tokens", high=10.0)
    hardware: str = hardware_name("volume", "instance")
    date: str = at_date()

    @staticmethod
    def filled(written: Values) -> dict[str, Filled]:
        """Limits of the named volume or instance; a limit that it lacks is infinite.

        Without a name, only written limits apply, if any are written.
        """
        if fields := named_hardware.filled(written, _TAKEN):
            return fields
        if "iops" in written or "bandwidth" in written:
            return {
                field: Filled(math.inf, "unlimited", "") for field in ("iops", "bandwidth") if field not in written
            }
        return {}

    def kept(self) -> Iterator[tuple[str, str]]:
        """Yield fields whose rate clouds enforce, so that nothing exceeds it, each with its place's name ending.

        What lasts is passed while there are credits, and for a slice.
        """
        if self.credits == "slice":
            return
        full = self.credits == "full"
        for name, held, place in (
            ("iops", self.iops_credits, "IOPS"),
            ("bandwidth", self.bandwidth_credits, "bandwidth"),
        ):
            yield (f"burst_{name}", f"burst {place}") if full and held else (name, place)

    def layer(self, name: str, below: Below) -> LimitsLayer:
        """The limits above ``below``."""
        ios = (
            self._bucket(f"{name} IOPS", self.iops, self.iops_credits, 1, 1),
            self._bucket(f"{name} burst IOPS", self.burst_iops, 0, 1, 1),
        )
        transfers = (
            self._bucket(f"{name} bandwidth", self.bandwidth, self.bandwidth_credits, self.io_size, LUMP_BYTES),
            self._bucket(f"{name} burst bandwidth", self.burst_bandwidth, 0, self.io_size, LUMP_BYTES),
        )
        return LimitsLayer(self, ios, transfers, below(""))

    def _bucket(self, name: str, per_second: float, tokens: int, largest: int, lump: int) -> Bucket:
        if self.credits == "slice" and math.isfinite(per_second):
            lump = max(lump, round(per_second * SLICE_S))
        return Bucket.of(name, per_second, tokens if self.credits == "full" else 0, largest, lump)


@dataclass(frozen=True)
class Bucket:
    """One bucket, full at first.

    Attributes:
        throttle: tokens taken and not yet refilled; its capacity is the bucket's.
        refill: station of refills.
        per_second: tokens refilled a second; infinite for no limit.
        lump: tokens refilled at a time.
    """

    throttle: Buffer
    refill: Station
    per_second: float
    lump: int

    @classmethod
    def of(cls, name: str, per_second: float, tokens: int, largest: int, lump: int) -> Bucket:
        """The bucket ``name`` with ``tokens``, of which at most ``largest`` are taken at once.

        Only whole lumps are refilled: there is room for a partial one besides the largest.
        """
        throttle = Buffer(f"{name} throttle", max(tokens, largest) + lump - 1, role="internal")
        return cls(throttle, Station(name, role="throttle"), per_second, lump)

    def taken(self, tokens: int) -> Path:
        """Take ``tokens``, once that many are there."""
        return () if math.isinf(self.per_second) or not tokens else (Put(self.throttle, tokens),)

    def background(self, variation: float) -> Iterator[Workload]:
        """Refill of the bucket, at intervals with this coefficient of ``variation``."""
        if not math.isinf(self.per_second):
            refilled = varied(self.lump / self.per_second, variation, "the stack file")
            path = (Use(self.refill, refilled), Take(self.throttle, self.lump))
            yield Closed(f"{self.refill.name} refill", clients=1, path=path)


@dataclass(frozen=True)
class LimitsLayer:
    """Buckets of I/Os and buckets of bytes, in series.

    Attributes:
        passed: counted operations; empty in an unused copy of the layer, which is not refilled.
    """

    kind: Limits
    ios: tuple[Bucket, ...]
    transfers: tuple[Bucket, ...]
    below: Layer
    passed: set[str] = field(default_factory=set, compare=False)

    def path(self, io: IO) -> Path:
        """Steps of one I/O: take the tokens of all its parts, if it counts, then pass it on below as a whole."""
        below = self.below.path(io)
        if not self._counts(io):
            return below
        self.passed.add(io.op)
        return (*self._taken(io), *below)

    def _counts(self, io: IO) -> bool:
        if io.op == "flush" and not self.kind.flushes:
            return False
        return self.kind.only in ("all", "read" if io.op == "read" else "write")

    def background(self) -> Iterator[Workload]:
        """Refill of the buckets."""
        carried = self.passed - {"flush"}  # a flush takes no bytes
        for bucket in (*(self.ios if self.passed else ()), *(self.transfers if carried else ())):
            yield from bucket.background(self.kind.variation)

    def _taken(self, io: IO) -> Iterator[Repeat]:
        """Tokens of an I/O; a flush, which carries no bytes, counts as one I/O."""
        for times, part in io.split(self.kind.io_size) if io.size_bytes else ((1, io),):
            ios = (step for bucket in self.ios for step in bucket.taken(1))
            transfers = (step for bucket in self.transfers for step in bucket.taken(part.size_bytes))
            yield Repeat(times, *ios, *transfers)
