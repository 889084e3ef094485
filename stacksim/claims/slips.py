"""Usual slips that make numbers of one claim disagree: each is a factor, compared with the disagreement."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass

from stacksim.claims.amounts import amount, said
from stacksim.claims.arithmetic import SAME_RUN, Check
from stacksim.claims.relations import PARTS
from stacksim.claims.verdict import Cause, Explanation

NEAR = math.log(1.1)
"""Largest error of a slip that is reported, as a logarithm."""

MOST = 3
"""Largest number of slips reported."""

_BINARY = {1: ("kB", "KiB"), 2: ("MB", "MiB"), 3: ("GB", "GiB"), 4: ("TB", "TiB")}
_PREFIX = re.compile(r"([kKMGT])i?(?:[bB]|$)")
_LEAST_BLOCK = 512
"""Bytes of a sector."""


@dataclass(frozen=True)
class _Slip:
    """A slip: it changes the computed number by ``factor``; ``free`` if some such slip fits any number."""

    what: str
    cause: Cause
    factor: float
    free: bool = False

    def rank(self, check: Check) -> tuple[bool, bool, float]:
        """Sort key: slips within rounding first, among them those that fit any number last."""
        low, high = check.computed.low * self.factor, check.computed.high * self.factor
        fits = low <= check.said.high * (1.0 + SAME_RUN) and check.said.low <= high * (1.0 + SAME_RUN)
        return not fits, self.free, distance(_explanation(self, check))


def slips(check: Check) -> tuple[Explanation, ...]:
    """Slips that make the numbers of ``check`` agree, the nearest first; one of each cause.

    Slips that change nothing, or concern a number that all others agree with, are left out.
    """
    near: dict[str, Explanation] = {}
    for slip in sorted(_usual(check), key=lambda slip: slip.rank(check)):
        explanation = _explanation(slip, check)
        if distance(explanation) <= NEAR and slip.factor != 1.0:
            near.setdefault(explanation.cause, explanation)
    return tuple(near.values())[:MOST]


def distance(explanation: Explanation) -> float:
    """Error of an explanation: the absolute logarithm of predicted / claimed."""
    ratio = 1.0 + explanation.error
    return abs(math.log(ratio)) if 0.0 < ratio < math.inf else math.inf


def _explanation(slip: _Slip, check: Check) -> Explanation:
    predicted = check.computed.value * slip.factor
    return Explanation(slip.what, slip.cause, predicted, check.computed.unit, predicted / check.said.value - 1.0)


def _usual(check: Check) -> Iterator[_Slip]:
    if check.total == "ratio":
        yield from _by_or_to(check)
        return
    yield from _units(check)
    yield from _parts(check)
    yield from _both_directions(check)
    if _may_be_off(check, "block"):
        yield from _other_block(check)
    if _may_be_off(check, "requests_in_flight", "latency", "iops"):
        yield from _other_depth(check)


def _may_be_off(check: Check, *names: str) -> bool:
    """False if another number is known to be the odd one, and none of ``names``."""
    return not check.odd or not check.odd.isdisjoint(names)


def _by_or_to(check: Check) -> Iterator[_Slip]:
    """Slips of language: "by" for "to", and "times as much" for "times more"."""
    ratio, change = check.computed.value, check.said.said.endswith("%")
    if ratio < 1.0:
        share = f"{100.0 * (ratio if change else 1.0 - ratio):.3g} %"
        what = f"it fell to {share}, not by {share}" if change else f"it fell by {share}, not to {share}"
        yield _Slip(what, "by-or-to", (1.0 - ratio) / ratio)
        return
    much, more = f"{ratio:.3g} times", f"{ratio - 1.0:.3g} times"
    yield _Slip(f"'{much} as much' was told as '{much} more'", "by-or-to", (ratio + 1.0) / ratio)
    if ratio > 1.0:
        yield _Slip(f"'{more} more' was told as '{more} as much'", "by-or-to", (ratio - 1.0) / ratio)


def _units(check: Check) -> Iterator[_Slip]:
    """Slips of units: decimal and binary prefixes, bits and bytes, prefixes of time."""
    if check.names & {"throughput", "throughput_each", "bytes", "block"}:
        for power in _powers(check):
            decimal, binary = _BINARY[power]
            yield _Slip(f"{binary} were written as {decimal}", "units", 1.024**-power)
            yield _Slip(f"{decimal} were written as {binary}", "units", 1.024**power)
        for factor, bits in ((8.0, "bits"), (10.0, "bits on a line with 8b/10b code")):
            yield _Slip(f"{bits} were taken for bytes", "units", factor)
            yield _Slip(f"bytes were taken for {bits}", "units", 1.0 / factor)
    for name in check.names & {"latency", "elapsed"}:
        for factor in (1000.0, 60.0) if name == "elapsed" else (1000.0,):
            what = f"the unit of {name} is off by a factor of {factor:g}"
            yield _Slip(what, "units", factor)
            yield _Slip(what, "units", 1.0 / factor)


def _powers(check: Check) -> Iterator[int]:
    """Powers of the byte prefixes in which the compared numbers are written."""
    texts = [check.numbers[name].said for name in check.names if check.numbers[name].unit.startswith("bytes")]
    letters = {match[1].upper() for text in texts if (match := _PREFIX.search(text))}
    yield from (power for power, (decimal, _) in _BINARY.items() if decimal[0].upper() in letters)


def _parts(check: Check) -> Iterator[_Slip]:
    """Slips of counting: a sum stated as each or the reverse, or another number of parts."""
    numbers = check.numbers
    for name in (*PARTS, "cores"):
        count = numbers[name].value if name in numbers else 1.0
        if count != 1.0 and name not in check.names:
            yield _Slip(f"one number is of all {count:g} {name}, the other of each", "sum-as-mean", count)
            yield _Slip(f"one number is of each of {count:g} {name}, the other of all", "sum-as-mean", 1.0 / count)
    if "parts" in check.names & numbers.keys():
        count = numbers["parts"].value
        needed = max(1.0, float(round(count * check.factor)))
        cause: Cause = "more-parts" if needed > count else "fewer-parts"
        if _may_be_off(check, "parts"):
            yield _Slip(f"there were {needed:g} of them, not {count:g}", cause, needed / count)
        yield _Slip(f"the sum over {count:g} parts was printed as that of each", "sum-as-mean", 1.0 / count)


def _both_directions(check: Check) -> Iterator[_Slip]:
    if check.names & {"throughput", "throughput_each", "iops", "iops_each"}:
        what = "reads and writes were added up in one number, and not in the other"
        yield _Slip(what, "both-directions", 2.0)
        yield _Slip(what, "both-directions", 0.5)


def _other_block(check: Check) -> Iterator[_Slip]:
    """Slips of request size: another power of two of bytes, of the load itself or after merging."""
    if "block" not in check.names or check.total == "requests_in_flight":
        return
    block = check.numbers["block"].value
    needed = 2.0 ** max(round(math.log2(block * check.factor)), round(math.log2(_LEAST_BLOCK)))
    size = amount(needed, "bytes")
    yield _Slip(f"requests were of {size}", "block-size", needed / block)
    if needed > block:
        yield _Slip(f"requests were merged to {size} before they were counted", "merged-requests", needed / block)


def _other_depth(check: Check) -> Iterator[_Slip]:
    """Slips of depth: latency and IOPS of runs at two depths, or a latency that is not the mean."""
    if check.total != "requests_in_flight":
        return
    latency, depth = check.numbers["latency"], round(check.computed.value)
    if depth >= 1:
        what = f"{depth} requests were in flight on average, or latency was measured at another depth than IOPS"
        yield _Slip(what, "queue-depth", check.said.value / depth, free=True)
    if check.factor < 1.0 and not latency.of:
        mean = amount(latency.value * check.factor, "s")
        wanted = amount(check.said.value, "")
        what = f"if {said(latency)} is a percentile, a mean of {mean} would give {wanted} in flight"
        yield _Slip(what, "percentile", check.factor, free=True)
