"""Result of a claim: a verdict, its arithmetic, likely explanations, and questions to ask."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

from sim.engine.display import Shown
from stacksim.claims.claim import Claim

Word = Literal["contradiction", "impossible", "implausible", "plausible", "undecidable"]

UNLIKELY = 0.001
"""Less likely numbers are implausible. One honest number in ten lies outside a prediction interval; at this
limit, hardly one of hundreds of honest numbers is called implausible."""

DOUBTFUL = 0.05
"""Less likely numbers that are not implausible are doubtful: one honest number in twenty is, so this is no verdict
of its own."""

ONE_IN = f"{1.0 / UNLIKELY:,.0f}"
"""The limit ``UNLIKELY`` in words: less likely than one measurement in this many."""

REFUSED: frozenset[Word] = frozenset({"contradiction", "impossible", "implausible"})
"""Verdicts for which a check fails."""

Cause = Literal[
    "cached-on-host",
    "cached-in-array",
    "short-run",
    "both-directions",
    "compressible",
    "merged-requests",
    "burst",
    "second-cap",
    "other-date",
    "units",
    "sum-as-mean",
    "queue-depth",
    "block-size",
    "fewer-parts",
    "more-parts",
    "percentile",
    "setting",
    "by-or-to",
]
"""The usual suspects: reasons why a number is not what it seems."""


@dataclass(frozen=True)
class Bound:
    """A bound: its place, its value in ``unit``, and the claim's number as a multiple of it.

    For a lower bound, as of latency, ``factor`` is below 1 if the claim violates it.
    """

    place: str
    value: float
    unit: str
    factor: float


@dataclass(frozen=True)
class Explanation:
    """Possible measurement behind a claim: the number it predicts, and its error predicted / claimed - 1."""

    what: str
    cause: str
    predicted: float
    unit: str
    error: float


@dataclass(frozen=True)
class Verdict(Shown):
    """The verdict on ``claim``.

    Attributes:
        why: the arithmetic in one line, for a check by hand.
        likelihood: probability of a measurement at least as far off; None without a model.
    """

    claim: Claim
    verdict: Word
    why: str
    bound: Bound | None
    likelihood: float | None
    explanations: tuple[Explanation, ...]
    questions: tuple[str, str, str]

    def rows(self) -> Iterator[dict[str, Any]]:
        """Each explanation, the likeliest first."""
        return (dict(vars(each)) for each in self.explanations)

    @property
    def doubtful(self) -> bool:
        """True if it is plausible, but outside the range where 19 of 20 measurements lie by the model."""
        return self.verdict == "plausible" and self.likelihood is not None and self.likelihood < DOUBTFUL
