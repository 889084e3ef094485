"""Three questions to the vendor: about a possible explanation, missing details, and the measurement."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from stacksim.claims.amounts import said
from stacksim.claims.claim import Claim
from stacksim.claims.verdict import Explanation

COUNT = 3

_STATISTIC = "Is {latency} the mean or a percentile, and what are the others?"

_OF_CAUSE: Mapping[str, str] = {
    "cached-on-host": "How much memory did the hosts have, how much data was read, and was it read before?",
    "cached-in-array": "How large is the cache of the array, and how much of the data was in it?",
    "short-run": "How long did the run last, and how fast was its last minute?",
    "both-directions": "Is {number} one direction, or reads and writes added up?",
    "compressible": "What was in the data: could it be compressed or deduplicated, or was it zeros?",
    "merged-requests": "Who counted the requests: the application, or the device after they were merged?",
    "burst": "Was the bucket of credits full at the beginning, and what is left when it is empty?",
    "second-cap": "Which other limit holds: that of the instance, the card, the bus, or a quota?",
    "other-date": "Which date and generation do the limits that applied belong to?",
    "units": "Which unit is meant in {number}: bits or bytes, powers of 1000 or of 1024?",
    "sum-as-mean": "Is {number} the sum of all, or that of each?",
    "queue-depth": "How many requests were in flight when {number} was measured, over all clients together?",
    "block-size": "How large was a request when {number} was measured?",
    "fewer-parts": "How many devices, links and nodes were really at work?",
    "more-parts": "How many devices, links and nodes were really at work?",
    "percentile": _STATISTIC,
    "by-or-to": "Did it change by {number}, or to it, and what are the two numbers themselves?",
    "setting": "With which settings was {number} measured, one by one?",
}

_HEADLINES = ("throughput", "iops", "latency", "elapsed", "throughput_each", "iops_each", "bytes")
"""The number that questions refer to: the first of these in the claim."""

_Applies = Callable[[Claim], bool]


def _has(*names: str) -> _Applies:
    """True for claims with a number or a condition of one of these ``names``."""
    return lambda claim: any(name in claim.numbers or name in claim.conditions for name in names)


def _lacks(*names: str) -> _Applies:
    """True for claims with none of these ``names``."""
    return lambda claim: not _has(*names)(claim)


def _compared(claim: Claim) -> bool:
    return claim.comparison is not None


def _undated(claim: Claim) -> bool:
    return claim.date is None


def _no_statistic(claim: Claim) -> bool:
    return "latency" in claim.numbers and not claim.numbers["latency"].of


_RATE = _has("throughput", "throughput_each", "iops", "iops_each")

_OF_GAPS: Sequence[tuple[str, tuple[_Applies, ...]]] = (
    ("Was the other side measured with the same data, settings and hardware?", (_compared,)),
    ("Is {number} read, written, or both added up?", (_RATE, _lacks("op"))),
    (_STATISTIC, (_no_statistic,)),
    ("How large was a request?", (_has("iops", "iops_each"), _lacks("block"))),
    ("How many requests were in flight?", (_has("latency", "iops"), _lacks("requests_in_flight"))),
    ("How much data was touched, and how much memory was there to hold it?", (_RATE, _lacks("bytes", "memory"))),
    (
        "How long did the run last, and is {number} its mean or its peak?",
        (_RATE, _lacks("duration", "elapsed")),
    ),
    ("Over how many devices, links and hosts is {number} the sum?", (_RATE, _lacks("devices", "links", "nodes"))),
    ("How many bytes were moved in {elapsed}?", (_has("elapsed"), _lacks("bytes"))),
    ("Does {elapsed} include the time until all was safe on disk?", (_has("elapsed"),)),
    ("Was access sequential or random?", (_RATE, _lacks("pattern"))),
    ("Did reads and writes go past the host's page cache (direct I/O)?", (_RATE, _lacks("access"))),
    ("What was in the data: could it be compressed?", (_RATE, _lacks("data"))),
    ("When was it measured, with which versions of hardware and software?", (_undated,)),
    ("Which limits does {price} buy, and for how long?", (_has("price"),)),
    ("May we have the commands and the whole output of the run?", ()),
    ("How far apart were repeated runs?", ()),
    ("Can we repeat it on our own data?", ()),
)
"""Questions by what a claim leaves open, the most telling first; the last ones can always be asked."""


def questions(
    claim: Claim, explanations: Sequence[Explanation], lacking: str | None = None, place: str | None = None
) -> tuple[str, str, str]:
    """Three different questions about ``claim``, the most telling first.

    Args:
        lacking: the number that would decide an undecidable claim.
        place: the place whose bound the claim exceeds.
    """
    unique = dict.fromkeys(_all(claim, explanations, lacking, place))
    first, second, third, *_ = unique
    return first, second, third


def _asked(explanation: Explanation, words: _Words) -> str:
    """The question that would settle ``explanation``; a cause of another package is asked for in its own words."""
    known = _OF_CAUSE.get(explanation.cause)
    return words.filled(known) if known else f"Was it so that {explanation.what}?"


def _all(
    claim: Claim, explanations: Sequence[Explanation], lacking: str | None, place: str | None
) -> Iterator[str]:
    words = _Words(claim)
    if lacking:
        yield f"To decide it: {lacking}?"
    for explanation in explanations[: COUNT - 1]:
        yield _asked(explanation, words)
    if place:
        yield f"Did all of it pass {place}, or which other way did the data take?"
    for explanation in explanations[COUNT - 1 :]:
        yield _asked(explanation, words)
    for question, conditions in _OF_GAPS:
        if all(applies(claim) for applies in conditions):
            yield words.filled(question)


class _Words:
    """Numbers of a claim as text for questions."""

    def __init__(self, claim: Claim) -> None:
        self._said = {name: said(number) for name, number in claim.said.items()}
        self._said["price"] = claim.conditions.get("price", "the price")
        main = next((name for name in (*_HEADLINES, "ratio") if name in self._said), None)
        self._said["number"] = self._said[main] if main else "the number"
        self._said.setdefault("latency", "the latency")

    def filled(self, question: str) -> str:
        """``question`` with the claim's numbers inserted."""
        return question.format_map(self._said)
