"""Suspects: requests of another size than stated, or several merged to one before they were counted."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import replace

from sim.engine.units import size_text
from stacksim.claims.bounds import bounds
from stacksim.claims.claim import Claim, Number
from stacksim.claims.suspects.by_hardware import ByHardware
from stacksim.claims.suspects.ladder import moved, nearest
from stacksim.claims.suspects.suspicion import Lead, Suspicion

BLOCKS = ("block", "chunk")
"""Roles of settings that are the size of a request."""

MERGED = 1 << 20
"""Largest bytes of a request made by merging others."""

LEAST, MOST = 512, 64 << 20
"""Bytes of a request: a sector, and the largest that any of the systems takes."""


def block_size(suspicion: Suspicion) -> Iterator[Lead]:
    """Each setting that is the size of something, and the block by which hardware is bounded."""
    for entry in suspicion.model.of_role(*BLOCKS) if suspicion.model else ():
        if found := moved(suspicion, entry.name, between=False):
            yield Lead(f"requests were of another size: {found.words}", found.predicted, found=True)
    hardware, block = suspicion.hardware, suspicion.claim.numbers.get("block")
    if hardware and block:

        def allowed(size: int) -> float | None:
            return hardware.saying(_of_block(suspicion.claim.numbers, size))

        now = round(block.value)
        best = nearest(now, LEAST, MOST, lambda size: suspicion.misses(allowed(size)), between=False)
        predicted = allowed(best) if best else None
        if best and predicted:
            yield Lead(f"requests were of {size_text(best)} instead of {size_text(now)}", predicted, found=True)


def merged_requests(suspicion: Suspicion) -> Iterator[Lead]:
    """Leads that assume merging: sequential requests became larger, but were counted in the claimed block size."""
    if not suspicion.rate or not suspicion.too_good:
        return
    if suspicion.hardware:
        yield from _merged_for_hardware(suspicion, suspicion.hardware)
    model = suspicion.model
    if suspicion.claim.conditions.get("pattern") == "random" or model is None:
        return
    block = next(iter(model.of_role("block")), None)
    if block is None:
        return

    def number(size: int, *, roughly: bool = True) -> float | None:
        return model.under({block.name: size}, as_said=True, roughly=roughly)

    now = int(model.value(block.name))
    low, high = now, int(getattr(block, "high", MOST))

    def misses(size: int) -> float:
        return suspicion.misses(suspicion.base if size == now else number(size))

    best = nearest(now, low, high, misses, between=False)
    predicted = number(best, roughly=False) if best else None
    if best and predicted:
        yield Lead(
            f"requests were merged to {size_text(best)} on their way, and counted before", predicted, found=True
        )


def _merged_for_hardware(suspicion: Suspicion, hardware: ByHardware) -> Iterator[Lead]:
    """A lead by merging, if the claim has more requests, but not more bytes, than a device takes."""
    passed, block, claim = hardware.tightest, suspicion.known("block"), hardware.claim
    iops, moved = claim.numbers.get("iops"), claim.numbers.get("throughput")
    block = moved.value / iops.value if moved and iops and not block else block
    if passed is None or passed.bound.unit != "/s" or not block:
        return
    times = 2 ** math.ceil(math.log2(passed.share))
    size = round(block) * times
    if moved is None:
        moved = Number(passed.claimed.low * block, passed.claimed.high * block, "bytes/s", "")
    if size <= MERGED and not any(limit.passed for limit in bounds(_only(claim, moved))):
        pattern = suspicion.claim.conditions.get("pattern")
        said = pattern == "sequential"
        unless = "the requests were not at random, and " if pattern == "random" else ""
        what = f"{unless}{times} requests each were merged to {size_text(size)}, and counted before"
        yield Lead(what, suspicion.number.value, found=True, said=said)


def _only(claim: Claim, throughput: Number) -> Claim:
    """``claim`` with ``throughput`` as its only number."""
    return replace(claim, numbers={"throughput": throughput})


def _of_block(numbers: Mapping[str, Number], size: int) -> Mapping[str, Number]:
    return {**numbers, "block": replace(numbers["block"], low=float(size), high=float(size), said=size_text(size))}
