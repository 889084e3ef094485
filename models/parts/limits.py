"""Limits of a cloud volume or instance: token buckets for I/Os and for bytes, with a burst while credits last.

I/O    ──> its tokens of each bucket in turn: more [throttle]; it would exceed the credits: wait ──> below
refill ──> [tokens / rate] ──> less [throttle]; there is none: wait      a client of each bucket, in the background

What is kept is not the credits but the tokens taken and not yet refilled, so that a full bucket costs nothing:
once these fill the throttle, credits are spent. Its rate is what lasts; how long a burst does, simulation tells.
Tokens come in lumps, of one I/O or of 16 KiB, of which one lies ready beside the credits: without credits, I/Os of
one token pass two at once and then at the rate (assumed: clouds publish rates and credits, and not how evenly they
let I/Os pass). A control group of Linux counts in slices of 0.1 s: its tokens come in lumps of so much.
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
"""Bytes that are refilled at a time: few events, and as a rule no more than an I/O that such a limit holds up."""

SLICE_S = 0.1
"""In which a control group of Linux counts: what it allows in so long may pass at once, and the rest waits for the
next slice (``DFL_THROTL_SLICE_HD`` in block/blk-throttle.c)."""

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
    """What a volume or an instance may do, for good and while credits last.

    The defaults are those of an AWS gp3 volume as it comes: 3,000 IOPS, 125 MiB/s, no burst; an I/O of more than
    256 KiB counts as several (Amazon EBS user guide, "Amazon EBS volume types" and "I/O characteristics").
    """

    iops: float = rate(3000.0, "I/Os a second for good")
    burst_iops: float = rate(math.inf, "I/Os a second at most while credits last")
    iops_credits: int = count(0, "I/Os that the bucket holds when it is full", low=0, high=10**12)
    bandwidth: float = quantities.bandwidth(125.0 * (1 << 20), "bytes a second for good")
    burst_bandwidth: float = quantities.bandwidth(math.inf, "bytes a second at most while credits last")
    bandwidth_credits: int = size(0, "bytes that the bucket holds when it is full", low=0, high=1 << 50)
    io_size: int = size(256 << 10, "the largest I/O that counts as one", low=512)
    only: str = choice("all", "of which I/Os: all, or reads, or writes and flushes", ("all", "read", "write"))
    flushes: bool = flag("a flush counts as an I/O, as it does for a control group of Linux", default=False)
    credits: str = choice(
        "full",
        "full: a burst first; spent: none are left, and what lasts is known at once; slice: none, and what 0.1 s "
        "allow may pass at once, as in a control group of Linux",
        ("full", "spent", "slice"),
    )
    variation: float = number(
        0.0, "coefficient of variation of the time in which what was taken is refilled", high=10.0
    )
    hardware: str = hardware_name("volume", "instance")
    date: str = at_date()

    @staticmethod
    def filled(written: Values) -> dict[str, Filled]:
        """The limits of the volume or instance named; one that it does not have is no limit.

        Without a name, no more is limited than what is written, if anything is.
        """
        if found := named_hardware.filled(written, _TAKEN):
            return found
        if "iops" in written or "bandwidth" in written:
            return {
                field: Filled(math.inf, "unlimited", "") for field in ("iops", "bandwidth") if field not in written
            }
        return {}

    def kept(self) -> Iterator[tuple[str, str]]:
        """The fields whose rate nothing passes, as clouds see to it, each with the end of the name of its place.

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
        throttle: tokens taken and not yet refilled; its capacity is what the bucket holds.
        refill: where they are refilled.
        per_second: tokens refilled a second; infinite: no limit.
        lump: tokens that are refilled at a time.
    """

    throttle: Buffer
    refill: Station
    per_second: float
    lump: int

    @classmethod
    def of(cls, name: str, per_second: float, tokens: int, largest: int, lump: int) -> Bucket:
        """The bucket ``name`` of so many ``tokens``; ``largest`` are taken at once at most.

        Less than a lump is not refilled: there is room for it beside the largest.
        """
        return cls(Buffer(f"{name} throttle", max(tokens, largest) + lump - 1), Station(name), per_second, lump)

    def taken(self, tokens: int) -> Path:
        """Take ``tokens``, once there are so many."""
        return () if math.isinf(self.per_second) or not tokens else (Put(self.throttle, tokens),)

    def background(self, variation: float) -> Iterator[Workload]:
        """Who refills the bucket, each time in a time of this coefficient of ``variation``."""
        if not math.isinf(self.per_second):
            refilled = varied(self.lump / self.per_second, variation, "the stack file")
            path = (Use(self.refill, refilled), Take(self.throttle, self.lump))
            yield Closed(f"{self.refill.name} refill", clients=1, path=path)


@dataclass(frozen=True)
class LimitsLayer:
    """Buckets of I/Os and buckets of bytes, in series.

    Attributes:
        passed: operations that are counted, which are none in a copy that others do without: it is not refilled.
    """

    kind: Limits
    ios: tuple[Bucket, ...]
    transfers: tuple[Bucket, ...]
    below: Layer
    passed: set[str] = field(default_factory=set, compare=False)

    def path(self, io: IO) -> Path:
        """Take the tokens of all parts of the I/O, if it counts, then go on below in one."""
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
        """Who refills the buckets."""
        carried = self.passed - {"flush"}  # a flush takes of no bucket of bytes
        for bucket in (*(self.ios if self.passed else ()), *(self.transfers if carried else ())):
            yield from bucket.background(self.kind.variation)

    def _taken(self, io: IO) -> Iterator[Repeat]:
        """Of a flush, which carries no bytes, one I/O."""
        for times, part in io.split(self.kind.io_size) if io.size_bytes else ((1, io),):
            ios = (step for bucket in self.ios for step in bucket.taken(1))
            transfers = (step for bucket in self.transfers for step in bucket.taken(part.size_bytes))
            yield Repeat(times, *ios, *transfers)
