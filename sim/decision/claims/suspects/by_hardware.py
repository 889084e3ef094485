"""Changes tried by the arithmetic of the catalogue: the number that the hardware of a changed claim allows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from sim.decision.claims.bounds import Limited, bounds
from sim.decision.claims.claim import Claim, Number
from sim.decision.claims.parts import Part, parts_of


@dataclass(frozen=True)
class ByHardware:
    """A claim that names hardware; ``number`` is what it claims."""

    claim: Claim
    number: Number

    @property
    def parts(self) -> tuple[Part, ...]:
        """What hardware, and how many of each."""
        return parts_of(self.claim.subject.hardware, self.claim.numbers)

    @property
    def tightest(self) -> Limited | None:
        """The bound that is passed most."""
        return next(iter(bounds(self.claim)), None)

    @property
    def narrowest(self) -> Part | None:
        """The part whose bound is passed most; None where it is of several together."""
        tightest = self.tightest
        return next((part for part in self.parts if tightest and part.name == tightest.bound.place), None)

    def allowed(self, claim: Claim | None = None) -> float | None:
        """The most, or of a time the least, that ``claim`` could say; None where no hardware bounds it."""
        tightest = next(iter(bounds(claim or self.claim)), None)
        if tightest is None:
            return None
        times = self.number.unit == "s"  # as much as a rate is too high, a time is too short
        return self.number.value * tightest.share if times else self.number.value / tightest.share

    def having(self, *parts: Part) -> float | None:
        """What is allowed with these ``parts`` in place of those that are named."""
        names = tuple(f"{part.count} x {part.hardware.name}" for part in parts)
        return self.allowed(replace(self.claim, subject=replace(self.claim.subject, hardware=names)))

    def given(self, **conditions: str) -> float | None:
        """What is allowed under other conditions."""
        return self.allowed(replace(self.claim, conditions={**self.claim.conditions, **conditions}))

    def saying(self, numbers: Mapping[str, Number]) -> float | None:
        """What is allowed by other numbers of the claim."""
        return self.allowed(replace(self.claim, numbers=numbers))
