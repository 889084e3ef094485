"""Throughput of a small buffer: both sides vary, and variation that the buffer cannot even out costs throughput.

With exponential times its level k is a birth-death process with room for T moves, those at the clients included,
and a active clients on each side (p puts, t takes), which move λ a second when unblocked (Kleinrock, *Queueing
Systems*, volume 1, section 3.10; two stations in tandem: Hunt, "Sequential arrays of waiting lines", Operations
Research 4 (1956)):

    k → k + 1 at λ_p min((T - k) / a_p, 1),    k → k - 1 at λ_t min(k / a_t, 1)        (22)
    X = λ_p (1 - f) / (1 - q f),    f = ((1 - x) / (1 - q x))^(1 / g),    q = λ_p / λ_t        (23)

x is the throughput of (22) over λ_p, and g the mean of both squared coefficients of variation, each at most 1: f =
q^T of the M/M/1/T with equal throughput, T divided by g (diffusion approximation: Gelenbe, "On approximate
computer system models", J. ACM 22 (1975)). For a side more variable than exponential, X is multiplied by b(c²) /
b(1), where b is the throughput of M/H2/1/T over its arrival rate:

    b = Σ_{k < T} Σᵢ πₖᵢ / Σ_{k ≤ T} Σᵢ πₖᵢ,
        πₖ₊₁,ᵢ = (πₖᵢ + βᵢ y) / (1 + μᵢ),    π_Tᵢ = π_T₋₁,ᵢ / μᵢ        (24)

Branches i of probability βᵢ have rates μᵢ in units of the arrival rate, π₀ᵢ = βᵢ, and y = Σᵢ πₖ₊₁,ᵢ, since the
flows up and down between two levels are equal.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from sim.engine.analytic.finite import balanced

MAX_ROOM = 1000.0
"""Room of a buffer, in moves, beyond which nothing is lost."""

MIN = 1e-3
"""Share of the throughput below which a loss is neglected, so that a station always in use stays so."""

_NOTHING, _ROUNDING = 1e-6, 1e-12


@dataclass(frozen=True)
class Side:
    """One side of a buffer.

    Attributes:
        clients: number that put, or take; need not be whole.
        active: number that do so in parallel; the others queue for a place.
        rate: moves per second if nobody is blocked.
        variation: squared coefficient of variation of the time between two moves of one client.
    """

    clients: float
    active: float
    rate: float
    variation: float


def blocked_rate(put: Side, take: Side, places: float) -> float:
    """Moves per second, with room for ``places`` moves in the buffer and at the clients of both sides.

    Equations 22 to 24.
    """
    slower = min(put.rate, take.rate)
    regularity, variation = _regularity(put, take), (put.variation + take.variation) / 2.0
    ratio = put.rate / take.rate
    if not math.isfinite(put.clients + take.clients) or variation <= _NOTHING:
        return slower
    if abs(math.log(ratio)) * (places / variation - 1.0) > -math.log(MIN / 2):
        return slower
    ratio = ratio if abs(ratio - 1.0) > _NOTHING else 1.0 + _NOTHING
    share = _exponential(put, take, places) / put.rate
    if share * max(ratio, 1.0) >= 1.0 - _ROUNDING:
        return slower
    # Equation 23: the ratio of the rates, to the power of T.
    full = math.pow((1.0 - share) / (1.0 - share * ratio), 1.0 / max(regularity, _NOTHING))
    moved = put.rate * (1.0 - full) / (1.0 - ratio * full)
    capacity = max(round(math.log(full) / math.log(ratio)), 1)
    # Equation 24, for each side that varies more than exponential times.
    for side, other in ((put, take), (take, put)):
        if side.variation > 1.0:
            moved *= _bursty_share(side.rate / other.rate, side.variation, capacity) / _bursty_share(
                side.rate / other.rate, 1.0, capacity
            )
    return min(moved + MIN * slower, slower)


def _regularity(put: Side, take: Side) -> float:
    """Mean of both variations, each at most that of exponential times."""
    return (min(put.variation, 1.0) + min(take.variation, 1.0)) / 2.0


def _bursty_share(rate: float, variation: float, places: int) -> float:
    """Throughput of M/H2/1/T over its arrival rate: equation 24.

    Hyperexponential services with balanced means; the flow from each level up equals the flow down to it.

    Args:
        rate: service rate over arrival rate.
        places: T.
    """
    part = balanced(variation)
    shares: tuple[float, ...] = (part, 1.0 - part)
    rates = (2.0 * part * rate, 2.0 * (1.0 - part) * rate)
    fresh = sum(one / (1.0 + each) for one, each in zip(shares, rates, strict=True))
    level, total = shares, 1.0
    for _ in range(1, places):
        more = sum(one / (1.0 + each) for one, each in zip(level, rates, strict=True)) / (1.0 - fresh)
        level = tuple(
            (one + share * more) / (1.0 + each) for one, share, each in zip(level, shares, rates, strict=True)
        )
        total += more
    full = sum(one / each for one, each in zip(level, rates, strict=True))
    return total / (total + full)


def _exponential(put: Side, take: Side, places: float) -> float:
    """Moves per second with exponential times, by a birth-death process: equation 22."""
    level = np.arange(math.ceil(places) + 1)
    births = put.rate * np.clip((places - level) / put.active, 0.0, 1.0)
    deaths = take.rate * np.minimum(level / take.active, 1.0)
    with np.errstate(divide="ignore"):
        logs = np.concatenate(([0.0], np.cumsum(np.log(births[:-1]) - np.log(deaths[1:]))))
    shares = np.exp(logs - logs.max())
    return float(shares @ births / shares.sum())
