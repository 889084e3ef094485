"""The answers that a run is judged by, and how well each has to be known."""

from __future__ import annotations

from collections.abc import Iterable

from sim import checks
from sim.errors import InputError, nearest

QUANTILES = {"p50": 0.50, "p95": 0.95, "p99": 0.99}
"""Percentiles of latency, each with the share of requests that take no longer."""

ANSWERS = ("throughput", "mean", *QUANTILES)
"""Completions per second; mean latency and its percentiles."""

THROUGHPUT = ANSWERS[:1]
"""The only answer that a comparison of throughputs needs."""

_TIMES, _MOST = 5.0, 0.10
"""Latency may be known so many times less well than throughput, but not worse than this unless throughput is."""


def tolerances(precision: float) -> dict[str, float]:
    """Half-widths, as shares of the value, up to which each answer counts as known.

    With the usual ``precision`` of 1 % for throughput: 5 % for the mean latency, p50 and p95, and 10 % for p99,
    which takes some four times as many completions as the others to be known as well.
    """
    latency = min(_TIMES * precision, max(_MOST, precision))
    return {"throughput": precision, "mean": latency, "p50": latency, "p95": latency, "p99": 2.0 * latency}


def check_answers(names: Iterable[str]) -> tuple[str, ...]:
    """The answers ``names``, each once, in their usual order; an unknown one is refused with the nearest name."""
    kept = checks.listed("the answers to watch", names)
    for name in kept:
        if not isinstance(name, str) or name not in ANSWERS:
            raise InputError(f"no answer {checks.quoted(name)} to watch; {nearest(checks.quoted(name), ANSWERS)}")
    if not kept:
        raise InputError(f"no answer to watch is given; allowed: some of {', '.join(ANSWERS)}")
    return tuple(name for name in ANSWERS if name in kept)
