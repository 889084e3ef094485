"""What a buffer with little room lets through: both sides vary, and what it cannot even out is lost.

With exponential times the level is a birth-death process: those who put are held up when it is full, those who
take when it is empty (Kleinrock, *Queueing Systems*, volume 1, section 3.10; of two stations in a row: Hunt,
"Sequential arrays of waiting lines", Operations Research 4 (1956)). With one client on each side it is M/M/1/T, of
which the T that gives what clients of any number let through is known. Other times even out sooner or later: in
the diffusion approximation T counts as many times more as the mean of both squared coefficients of
variation is smaller (Gelenbe, "On approximate computer system models", J. ACM 22 (1975)).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from sim.analytic.finite import balanced

MOST_ROOM = 1000.0
"""With room for more than so many moves nothing is lost."""

LEAST = 1e-3
"""What is lost counts as far as it is more than this share: a station always in use shall not look idle for it."""

_NOTHING, _ROUNDING = 1e-6, 1e-12


@dataclass(frozen=True)
class Side:
    """One side of a buffer.

    Attributes:
        clients: how many put, or take; need not be whole.
        active: how many of them do so beside each other: the others wait for them.
        rate: what they move a second if nobody is held up.
        variation: squared coefficient of variation of the time between two moves of one of them.
    """

    clients: float
    active: float
    rate: float
    variation: float


def through(put: Side, take: Side, places: float) -> float:
    """What is moved a second, with room for ``places`` in the buffer and before and behind it."""
    slower = min(put.rate, take.rate)
    evener, variation = _evener(put, take), (put.variation + take.variation) / 2.0
    ratio = put.rate / take.rate
    if not math.isfinite(put.clients + take.clients) or variation <= _NOTHING:
        return slower
    if abs(math.log(ratio)) * (places / variation - 1.0) > -math.log(LEAST / 2):
        return slower
    ratio = ratio if abs(ratio - 1.0) > _NOTHING else 1.0 + _NOTHING
    share = _exponential(put, take, places) / put.rate
    if share * max(ratio, 1.0) >= 1.0 - _ROUNDING:
        return slower
    # The ratio of the rates, to the power of T.
    full = math.pow((1.0 - share) / (1.0 - share * ratio), 1.0 / max(evener, _NOTHING))
    moved = put.rate * (1.0 - full) / (1.0 - ratio * full)
    alike = max(round(math.log(full) / math.log(ratio)), 1)
    for side, other in ((put, take), (take, put)):
        if side.variation > 1.0:
            moved *= _bursts(side.rate / other.rate, side.variation, alike) / _bursts(
                side.rate / other.rate, 1.0, alike
            )
    return min(moved + LEAST * slower, slower)


def _evener(put: Side, take: Side) -> float:
    """The mean of both variations, as far as they are less than those of exponential times."""
    return (min(put.variation, 1.0) + min(take.variation, 1.0)) / 2.0


def _bursts(rate: float, variation: float, places: int) -> float:
    """What M/H2/1 with room for so many lets through, in units of the arrival rate; the server does ``rate``.

    The hyperexponential services have balanced means; from level to level as much goes up as comes down.
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
    """The same of exponential times: the level goes up by one or down by one."""
    level = np.arange(math.ceil(places) + 1)
    births = put.rate * np.clip((places - level) / put.active, 0.0, 1.0)
    deaths = take.rate * np.minimum(level / take.active, 1.0)
    with np.errstate(divide="ignore"):
        logs = np.concatenate(([0.0], np.cumsum(np.log(births[:-1]) - np.log(deaths[1:]))))
    shares = np.exp(logs - logs.max())
    return float(shares @ births / shares.sum())
