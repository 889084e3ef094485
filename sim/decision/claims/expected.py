"""What a model expects where a claim is about a system or a stack."""

from __future__ import annotations

from dataclasses import dataclass

from sim.decision.claims.claim import Claim
from sim.decision.claims.verdict import Bound
from sim.simulation.options import RunOptions


@dataclass(frozen=True)
class Expected:
    """What the model of a claim's system says of the number that is claimed.

    Attributes:
        low, high: ends of the prediction interval.
        probability: two-sided, of a measurement at least as far off as the number that is claimed.
        bound: what no measurement can pass by the model; None where there is none.
    """

    value: float
    low: float
    high: float
    unit: str
    probability: float
    bound: Bound | None
    warnings: tuple[str, ...] = ()


def expected(claim: Claim, options: RunOptions) -> Expected | None:  # noqa: ARG001  (models are still to come)
    """What the model of ``claim`` says; None where it is about none."""
    return None
