"""Bounds of a claim by its hardware, from the catalogue, whatever software runs on it: the tightest first.

Data pass all parts that a claim names in series, so that the slowest bounds all; several of one kind stand side
by side, and add up. A bound is exceeded only if the number exceeds it however it was rounded.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from sim.engine.units.text import number_text
from stacksim.claims.allowance import Allowance, bandwidth, iops, least_latency, memory, random_reads
from stacksim.claims.amounts import amount, said_beside, times
from stacksim.claims.claim import Claim, Number
from stacksim.claims.number import WIDEST
from stacksim.claims.parts import Part, parts_of
from stacksim.claims.relations import Numbers, Solved, comparable, derived
from stacksim.claims.verdict import Bound

EDGE = 1e-9
"""Relative tolerance of a bound: computed numbers are not exact."""

WIDE = 0.02
"""Relative rounding error from which the text states it."""


@dataclass(frozen=True)
class Limited:
    """A number of a claim and the bound on it by one place.

    Attributes:
        claimed: the number, as it was said or as others imply it.
        words: the arithmetic of the bound, such as ``2 × 212.5 MB/s = 425 MB/s``.
        least: True for a lower bound, as of latency; False for an upper bound.
    """

    bound: Bound
    claimed: Solved
    words: str
    least: bool = False

    @property
    def passed(self) -> bool:
        """True if the number violates the bound, however it was rounded."""
        if self.least:
            return self.claimed.high < self.bound.value * (1.0 - EDGE)
        return self.claimed.low > self.bound.value * (1.0 + EDGE)

    @property
    def share(self) -> float:
        """The number divided by the bound; inverted for a lower bound, so that more than 1 is a violation."""
        return 1.0 / self.bound.factor if self.least else self.bound.factor

    @property
    def why(self) -> str:
        """The arithmetic in one line, with the rounding of the number if that is large, or decides."""
        passed, allowed = (">", "≤") if self.least else ("<", "≥")
        sign = passed if self.passed else allowed
        beside = times(self.bound.factor) if self.share > 1.0 or self.least else f"{self.bound.factor:.0%} of it"
        end, word = (self.claimed.high, "most") if self.least else (self.claimed.low, "least")
        nearest = amount(end, self.claimed.unit)
        claimed = f"{self.claimed.words} ({beside})"
        near = self.share <= 1.0 + float(WIDEST)  # with fewer digits it might not pass
        if self.passed and (near or abs(end / self.claimed.value - 1.0) > WIDE):
            claimed = f"{self.claimed.words}, {nearest} at {word} ({beside})"
        elif not self.passed and self.share > 1.0 + EDGE:
            claimed = f"{nearest}, the {word} that {self.claimed.words} may mean"
        return f"{self.bound.place}: {self.words} {sign} {claimed}"


def bounds(claim: Claim) -> tuple[Limited, ...]:
    """All bounds that the hardware of ``claim`` sets on its numbers, the tightest first."""
    own = _own(claim)
    limits = [*_of_side(_side(own, claim.conditions, claim.date), claim.subject.hardware)]
    if other := claim.comparison:
        side = _side(other.numbers, {**claim.conditions, **other.conditions}, claim.date)
        limits += _of_side(side, other.subject.hardware)
    return tuple(sorted(limits, key=lambda limited: -limited.share))


@dataclass(frozen=True)
class _Side:
    """Numbers and conditions of one side of a claim: ``said`` as written, ``numbers`` as relations take them."""

    said: Numbers
    numbers: Numbers
    op: str | None
    pattern: str | None
    date: str | None

    def known(self, *names: str) -> Solved | None:
        """The first of ``names`` that is given or can be derived; None if there is none."""
        for name in names:
            number = self.said.get(name)
            if number and number.of != "each":
                return Solved(number.low, number.value, number.high, number.unit, said_beside(number))
            if solved := derived(name, self.numbers):
                return solved
        return None

    @property
    def timed(self) -> Numbers:
        """The numbers, with the duration of the measurement as elapsed time if there is no other."""
        duration = self.numbers.get("duration")
        return {"elapsed": duration, **self.numbers} if duration else self.numbers


def _side(numbers: Numbers, conditions: Mapping[str, str], date: str | None) -> _Side:
    return _Side(numbers, comparable(numbers), conditions.get("op"), conditions.get("pattern"), date)


def _own(claim: Claim) -> Numbers:
    """The numbers of ``claim``, and the one that it gives only as a ratio to the other side."""
    comparison = claim.comparison
    if not comparison or derived(comparison.of, comparable(claim.numbers)):
        return claim.numbers
    other, ratio = derived(comparison.of, comparable(comparison.numbers)), comparison.ratio
    if not other:
        return claim.numbers
    words = f"{number_text(ratio.value)} × {other.words}"
    number = Number(ratio.low * other.low, ratio.high * other.high, other.unit, words)
    return {**claim.numbers, comparison.of: number}


def _of_side(side: _Side, hardware: tuple[str, ...]) -> Iterator[Limited]:
    parts = parts_of(hardware, side.numbers)
    moved = replace(side, numbers=side.timed)  # bytes moved over that time give the mean rate
    for part in parts:
        most = bandwidth(part, side.op, side.date, side.timed)
        yield from _at_most(moved.known("throughput", "throughput_each"), most)
        if side.pattern != "sequential":  # adjacent requests are merged on their way, and counted as fewer
            most = iops(part, side.op, side.date, side.timed)
            most = most or random_reads(part, side.op, side.pattern, side.date)
            yield from _at_most(moved.known("iops", "iops_each"), most)
        yield from _at_most(side.known("memory"), memory(part, side.date))
        yield from _transfer(side, part)
    yield from _latency(side, parts)


def _at_most(claimed: Solved | None, allowance: Allowance | None) -> Iterator[Limited]:
    if claimed and allowance:
        bound = Bound(allowance.place, allowance.value, claimed.unit, claimed.value / allowance.value)
        yield Limited(bound, claimed, allowance.words)


def _transfer(side: _Side, part: Part) -> Iterator[Limited]:
    """A request takes at least the time of its bytes at the rate of all parts side by side."""
    untimed = {name: number for name, number in side.numbers.items() if name == "mtu"}
    allowance = bandwidth(part, "read" if side.op is None else side.op, side.date, untimed)
    latency, block = side.known("latency"), side.known("block")
    if allowance and latency and block and block.low:
        value = block.low / allowance.value
        words = f"{block.words} / {amount(allowance.value, 'bytes/s')} = {amount(value, 's')}"
        yield Limited(Bound(allowance.place, value, "s", latency.value / value), latency, words, least=True)


def _latency(side: _Side, parts: tuple[Part, ...]) -> Iterator[Limited]:
    """Latency is at least the sum of the least latencies of all parts, which are passed in series."""
    stated = side.said.get("latency")
    if stated and stated.of in {"min", "p50"}:
        return
    latency = side.known("latency")
    floors = [(part, floor) for part in parts if (floor := least_latency(part, side.op, side.pattern, side.date))]
    if floors and latency:
        value = sum(floor for _, floor in floors)
        place = " + ".join(part.name for part, _ in floors)
        words = " + ".join(amount(floor, "s") for _, floor in floors)
        words += f" = {amount(value, 's')}" if len(floors) > 1 else ""
        yield Limited(Bound(place, value, "s", latency.value / value), latency, words, least=True)
