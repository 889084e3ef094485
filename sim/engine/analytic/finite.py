"""Residual service time that an arrival finds if the number of clients is small: M/G/1//N.

During a long service all other clients join the queue, and none is left to arrive. So the residual service that
arrivals find is shorter than the second moment of services implies. N sources pause for exponential times and
arrive at rate λ per mean service; B is the Laplace transform of services. A busy period has

    M_N = Σ_{n < N} C(N - 1, n) Π_{i ≤ n} (1 - B(iλ)) / B(iλ)        (7)
    r = W_N / U_N₋₁ - W_N₋₁,    U_N = M_N / (M_N + 1 / (N λ)),    W_N = N / U_N - 1 / λ - 1        (8)

services (Takács, *Introduction to the Theory of Queues*, 1962, chapter 5). U_N is the utilisation and W_N the wait
in mean services: by the arrival theorem, the queue U_N₋₁ W_N₋₁ plus the residual service. Of services only two
moments are known: they are taken as hyperexponential of two branches with balanced means (Tijms, *Stochastic
Models*, 1994, appendix B).
"""

from __future__ import annotations

import math

_ALWAYS = 1e9
"""Mean number of services in a busy period from which the server counts as always busy."""


def residual_service(sources: float, calls: float, variation: float) -> float:
    """Residual service time that an arrival finds at a busy server, in mean services, for any variation.

    Args:
        sources: number of clients, the arrival among them.
        calls: arrivals of each source per mean service time while it pauses.
        variation: squared coefficient of variation of services.
    """
    if variation <= 1.0 or math.isinf(sources):
        return (1.0 + variation) / 2.0
    return finite_residual(sources, calls, variation) if sources > 1.0 else 0.0


def finite_residual(sources: float, idle_rate: float, variation: float) -> float:
    """Residual service that an arrival finds at a busy server of M/G/1//N: equation 8.

    In mean services: the wait less a whole service for each client in the queue, which is that of N - 1 sources by
    the arrival theorem. 1 for exponential services, (1 + ``variation``) / 2 for infinitely many sources.

    Args:
        sources: N, above 1; need not be whole.
        idle_rate: arrivals of each source per mean service time while it pauses.
        variation: squared coefficient of variation of services, at least 1.
    """
    _, wait = _steady(sources, idle_rate, variation)
    fewer_busy, fewer_wait = _steady(sources - 1.0, idle_rate, variation)
    return max((wait - fewer_busy * fewer_wait) / fewer_busy, 0.0)


def _steady(sources: float, idle_rate: float, variation: float) -> tuple[float, float]:
    """Utilisation of the server, and the mean wait in mean services."""
    services = _busy_period(sources, idle_rate, variation)
    busy = services / (services + 1.0 / (sources * idle_rate))
    return busy, max(sources / busy - 1.0 / idle_rate - 1.0, 0.0)


def _busy_period(sources: float, idle_rate: float, variation: float) -> float:
    """Mean number of services in a busy period: equation 7."""
    total = term = 1.0
    part = balanced(variation)
    for calls in range(1, math.ceil(sources)):
        rate = calls * idle_rate
        transform = part / (1.0 + rate / (2.0 * part)) + (1.0 - part) / (1.0 + rate / (2.0 * (1.0 - part)))
        term *= (sources - calls) / calls * (1.0 - transform) / transform
        total += term
        if total > _ALWAYS:
            break
    return total


def balanced(variation: float) -> float:
    """The greater probability of two exponential branches that contribute half of the mean each."""
    return (1.0 + math.sqrt((variation - 1.0) / (variation + 1.0))) / 2.0
