"""Search for the value of a setting that meets the number: doublings first, then values between two."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from stacksim.claims.suspects.in_model import PRECISION
from stacksim.claims.suspects.suspicion import Suspicion

RUNGS = 10
"""Doublings in each direction: a factor of a thousand."""

HALVINGS = 3
"""Bisections between two rungs: a factor of 1.1 is left."""

IDLE, GAIN = 3, 0.02
"""The search stops after ``IDLE`` rungs that improve the error by less than ``GAIN`` each."""

DOUBLING = math.log(2.0)

BITS = 5
"""Significant bits of a value between two rungs: nobody sets 5915004309 bytes."""

Misses = Callable[[int], float]
"""Returns the error of a value of the setting, as a logarithm; infinite if the model has no answer."""


@dataclass(frozen=True)
class Moved:
    """A setting with another value, in words, and the number that it predicts."""

    words: str
    value: int
    predicted: float


def moved(suspicion: Suspicion, name: str, *, between: bool = True) -> Moved | None:
    """The value of the setting ``name``, a whole number, that brings the model nearest to the claimed number.

    None if the system has no such setting, or no other value brings it nearer.
    """
    model = suspicion.model
    entry = model.entries.get(name) if model else None
    if model is None or entry is None:
        return None
    now = int(model.value(name))

    def misses(value: int) -> float:
        predicted = suspicion.base if value == now else model.under({name: value}, roughly=True)
        return suspicion.misses(predicted)

    low, high = getattr(entry, "low", now), getattr(entry, "high", now)
    best = nearest(now, int(low), int(high), misses, between=between)
    predicted = None if best is None else model.under({name: best})
    return Moved(model.words(name, best), best, predicted) if best is not None and predicted else None


def nearest(value: int, low: int, high: int, misses: Misses, *, between: bool = True) -> int | None:
    """The value from ``low`` to ``high`` with the least error; None if that is ``value``.

    Args:
        between: also try values between doublings.
    """
    start = misses(value)
    best, least = value, start
    for rungs in (_up(value, high), _down(value, low)):
        best, least = _climbed(rungs, value, start, misses)
        if least < start - GAIN:
            break
    if between and best != value and PRECISION < least < DOUBLING:
        best, least = _between(best, least, misses, low, high)
    return best if least < start - GAIN else None


def _climbed(rungs: Iterator[int], best: int, least: float, misses: Misses) -> tuple[int, float]:
    """The best of ``rungs`` and its error, up to one that is worse, or ``IDLE`` that change nothing."""
    idle = 0
    for rung in rungs:
        missed = misses(rung)
        idle = 0 if missed < least - GAIN else idle + 1
        if missed > least + GAIN or idle == IDLE:
            break
        if missed < least:
            best, least = rung, missed
    return best, least


def _between(best: int, least: float, misses: Misses, low: int, high: int) -> tuple[int, float]:
    """A better value around ``best`` and its error: half, quarter and eighth doublings away."""
    for halving in range(1, HALVINGS + 1):
        step = 2.0 ** (0.5**halving)
        for value in (_rounded(best * step), _rounded(best / step)):
            if low <= value <= high and value != best and (missed := misses(value)) < least:
                best, least = value, missed
                break
    return best, least


def _rounded(value: float) -> int:
    whole = round(value)
    lowest = max(0, whole.bit_length() - BITS)
    return whole >> lowest << lowest


def _up(value: int, high: int) -> Iterator[int]:
    for rung in range(1, RUNGS + 1):
        up = value << rung if value else 1 << (rung - 1)
        if up <= high:
            yield up


def _down(value: int, low: int) -> Iterator[int]:
    for rung in range(1, RUNGS + 1):
        if value >> rung >= max(low, 1) and value:
            yield value >> rung
