"""Answers by which a run is judged, and their tolerances."""

from __future__ import annotations

from collections.abc import Iterable

from sim.engine import checks
from sim.engine.errors import InputError, nearest

QUANTILES = {"p50": 0.50, "p95": 0.95, "p99": 0.99}
"""Percentiles of latency, each with the share of requests that take no longer."""

ANSWERS = ("throughput", "mean", *QUANTILES)
"""Completions per second; mean latency and its percentiles."""

THROUGHPUT = ANSWERS[:1]
"""The only answer that a comparison of throughputs needs."""

WIDER, NARROWER = "a wider interval (a larger precision)", "a narrower interval (a smaller precision)"
"""Advice for a run that may not be longer, and for one that was too short."""

_TIMES, _MOST = 5.0, 0.10
"""Tolerance of latency: this multiple of throughput's, but not above the second unless throughput's is."""


def tolerances(precision: float, own: Iterable[str] = ()) -> dict[str, float]:
    """Half-widths, as shares of the value, up to which answers count as known; ``own`` are a system's answers.

    With the usual ``precision`` of 1 % for throughput: 5 % for the mean latency, p50 and p95, and 10 % for p99,
    which takes some four times as many completions as the others for equal precision. A system's own answer
    has the tolerance of the mean latency.
    """
    latency = min(_TIMES * precision, max(_MOST, precision))
    built_in = {"throughput": precision, "mean": latency, "p50": latency, "p95": latency, "p99": 2.0 * latency}
    return {**dict.fromkeys(own, latency), **built_in}


def in_order(names: Iterable[str]) -> tuple[str, ...]:
    """The answers ``names``, each once: throughput and mean latency, a system's own, then percentiles.

    A run checks them in this order.

    Raises:
        InputError: no name, or one that is no text.
    """
    kept = checks.listed("the answers to watch", names)
    if unnamed := [name for name in kept if not isinstance(name, str)]:
        raise InputError(f"no answer {checks.quoted(unnamed[0])} to watch; give names, such as throughput")
    if not kept:
        raise InputError(f"no answer to watch is given; allowed: some of {', '.join(ANSWERS)}")
    return (
        *(name for name in ANSWERS if name in kept and name not in QUANTILES),
        *(name for name in dict.fromkeys(kept) if name not in ANSWERS),
        *(name for name in QUANTILES if name in kept),
    )


def check_answers(names: Iterable[str], allowed: Iterable[str] = ANSWERS) -> None:
    """Refuse names that are not among the answers ``allowed``; the message lists these."""
    for name in names:
        if name not in (among := tuple(allowed)):
            raise InputError(f"no answer {checks.quoted(name)} to watch; {nearest(checks.quoted(name), among)}")
