"""Numbers of a claim to explain, each with its expected value by the model or by hardware."""

from __future__ import annotations

from collections.abc import Iterator

from sim.engine.simulation.options import RunOptions
from stacksim.claims.bounds import bounds
from stacksim.claims.claim import ANSWERED, Claim, Number
from stacksim.claims.claimed_case import ClaimedCase
from stacksim.claims.expected import Expected
from stacksim.claims.expected_ratio import other_side
from stacksim.claims.suspects.by_hardware import ByHardware
from stacksim.claims.suspects.in_model import InModel
from stacksim.claims.suspects.suspicion import Suspicion


def suspicions(claim: Claim, expected: Expected | None, options: RunOptions) -> Iterator[Suspicion]:
    """The claim's number that contradicts the model, if it has a value, and the one that hardware forbids."""
    if expected and expected.known:
        yield from _of_model(claim, expected, options)
    passed = next(iter(bounds(claim)), None) if claim.subject.hardware else None
    answered = [name for name in ANSWERED if name in claim.numbers]
    if not answered or passed is None or not passed.passed:
        return
    name = next((name for name in answered if claim.numbers[name].unit == passed.claimed.unit), answered[0])
    hardware = ByHardware(claim, claim.numbers[name])
    if base := hardware.allowed():
        yield Suspicion(claim, name, claim.numbers[name], base, hardware=hardware)


def _of_model(claim: Claim, expected: Expected, options: RunOptions) -> Iterator[Suspicion]:
    about = ClaimedCase.of(claim)
    if about is None:
        return
    compared = claim.comparison if not expected.unit and claim.comparison else None
    number: Number = compared.ratio if compared else claim.numbers[expected.of]
    over = other_side(claim, options) if compared else 1.0
    if over:
        model = InModel(claim, about, expected.of, number, options, over)
        yield Suspicion(claim, expected.of, number, expected.value, model=model)
