"""What all suspects are given: a claimed number, what was expected instead, and where a change can be tried."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from sim.decision.claims.claim import Claim, Number
from sim.decision.claims.likelihood import miss
from sim.decision.claims.suspects.by_hardware import ByHardware
from sim.decision.claims.suspects.in_model import InModel

TIMES = ("latency", "elapsed")
"""Numbers of which less is better."""


NEAR = 0.03
"""Share by which a number may pass what an explanation allows."""

PAGE = 4096
"""Bytes of a request where nobody says."""


@dataclass(frozen=True)
class Lead:
    """What may have been measured instead.

    Attributes:
        what: what would have to be true.
        predicted: the number that one would then see, in SI.
        free: whether some share or amount that nobody knows was chosen so that the number is met.
        found: whether the value of a setting, or a count, was looked for that meets the number best.
        said: whether the claim itself says that it was so.
    """

    what: str
    predicted: float
    free: bool = False
    found: bool = False
    said: bool = False


@dataclass(frozen=True)
class Suspicion:
    """One number of a claim that is not what was expected.

    Attributes:
        name: of the number, such as ``throughput``.
        base: what was expected, in SI: by the model, or the most that hardware allows.
        model: where the claim is about a system or a stack.
        hardware: where it names hardware.
    """

    claim: Claim
    name: str
    number: Number
    base: float
    model: InModel | None = None
    hardware: ByHardware | None = None

    @property
    def rate(self) -> bool:
        """Whether it is of things a second, and not a time or a ratio."""
        return self.number.unit in ("bytes/s", "/s")

    @property
    def too_good(self) -> bool:
        """Whether more was claimed than expected, or less of a time."""
        return (self.number.value > self.base) != (self.name in TIMES and bool(self.number.unit))

    def faster(self, factor: float) -> float:
        """The number that is expected where all goes ``factor`` times as fast."""
        return self.base / factor if self.name in TIMES and self.number.unit else self.base * factor

    def misses(self, predicted: float | None) -> float:
        """How far ``predicted`` is from the number, as a logarithm; infinite for none."""
        if predicted is None or not predicted > 0.0:
            return math.inf
        one_ended = math.isinf(self.number.high) or not self.number.low > 0.0
        return miss(self.number, predicted) if one_ended else abs(math.log(predicted / self.number.value))

    def bytes_per_s(self, value: float) -> float | None:
        """The bytes a second at which the number would be ``value``; None where nobody says of how many bytes."""
        block = self.known("block") or (self.model.about.block if self.model else None)
        of_all = {"throughput": 1.0, "throughput_each": 1.0, "elapsed": self.known("bytes")}
        amount = of_all.get(self.name, block or PAGE)
        if not amount or not self.number.unit:
            return None
        return amount / value if self.name in TIMES else value * amount

    def fits(self, name: str, share: float = 1.0) -> bool:
        """Whether the claim itself says that a ``share`` of its bytes fits into its ``name``."""
        size, moved = self.known(name), self.known("bytes")
        return size is not None and moved is not None and moved * share <= size

    def known(self, name: str) -> float | None:
        """The value of the number ``name`` of the claim, if it is said."""
        number = self.claim.numbers.get(name)
        return number.value if number else None

    def possible(self, predicted: float) -> bool:
        """Whether the number can be, where ``predicted`` is what hardware then allows; a model allows any.

        It may be a little more: who adds up both directions forgets the line code, too.
        """
        if self.hardware is None:
            return True
        number = self.number
        return (
            number.high >= predicted * (1.0 - NEAR)
            if number.unit == "s"
            else number.low <= predicted * (1.0 + NEAR)
        )

    def up_to(self, cap: float) -> float:
        """What is seen where ``cap`` takes the place of what was expected: the number itself, if that is less."""
        beyond = cap < self.number.value if self.number.unit != "s" else cap > self.number.value
        return cap if beyond else self.number.value

    def settings(self, choices: Mapping[str, object]) -> Iterator[tuple[str, float]]:
        """Each of ``choices`` that the system has and that makes a difference, in words, with the number then."""
        for name, value in choices.items() if self.model else ():
            predicted = self.model.under({name: value}) if self.model else None
            if self.model and predicted is not None:
                yield self.model.words(name, value), predicted


Suspect = Callable[[Suspicion], Iterator[Lead]]
"""One of the usual suspects: what it would predict, in each way in which it may have come about."""
