"""A history that grows and is halved again and again, in the same memory.

To touch fresh memory costs more than to simulate what is written there. So little is touched: of the histograms,
only the bins that latencies have fallen into; and nothing is copied twice.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sim.engines.protocol import History


class GrowingHistory:
    """A history, to begin with ``first``, which has one time at least.

    Attributes:
        history: all of it so far; valid until it grows or is halved.
    """

    def __init__(self, first: History) -> None:
        self._room = self.history = first
        self._used = slice(0, 0)
        self._write(first, 0)

    def append(self, more: History) -> None:
        """Let ``more`` follow."""
        times = len(self.history) + len(more)
        if times > len(self._room):  # twice as much as is needed now, or everything would be copied often
            old, self._room = self.history, _empty(2 * times, like=self.history)
            self._write(old, 0)
        self._write(more, len(self.history))

    def halve(self) -> None:
        """Keep every other time, the first included."""
        begin, end = 1, (len(self.history) + 1) // 2
        while begin < end:  # in parts from which nothing is read that was written before: so NumPy copies no more
            until = min(2 * begin, end)
            for array in self._touched(self.history):
                array[begin:until] = array[2 * begin : 2 * until : 2]
            begin = until
        self.history = self._room.part(slice(end))

    def _write(self, more: History, begin: int) -> None:
        """Let the history end with ``more``, from the time number ``begin`` on."""
        if not len(more):
            return
        bins = np.flatnonzero(
            more.histograms[-1].any(axis=0)
        )  # counters never fall: those of all times before, too
        self._used = slice(int(bins[0]), int(bins[-1]) + 1) if len(bins) else slice(0, 0)
        self.history = self._room.part(slice(begin + len(more)))
        for mine, new in zip(self._touched(self.history), self._touched(more), strict=True):
            mine[begin:] = new

    def _touched(self, history: History) -> tuple[NDArray[np.int64], ...]:
        """Its arrays, without the bins of histograms that are zero everywhere."""
        return *history.arrays[:-1], history.histograms[:, :, self._used]


def _empty(times: int, like: History) -> History:
    """Room for so many times: of zeros, which take no memory before they are written."""
    return History(*(np.zeros((times, *array.shape[1:]), dtype=np.int64) for array in like.arrays))
