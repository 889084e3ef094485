"""Log-linear histogram of times in integer nanoseconds: 64 bins an octave, at most 1/128 relative error."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

SUB_BITS = 6
"""log2 of the bins an octave: the middle of a bin is at most 2**-(SUB_BITS + 1) = 0.8 % off."""

BINS = (63 - SUB_BITS) << SUB_BITS
"""Enough for every time below 2**62 ns."""

Counts = NDArray[np.int64]


def bin_of(time_ns: int) -> int:
    """The bin that counts ``time_ns``; exact below 2**(SUB_BITS + 1) ns."""
    octave = max(0, time_ns.bit_length() - SUB_BITS - 1)
    return (octave << SUB_BITS) + (time_ns >> octave)


def middle_of(index: int) -> float:
    """The middle, in nanoseconds, of bin ``index``."""
    octave = max(0, (index >> SUB_BITS) - 1)
    low = (index - (octave << SUB_BITS)) << octave
    return low + ((1 << octave) - 1) / 2


def percentile_ns(counts: Counts, share: float) -> float:
    """The time (nanoseconds) that ``share`` (0 … 1) of the counted times do not exceed; nan if none counted.

    Args:
        counts: how many times fell into each bin, shape (BINS,).
        share: 0.95 for the 95th percentile.
    """
    total = int(counts.sum())
    if not total:
        return math.nan
    rank = max(1, math.ceil(share * total))
    return middle_of(int(np.searchsorted(np.cumsum(counts), rank)))
