"""Which answer of a system a number of a claim is compared with, and how one is made of the other."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from sim.decision.claims.claim import ANSWERED, Claim, Number
from sim.decision.claims.claimed_case import ClaimedCase
from sim.decision.claims.likelihood import Likely
from sim.errors import InputError
from sim.statistics.answers import ANSWERS
from sim.system.scenario import Answer
from sim.units import factor, ios_per_second, per_second

_PINT = {"bytes/s": "byte / second", "s": "second"}
_EACH = ("devices", "links", "nodes", "clients")
"""What a number may be one of, where it is of each."""


@dataclass(frozen=True)
class Reading:
    """How the number ``name`` of a claim is read off the answers of a system.

    Attributes:
        measure: the answer.
        scale: the answer times this is the number, in SI.
        amount: if not None, the number is the time in which so much is done at the answer's rate.
    """

    name: str
    number: Number
    measure: str
    scale: float = 1.0
    amount: float | None = None

    def of(self, answers: Mapping[str, Answer]) -> float:
        """The number as ``answers`` have it, in SI.

        Raises:
            InputError: there is no such answer.
        """
        if self.measure not in answers:
            raise InputError(f"no answer '{self.measure}' here")
        return self.si(answers[self.measure].estimate.value)

    def si(self, answer: float) -> float:
        """The number that the value ``answer`` of the measure is."""
        scaled = answer * self.scale
        return scaled if self.amount is None else self.amount / scaled

    def likely(self, answer: Likely) -> Likely:
        """Where the number lies, of which the measure lies where ``answer`` says."""
        scaled = answer.at(answer.value * self.scale)
        return scaled if self.amount is None else scaled.duration(self.amount)

    @property
    def rate(self) -> bool:
        """Whether more is better, so that a bound is what the number cannot exceed."""
        return self.name not in ("latency", "elapsed")


def readings(claim: Claim, about: ClaimedCase) -> tuple[Reading, ...]:
    """How each number of ``claim`` that the system answers is read off; those that cannot be are left out."""
    found = (reading(name, claim.numbers[name], claim, about) for name in ANSWERED if name in claim.numbers)
    return tuple(each for each in found if each)


def reading(
    name: str, number: Number, claim: Claim, about: ClaimedCase, units: Mapping[str, str] | None = None
) -> Reading | None:
    """How ``number``, which is the ``name`` of ``claim``, is read off; None where no answer means that.

    Args:
        units: of the answers of the case, if they are known already.
    """
    units = about.case.scenario.units if units is None else units
    named = claim.subject.measure
    if named is not None:
        if named not in units:
            raise InputError(f"{claim.where}: no answer '{named}'; allowed: {', '.join(units)}")
        scale = _scale(units[named], number.unit)
        return Reading(name, number, named, scale) if scale else None
    count = _parts(claim, about) if name.endswith("_each") or number.of == "each" else 1
    match name:
        case "latency":
            measure = number.of or "mean"
            return Reading(name, number, measure) if measure in ANSWERS else None
        case "elapsed":
            return _elapsed(number, claim, units)
    for scale in _rates(units["throughput"], number.unit, about.block) if count else ():
        return Reading(name, number, "throughput", scale / count)
    return None


def _parts(claim: Claim, about: ClaimedCase) -> int:
    """How many there are of what a number is of each; 0 where nobody says."""
    for name in _EACH:
        if name in claim.numbers:
            return round(claim.numbers[name].value)
    counts = (about.count(name) for name in _EACH)
    return next((count for count in counts if count), 0)


def _rates(unit: str, wanted: str, block: float | None) -> Iterator[float]:
    """How much of what is ``wanted`` one of ``unit`` is: with the bytes of a request, one makes the other."""
    if scale := _scale(unit, wanted):
        yield scale
    elif block and wanted == "bytes/s" and (ios := ios_per_second(unit)):
        yield ios * block
    elif block and wanted == "/s" and (moved := _scale(unit, "bytes/s")):
        yield moved / block


def _scale(unit: str, wanted: str) -> float | None:
    """How many ``wanted`` one ``unit`` is; a count of anything a second is one ``/s``."""
    if wanted == "/s":
        return per_second(unit)
    return factor(unit, _PINT.get(wanted, wanted))


def _elapsed(number: Number, claim: Claim, units: Mapping[str, str]) -> Reading | None:
    """Of a job, its own time; of a load without end, the time that so many bytes take."""
    if "elapsed" in units:
        return Reading("elapsed", number, "elapsed")
    scale = factor(units["throughput"], "byte / second")
    if scale is None or "bytes" not in claim.numbers:
        return None
    return Reading("elapsed", number, "throughput", scale, claim.numbers["bytes"].value)
