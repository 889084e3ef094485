"""Input of all suspects: a claimed number, its expected value, and ways to try a change."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from stacksim.claims.claim import Claim, Number
from stacksim.claims.likelihood import miss
from stacksim.claims.suspects.by_hardware import ByHardware
from stacksim.claims.suspects.in_model import InModel

TIMES = ("latency", "elapsed")
"""Numbers of which less is better."""


NEAR = 0.03
"""Share by which a number may exceed the limit of an explanation."""

PAGE = 4096
"""Bytes of a request if not stated."""


@dataclass(frozen=True)
class Lead:
    """A possible explanation: what may have been measured instead.

    Attributes:
        what: the condition that would have to be true.
        predicted: the number that it predicts, in SI.
        free: True if an unknown share or amount was chosen so that the number is met.
        found: True if the value of a setting, or a count, was searched for the best match.
        said: True if the claim itself states it.
    """

    what: str
    predicted: float
    free: bool = False
    found: bool = False
    said: bool = False


@dataclass(frozen=True)
class Suspicion:
    """One number of a claim that differs from its expected value.

    Attributes:
        name: name of the number, such as ``throughput``.
        base: expected value in SI: by the model, or the most that hardware allows.
        model: set if the claim is about a system or a stack.
        hardware: set if the claim names hardware.
    """

    claim: Claim
    name: str
    number: Number
    base: float
    model: InModel | None = None
    hardware: ByHardware | None = None

    @property
    def rate(self) -> bool:
        """True if the number is a rate per second, not a time or a ratio."""
        return self.number.unit in ("bytes/s", "/s")

    @property
    def too_good(self) -> bool:
        """True if the number is better than expected: larger, or for a time smaller."""
        return (self.number.value > self.base) != (self.name in TIMES and bool(self.number.unit))

    def faster(self, factor: float) -> float:
        """The expected number if all goes ``factor`` times as fast."""
        return self.base / factor if self.name in TIMES and self.number.unit else self.base * factor

    def misses(self, predicted: float | None) -> float:
        """Absolute logarithm of ``predicted`` / the number; infinite for None."""
        if predicted is None or not predicted > 0.0:
            return math.inf
        one_ended = math.isinf(self.number.high) or not self.number.low > 0.0
        return miss(self.number, predicted) if one_ended else abs(math.log(predicted / self.number.value))

    def bytes_per_s(self, value: float) -> float | None:
        """Bytes/s at which the number would be ``value``; None if the bytes are not stated."""
        block = self.known("block") or (self.model.about.block if self.model else None)
        of_all = {"throughput": 1.0, "throughput_each": 1.0, "elapsed": self.known("bytes")}
        amount = of_all.get(self.name, block or PAGE)
        if not amount or not self.number.unit:
            return None
        return amount / value if self.name in TIMES else value * amount

    def fits(self, name: str, share: float = 1.0) -> bool:
        """True if, by the claim itself, a ``share`` of its bytes fits into its ``name``."""
        size, moved = self.known(name), self.known("bytes")
        return size is not None and moved is not None and moved * share <= size

    def known(self, name: str) -> float | None:
        """Value of the claim's number ``name``; None if it is not stated."""
        number = self.claim.numbers.get(name)
        return number.value if number else None

    def possible(self, predicted: float) -> bool:
        """True if hardware that allows ``predicted`` allows the number; a model allows any.

        A little more is allowed: who adds up both directions also forgets the line code.
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
        """The number expected under the limit ``cap``: at most the claimed one."""
        beyond = cap < self.number.value if self.number.unit != "s" else cap > self.number.value
        return cap if beyond else self.number.value

    def settings(self, choices: Mapping[str, object]) -> Iterator[tuple[str, float]]:
        """Pairs of words and predicted number for each of ``choices`` that the system has and that matters."""
        for name, value in choices.items() if self.model else ():
            predicted = self.model.under({name: value}) if self.model else None
            if self.model and predicted is not None:
                yield self.model.words(name, value), predicted


Suspect = Callable[[Suspicion], Iterator[Lead]]
"""A usual suspect: yields a lead for each way in which it may explain the number."""
