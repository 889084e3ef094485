"""What becomes of a claim: a verdict, the arithmetic, likely explanations, and what to ask."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

from sim.decision.claims.claim import Claim
from sim.display import Shown

Word = Literal["contradiction", "impossible", "implausible", "plausible", "undecidable"]

UNLIKELY = 0.001
"""Less likely numbers are implausible. One honest number in ten lies outside of a prediction interval, and of
hundreds that are judged hardly one may be called implausible."""

DOUBTFUL = 0.05
"""Less likely numbers that are not implausible are doubtful: one honest number in twenty is, so it is no verdict
of its own."""

ONE_IN = f"{1.0 / UNLIKELY:,.0f}"
"""The same in words: less likely than one measurement in so many."""

REFUSED: frozenset[Word] = frozenset({"contradiction", "impossible", "implausible"})
"""Verdicts that a check fails on."""

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
"""The usual suspects: why a number is not what it seems."""


@dataclass(frozen=True)
class Bound:
    """What cannot be passed: where it is, in ``unit``, and the number of the claim as a multiple of it.

    Of what cannot be less, such as latency, ``factor`` is below 1 where the claim passes it.
    """

    place: str
    value: float
    unit: str
    factor: float


@dataclass(frozen=True)
class Explanation:
    """What may have been measured instead: the number that one would then see, and predicted / claimed - 1."""

    what: str
    cause: str
    predicted: float
    unit: str
    error: float


@dataclass(frozen=True)
class Verdict(Shown):
    """The verdict on ``claim``.

    Attributes:
        why: the arithmetic in one line, to be checked by hand.
        likelihood: how likely a measurement is at least as far off; None where no model says.
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
        """Whether it is plausible, and yet outside of where 19 of 20 measurements lie by the model."""
        return self.verdict == "plausible" and self.likelihood is not None and self.likelihood < DOUBTFUL
