"""Log-linear histogram of times in integer nanoseconds: 64 bins per octave, at most 1/128 relative error."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

SUB_BITS = 6
"""log2 of the bins per octave: the middle of a bin is at most 2**-(SUB_BITS + 1) = 0.8 % off."""

BINS = (63 - SUB_BITS) << SUB_BITS
"""Number of bins: enough for every time below 2**62 ns."""

Counts = NDArray[np.int64]

_ROUNDING = 1e-12
"""Relative tolerance of a share of a count as a whole number."""

_CROWDED = 4
"""A bin that holds more than this many times the mean of its neighbours may have equal times only."""


def bin_of(time_ns: int) -> int:
    """The bin that counts ``time_ns``; exact below 2**(SUB_BITS + 1) ns."""
    octave = max(0, time_ns.bit_length() - SUB_BITS - 1)
    return (octave << SUB_BITS) + (time_ns >> octave)


def lowest_of(index: int) -> int:
    """The shortest time, in nanoseconds, that bin ``index`` counts."""
    octave = max(0, (index >> SUB_BITS) - 1)
    return (index - (octave << SUB_BITS)) << octave


def bins_in(counts: Counts) -> slice:
    """Slice of ``counts``, shape (BINS,), from the first to the last bin that is not empty."""
    used = np.flatnonzero(counts)
    return slice(int(used[0]), int(used[-1]) + 1) if len(used) else slice(0, 0)


class Quantiles:
    """Quantiles of the counted times: the time that a given share of them does not exceed.

    Within a bin times are taken to be spread evenly, unless they may all be equal, as in a bin that holds much
    more than both its neighbours: then only the ends of the bin are certain.

    Args:
        counts: number of times in each bin, shape (BINS,).

    Attributes:
        total: number of all times.
        used: slice from the first to the last bin with a count.
    """

    def __init__(self, counts: Counts) -> None:
        self.used = bins_in(counts)
        self._first, self._counts = self.used.start, counts[self.used]
        self._sums = np.cumsum(self._counts)
        self.total = int(self._sums[-1]) if len(self._sums) else 0

    @property
    def bins(self) -> int:
        """Number of bins with a count."""
        return int(np.count_nonzero(self._counts))

    def position(self, share: float) -> tuple[int, float]:
        """The bin in which ``share`` of the times is reached, and the fraction of it needed."""
        wanted = min(max(share, 0.0), 1.0) * self.total
        row = min(int(np.searchsorted(self._sums, wanted * (1.0 - _ROUNDING))), len(self._counts) - 1)
        before = float(self._sums[row]) - float(self._counts[row])
        return row + self._first, min(max((wanted - before) / float(self._counts[row]), 0.0), 1.0)

    def at(self, share: float) -> float:
        """The quantile of ``share``, nanoseconds; nan if no time was counted."""
        return self._interpolated(share) if self.total else math.nan

    def least(self, share: float) -> float:
        """Lower end of the quantile, nanoseconds."""
        index, _ = self.position(share)
        return float(lowest_of(index)) if self._may_be_identical(index) else self._interpolated(share)

    def most(self, share: float) -> float:
        """Upper end of the quantile, nanoseconds."""
        index, _ = self.position(share)
        return float(lowest_of(index + 1) - 1) if self._may_be_identical(index) else self._interpolated(share)

    def _interpolated(self, share: float) -> float:
        index, fraction = self.position(share)
        low, width = lowest_of(index), lowest_of(index + 1) - lowest_of(index)
        return min(max(low - 0.5 + fraction * width, low), low + width - 1.0)

    def _may_be_identical(self, index: int) -> bool:
        """True if all times of the bin may be equal: it holds much more than its neighbours."""
        row = index - self._first
        around = self._counts[max(0, row - 1) : row + 2]
        return bool(2 * self._counts[row] > _CROWDED * (around.sum() - self._counts[row]))


def percentile_ns(counts: Counts, share: float) -> float:
    """The time, nanoseconds, that ``share`` (0 … 1) of the counted times do not exceed; nan without any."""
    return Quantiles(counts).at(share)
