"""Mapping of a claim's numbers to answers of a system, with conversion of units."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from sim.engine.errors import InputError
from sim.engine.statistics.answers import ANSWERS
from sim.engine.units import factor, ios_per_second, per_second
from sim.system.scenario import Answer
from stacksim.claims.claim import ANSWERED, Claim, Number
from stacksim.claims.claimed_case import ClaimedCase
from stacksim.claims.likelihood import Likely

_PINT = {"bytes/s": "byte / second", "s": "second"}
_EACH = ("devices", "links", "nodes", "clients")
"""Parts that a number "of each" may refer to."""


@dataclass(frozen=True)
class Reading:
    """The conversion of a system's answer to the number ``name`` of a claim.

    Attributes:
        measure: name of the answer.
        scale: factor from the answer to the number in SI.
        amount: if not None, the number is the time that this amount takes at the answer's rate.
    """

    name: str
    number: Number
    measure: str
    scale: float = 1.0
    amount: float | None = None

    def of(self, answers: Mapping[str, Answer]) -> float:
        """The number by ``answers``, in SI.

        Raises:
            InputError: there is no such answer.
        """
        if self.measure not in answers:
            raise InputError(f"no answer '{self.measure}' here")
        return self.si(answers[self.measure].estimate.value)

    def si(self, answer: float) -> float:
        """The number, in SI, from the value ``answer`` of the measure."""
        scaled = answer * self.scale
        return scaled if self.amount is None else self.amount / scaled

    def likely(self, answer: Likely) -> Likely:
        """The distribution of the number, from the distribution ``answer`` of the measure."""
        scaled = answer.at(answer.value * self.scale)
        return scaled if self.amount is None else scaled.duration(self.amount)

    @property
    def rate(self) -> bool:
        """True if more is better, so that a bound is an upper one."""
        return self.name not in ("latency", "elapsed")


def readings(claim: Claim, about: ClaimedCase) -> tuple[Reading, ...]:
    """The reading of each number of ``claim`` that the system answers."""
    found = (reading(name, claim.numbers[name], claim, about) for name in ANSWERED if name in claim.numbers)
    return tuple(each for each in found if each)


def reading(
    name: str, number: Number, claim: Claim, about: ClaimedCase, units: Mapping[str, str] | None = None
) -> Reading | None:
    """The reading of ``number``, the ``name`` of ``claim``; None if no answer corresponds to it.

    Args:
        units: units of the answers of the case by name, if already computed.
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
    """The count of parts for a number "of each"; 0 if not stated."""
    for name in _EACH:
        if name in claim.numbers:
            return round(claim.numbers[name].value)
    counts = (about.count(name) for name in _EACH)
    return next((count for count in counts if count), 0)


def _rates(unit: str, wanted: str, block: float | None) -> Iterator[float]:
    """Factors from ``unit`` to ``wanted``; bytes of a request convert requests/s to bytes/s and back."""
    if scale := _scale(unit, wanted):
        yield scale
    elif block and wanted == "bytes/s" and (ios := ios_per_second(unit)):
        yield ios * block
    elif block and wanted == "/s" and (moved := _scale(unit, "bytes/s")):
        yield moved / block


def _scale(unit: str, wanted: str) -> float | None:
    """Factor from ``unit`` to ``wanted``; a count of anything per second is one ``/s``."""
    if wanted == "/s":
        return per_second(unit)
    return factor(unit, _PINT.get(wanted, wanted))


def _elapsed(number: Number, claim: Claim, units: Mapping[str, str]) -> Reading | None:
    """Reading of an elapsed time: of a job its own; of a load without end, the time that the bytes take."""
    if "elapsed" in units:
        return Reading("elapsed", number, "elapsed")
    scale = factor(units["throughput"], "byte / second")
    if scale is None or "bytes" not in claim.numbers:
        return None
    return Reading("elapsed", number, "throughput", scale, claim.numbers["bytes"].value)
