"""The one number that would decide an undecidable claim: each is tried with a small and a large value."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from types import MappingProxyType

from stacksim.claims.arithmetic import checks, contradiction
from stacksim.claims.bounds import bounds
from stacksim.claims.claim import Claim, Number
from stacksim.claims.claimed_case import ClaimedCase
from stacksim.claims.number import KINDS
from stacksim.claims.predicted import UNANSWERED
from stacksim.claims.reading import readings

TRIED: Mapping[str, tuple[str, float, float]] = MappingProxyType(
    {
        "block": ("the bytes of a request (block)", 512.0, float(4 << 20)),
        "requests_in_flight": ("the requests in flight", 1.0, 4096.0),
        "bytes": ("the bytes that were moved", 1e6, 1e15),
        "elapsed": ("the time that it took (elapsed)", 1e-3, 1e6),
        "latency": ("the mean latency", 1e-6, 10.0),
        "iops": ("the requests a second (iops)", 1.0, 1e8),
        "duration": ("for how long was measured (duration)", 1.0, 1e6),
        "devices": ("the number of devices", 1.0, 1000.0),
        "links": ("the number of links", 1.0, 1000.0),
        "nodes": ("the number of nodes", 1.0, 1000.0),
        "clients": ("the number of clients", 1.0, 1000.0),
    }
)
"""Numbers that may be asked for: in words, a small and a large value; the first that decides is chosen."""

NO_SUCH_CASE = ("no such case",)
"""Outcome of a number that the model refuses: it says nothing about the claim."""

HARDWARE = "which hardware it went through, or which system did it"


def missing(claim: Claim) -> str | None:
    """The one number that would decide ``claim``, in words; None if there is none.

    It decides if the verdict for a small value differs from that for a large one, or if nothing else could be
    compared.
    """
    before = _verdict(claim, claim)
    for name, (words, *values) in TRIED.items():
        if name not in claim.numbers:
            verdicts = {_verdict(_with(claim, name, value), claim) for value in values} - {NO_SUCH_CASE}
            if len(verdicts) > 1 or verdicts - {before}:
                return words
    subject = claim.subject
    return None if subject.hardware or subject.modelled else HARDWARE


def _with(claim: Claim, name: str, value: float) -> Claim:
    number = Number(value, value, KINDS[name].unit, f"{value:g}")
    return replace(claim, numbers={**claim.numbers, name: number})


def _verdict(claim: Claim, said: Claim) -> tuple[str, ...]:
    """The outcome for ``claim``, which has one number more than ``said``, without a run."""
    return _answered(claim, said) if claim.subject.modelled else tuple(_compared(claim))


def _compared(claim: Claim) -> Iterator[str]:
    if contradiction(claim):
        yield "contradiction"
    elif checks(claim):
        yield "compared"
    limits = bounds(claim)
    if any(limit.passed for limit in limits):
        yield "impossible"
    elif limits:
        yield "bounded"


def _answered(claim: Claim, said: Claim) -> tuple[str, ...]:
    """Names of the numbers in ``said`` for which the model of ``claim`` has an answer."""
    about = ClaimedCase.of(claim)
    try:
        names = [each.name for each in readings(claim, about)] if about else []
    except UNANSWERED:
        return NO_SUCH_CASE
    return tuple(name for name in names if name in said.numbers)
