"""Trials of changed claims by the arithmetic of the catalogue: the number that hardware then allows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from stacksim.claims.bounds import Limited, bounds
from stacksim.claims.claim import Claim, Number
from stacksim.claims.parts import Part, parts_of


@dataclass(frozen=True)
class ByHardware:
    """A claim that names hardware; ``number`` is the one to explain."""

    claim: Claim
    number: Number

    @property
    def parts(self) -> tuple[Part, ...]:
        """The hardware parts, with their counts."""
        return parts_of(self.claim.subject.hardware, self.claim.numbers)

    @property
    def tightest(self) -> Limited | None:
        """The tightest bound, which is exceeded most; None if there is none."""
        return next(iter(bounds(self.claim)), None)

    @property
    def narrowest(self) -> Part | None:
        """The part with the tightest bound; None if that bound is of several parts together."""
        tightest = self.tightest
        return next((part for part in self.parts if tightest and part.name == tightest.bound.place), None)

    def allowed(self, claim: Claim | None = None) -> float | None:
        """The largest number, or the least time, that hardware allows ``claim``; None if no hardware bounds it."""
        tightest = next(iter(bounds(claim or self.claim)), None)
        if tightest is None:
            return None
        times = self.number.unit == "s"  # a time is too short by the factor by which a rate is too high
        return self.number.value * tightest.share if times else self.number.value / tightest.share

    def having(self, *parts: Part) -> float | None:
        """The number allowed with these ``parts`` in place of the named ones."""
        names = tuple(f"{part.count} x {part.hardware.name}" for part in parts)
        return self.allowed(replace(self.claim, subject=replace(self.claim.subject, hardware=names)))

    def given(self, **conditions: str) -> float | None:
        """The number allowed under other conditions."""
        return self.allowed(replace(self.claim, conditions={**self.claim.conditions, **conditions}))

    def saying(self, numbers: Mapping[str, Number]) -> float | None:
        """The number allowed if the claim has these ``numbers``."""
        return self.allowed(replace(self.claim, numbers=numbers))
