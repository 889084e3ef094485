"""Limits of a cloud volume or instance: token buckets for I/Os and for bytes, with a burst while credits last.

I/O ──> its tokens, of each bucket in turn, as many as there are; none left: wait ──> below
          └─ behind it: [refill: tokens / rate], one I/O after the other ──> back in the bucket

What is kept is the debt, the tokens taken and not yet refilled: an I/O waits where it would exceed the credits.
So a bucket costs nothing while nobody takes of it. Its rate is what lasts; how long a burst does, the simulation
tells. A ceiling without credits lets one I/O pass at once, and the next when the tokens of that one are back
(assumed: clouds publish rates and credits, and not how evenly they let I/Os pass).
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from models.io import IO
from models.layer import Layer
from sim import Buffer, Fork, Path, Put, Repeat, Station, Take, Use
from sim.system import quantities
from sim.system.quantities import rate
from sim.system.settings import count, size
from sim.system.stack.kinds import Below


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

    def layer(self, name: str, below: Below) -> LimitsLayer:
        """The limits above ``below``."""
        one, whole = 1, self.io_size
        ios = (
            Bucket.of(f"{name} IOPS", self.iops, max(one, self.iops_credits)),
            Bucket.of(f"{name} burst IOPS", self.burst_iops, one),
        )
        transfers = (
            Bucket.of(f"{name} bandwidth", self.bandwidth, max(whole, self.bandwidth_credits)),
            Bucket.of(f"{name} burst bandwidth", self.burst_bandwidth, whole),
        )
        return LimitsLayer(ios, transfers, self.io_size, below(""))


@dataclass(frozen=True)
class Bucket:
    """One bucket, full at first.

    Attributes:
        debt: tokens taken and not yet refilled; its capacity is what the bucket holds.
        refill: where debts are paid, first come, first served.
        per_second: tokens refilled a second; infinite: no limit.
    """

    debt: Buffer
    refill: Station
    per_second: float

    @classmethod
    def of(cls, name: str, per_second: float, tokens: int) -> Bucket:
        """The bucket ``name`` of so many ``tokens``."""
        return cls(Buffer(f"{name} debt", tokens), Station(name), per_second)

    def taken(self, tokens: int) -> Path:
        """Take ``tokens``, once there are so many."""
        if math.isinf(self.per_second):
            return ()
        refilled = (Use(self.refill, tokens / self.per_second), Take(self.debt, tokens))
        return (Put(self.debt, tokens), Fork(refilled, wait=False))


@dataclass(frozen=True)
class LimitsLayer:
    """Buckets of I/Os and buckets of bytes, in series."""

    ios: tuple[Bucket, ...]
    transfers: tuple[Bucket, ...]
    io_bytes: int
    below: Layer

    def path(self, io: IO) -> Path:
        """Take the tokens of all parts of the I/O, then go on below in one."""
        return (*self._taken(io), *self.below.path(io))

    def _taken(self, io: IO) -> Iterator[Repeat]:
        for times, part in io.split(self.io_bytes):
            ios = (step for bucket in self.ios for step in bucket.taken(1))
            transfers = (step for bucket in self.transfers for step in bucket.taken(part.size_bytes))
            yield Repeat(times, *ios, *transfers)
