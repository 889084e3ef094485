"""The usual suspects: what may have been measured instead of what is claimed."""

from __future__ import annotations

from sim.decision.claims.claim import Claim
from sim.decision.claims.expected import Expected
from sim.decision.claims.verdict import Explanation
from sim.simulation.options import RunOptions


def explanations(claim: Claim, model: Expected | None, options: RunOptions) -> tuple[Explanation, ...]:  # noqa: ARG001
    """Likely explanations of ``claim``, the best one first."""
    return ()
