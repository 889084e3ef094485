"""Relations that must hold among the numbers of one claim, whatever was measured: each is a product.

IOPS × block = throughput; IOPS × latency = requests in flight (Little 1961: of means, over the same requests);
throughput × elapsed time = bytes; parts × each = total.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from sim.engine.units.reading import number
from stacksim.claims.amounts import amount, said, said_beside
from stacksim.claims.claim import Number

Numbers = Mapping[str, Number]

PARTS = ("devices", "nodes", "links", "clients")
"""Parts that a number "of each" refers to: the first of these in the claim."""

_UNITS = {
    "throughput": "bytes/s",
    "throughput_each": "bytes/s",
    "iops": "/s",
    "iops_each": "/s",
    "latency": "s",
    "elapsed": "s",
    "bytes": "bytes",
    "block": "bytes",
}
"""Units of numbers that have one."""


@dataclass(frozen=True)
class Relation:
    """The number ``total`` is the product of others raised to their ``powers``, 1 or -1."""

    total: str
    powers: Mapping[str, int]

    @property
    def names(self) -> frozenset[str]:
        """Names of all numbers in it."""
        return frozenset({self.total, *self.powers})

    def known(self, numbers: Numbers, but: str = "") -> bool:
        """True if ``numbers`` has all of its numbers, except perhaps ``but``."""
        return self.names - {but} <= numbers.keys()

    def solved(self, name: str, numbers: Numbers) -> Solved:
        """The number ``name`` computed from the others; rates as text in the base of its own, if given."""
        powers = {**self.powers, self.total: -1}
        sign = -powers.pop(name)
        others = {other: sign * power for other, power in powers.items()}
        return _product(others, numbers, _UNITS.get(name, ""), numbers.get(name))


@dataclass(frozen=True)
class Solved:
    """A number computed by a relation: its range by the rounding of the others, its middle, the arithmetic."""

    low: float
    value: float
    high: float
    unit: str
    words: str


RELATIONS = (
    Relation("throughput", {"iops": 1, "block": 1}),
    Relation("requests_in_flight", {"iops": 1, "latency": 1}),
    Relation("bytes", {"throughput": 1, "elapsed": 1}),
    Relation("throughput", {"parts": 1, "throughput_each": 1}),
    Relation("iops", {"parts": 1, "iops_each": 1}),
    Relation("throughput_each", {"iops_each": 1, "block": 1}),
    Relation("requests_in_flight", {"throughput": 1, "latency": 1, "block": -1}),
    Relation("bytes", {"iops": 1, "block": 1, "elapsed": 1}),
    Relation("throughput", {"parts": 1, "iops_each": 1, "block": 1}),
    Relation("bytes", {"parts": 1, "throughput_each": 1, "elapsed": 1}),
    Relation("iops", {"parts": 1, "throughput_each": 1, "block": -1}),
)
"""All relations; those that follow from others serve if an intermediate number is missing."""


def comparable(numbers: Numbers) -> dict[str, Number]:
    """A copy of ``numbers`` for the relations, each under the name that fits its statistic.

    A throughput of each is ``throughput_each``, and a peak may have been less on average. Other statistics bound
    the mean latency: it is at most the largest, at least the smallest, and, since the share 1 - q of all
    requests took the quantile of q or more, at least that share of it.
    """
    renamed = dict(numbers)
    for name in ("throughput", "iops"):
        if name in renamed and renamed[name].of == "each":
            renamed.setdefault(f"{name}_each", renamed.pop(name))
        elif name in renamed and renamed[name].of == "peak":
            renamed[name] = replace(renamed[name], low=0.0)
    if "latency" in renamed:
        renamed["latency"] = _mean(renamed["latency"])
    if part := next((name for name in PARTS if name in renamed), None):
        renamed["parts"] = renamed[part]
    return renamed


def _mean(latency: Number) -> Number:
    """The mean, as far as another statistic bounds it."""
    if latency.of == "max":
        return replace(latency, low=0.0)
    if latency.of == "min":
        return replace(latency, high=math.inf)
    if (percent := number(latency.of.removeprefix("p"))) is not None:
        return replace(latency, low=latency.low * (1.0 - percent / 100.0), high=math.inf)
    return latency


def derived(name: str, numbers: Numbers) -> Solved | None:
    """The number ``name`` as given, or else by the first relation; None if there is none.

    Args:
        numbers: as ``comparable`` returns them.
    """
    return next(ways(name, numbers), None)


def ways(name: str, numbers: Numbers) -> Iterator[Solved]:
    """The number ``name`` as given, or else by each relation of which all other numbers are known."""
    if name in numbers:
        given = numbers[name]
        yield Solved(given.low, given.value, given.high, given.unit, said(given))
        return
    for relation in RELATIONS:
        if name in relation.names and relation.known(numbers, but=name):
            solved = relation.solved(name, numbers)
            yield replace(solved, words=f"{solved.words} = {amount(solved.value, solved.unit)}")


def _product(powers: Mapping[str, int], numbers: Numbers, unit: str, beside: Number | None) -> Solved:
    low = value = high = 1.0
    for name, power in powers.items():
        number = numbers[name]
        low *= number.low if power > 0 else _inverse(number.most)
        value *= number.value if power > 0 else _inverse(number.value)
        high *= number.most if power > 0 else _inverse(number.low)
    texts = {name: said_beside(numbers[name], beside) for name in powers}
    above = " × ".join(texts[name] for name, power in powers.items() if power > 0)
    below = "".join(f" / {texts[name]}" for name, power in powers.items() if power < 0)
    return Solved(low, value, high, unit, above + below)


def _inverse(value: float) -> float:
    return 1.0 / value if value else math.inf
