"""A verdict on a claim: the arithmetic, other explanations, and questions to ask."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sim.engine.errors import printable
from sim.output.views.parts import Line, Part
from sim.output.views.view import PartsAndPicture
from stacksim.claims.amounts import explained, probability
from stacksim.claims.verdict import Explanation, Verdict

MARGIN = 15
"""Width of the longest verdict, and two blanks."""


def reason(verdict: Verdict) -> str:
    """The arithmetic of a verdict, and the probability that a measurement is off by that much or more."""
    likely = "" if verdict.likelihood is None else f" ({probability(verdict.likelihood)})"
    return f"{printable(verdict.why)}{likely}"


def suspected(explanation: Explanation) -> str:
    """The cause, and its effect."""
    return printable(f"{explanation.cause}: {explained(explanation)}")


def _parts(verdict: Verdict) -> Iterator[Part]:
    claim, word = verdict.claim, verdict.verdict
    yield Line("", f"“{printable(claim.text)}”")
    yield Line(f"{'':{MARGIN}}{printable(claim.source)}", heading=MARGIN)
    yield Line("", word, f"{'':{MARGIN - len(word)}}{reason(verdict)}", heading=MARGIN)
    yield from _listed("maybe", [suspected(explanation) for explanation in verdict.explanations])
    yield from _listed("ask", [printable(question) for question in verdict.questions])


def _listed(heading: str, texts: Sequence[str]) -> Iterator[Line]:
    for number, text in enumerate(texts):
        yield Line(f"{'' if number else heading:{MARGIN}}{text}", heading=MARGIN)


VIEW = PartsAndPicture(_parts, lambda _verdict: None, "")
