"""What an arrival waits for the service it finds, where few clients come: M/G/1//N.

While somebody is served for long, the others wait already, and nobody is left to come: the rest of a service
that arrivals find is shorter than its second moment says. Of one server and N sources that pause for exponential
times, the busy period is known for any distribution of services with Laplace transform B: so many services as
the sum over n < N of C(N-1, n) times the product over i ≤ n of (1 - B(i λ)) / B(i λ) (Takács, *Introduction to the
Theory of Queues*, 1962, chapter 5). Of services only two moments are known: they are taken as hyperexponential
of two branches with balanced means (Tijms, *Stochastic Models*, 1994, appendix B).
"""

from __future__ import annotations

import math

_ALWAYS = 1e9
"""Services of a busy period from which on the server counts as always busy."""


def few(sources: float, calls: float, variation: float) -> float:
    """The rest of a service that an arrival finds at a busy server, in mean services, whatever its variation.

    Args:
        sources: how many may come, the arrival among them.
        calls: of each source, a mean service time while it is idle.
        variation: squared coefficient of variation of services.
    """
    if variation <= 1.0 or math.isinf(sources):
        return (1.0 + variation) / 2.0
    return rest(sources, calls, variation) if sources > 1.0 else 0.0


def rest(sources: float, idle_rate: float, variation: float) -> float:
    """The rest of a service that an arrival finds at a busy server, in mean services.

    The wait in M/G/1//N less a whole service for each client found queueing, who are those of N - 1 sources
    (the arrival theorem); 1 for exponential services, (1 + ``variation``) / 2 if sources are without number.

    Args:
        sources: N, above 1; need not be whole.
        idle_rate: of each source, calls a mean service time while it is idle.
        variation: squared coefficient of variation of services, at least 1.
    """
    _, wait = _steady(sources, idle_rate, variation)
    found_busy, found_wait = _steady(sources - 1.0, idle_rate, variation)
    return max((wait - found_busy * found_wait) / found_busy, 0.0)


def _steady(sources: float, idle_rate: float, variation: float) -> tuple[float, float]:
    """Share of time that the server is busy, and the mean wait in mean services."""
    services = _busy_period(sources, idle_rate, variation)
    busy = services / (services + 1.0 / (sources * idle_rate))
    return busy, max(sources / busy - 1.0 / idle_rate - 1.0, 0.0)


def _busy_period(sources: float, idle_rate: float, variation: float) -> float:
    """Mean services of a busy period."""
    total = term = 1.0
    part = balanced(variation)
    for calls in range(1, math.ceil(sources)):
        rate = calls * idle_rate
        left = part / (1.0 + rate / (2.0 * part)) + (1.0 - part) / (1.0 + rate / (2.0 * (1.0 - part)))
        term *= (sources - calls) / calls * (1.0 - left) / left
        total += term
        if total > _ALWAYS:
            break
    return total


def balanced(variation: float) -> float:
    """The greater probability of two exponential branches that bring half of the mean each."""
    return (1.0 + math.sqrt((variation - 1.0) / (variation + 1.0))) / 2.0
