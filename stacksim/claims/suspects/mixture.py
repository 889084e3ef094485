"""Mixture of two speeds: the share of the data at each that gives the claimed rate."""

from __future__ import annotations


def share_of_faster(rate: float, slow: float, fast: float) -> float | None:
    """The share of bytes that moves at ``fast``, the rest at ``slow``, so that the mean is ``rate``.

    Times add up: 1/rate = share/fast + (1 - share)/slow. None if ``rate`` is not between the two.

    >>> share_of_faster(160.0, 100.0, 400.0)
    0.5
    """
    if not slow < rate <= fast:
        return None
    return (1.0 / slow - 1.0 / rate) / (1.0 / slow - 1.0 / fast)
