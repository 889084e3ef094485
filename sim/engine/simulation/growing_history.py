"""A history of counters that grows and is halved repeatedly, in the same memory.

Touching fresh memory costs more than simulating its content. So little is touched: of the histograms,
only the bins that latencies have fallen into; and nothing is copied twice.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sim.engine.events.protocol import History


class GrowingHistory:
    """A history that begins with ``first``, which has at least one time.

    Attributes:
        history: the history so far; valid until it grows or is halved.
    """

    def __init__(self, first: History) -> None:
        self._room = self.history = first
        self._used = slice(0, 0)
        self._write(first, 0)

    def append(self, more: History) -> None:
        """Append ``more``."""
        times = len(self.history) + len(more)
        if times > len(self._room):  # allocate twice the need, to copy seldom
            old, self._room = self.history, _empty(2 * times, like=self.history)
            self._write(old, 0)
        self._write(more, len(self.history))

    def halve(self) -> None:
        """Keep every other time, the first included."""
        begin, end = 1, (len(self.history) + 1) // 2
        while begin < end:  # in parts whose source and target do not overlap, so that NumPy makes no copy
            until = min(2 * begin, end)
            for array in self._touched(self.history):
                array[begin:until] = array[2 * begin : 2 * until : 2]
            begin = until
        self.history = self._room.part(slice(end))

    def _write(self, more: History, begin: int) -> None:
        """Write ``more`` from index ``begin`` on, as the end of the history."""
        if not len(more):
            return
        # Counters never fall, so the last ones show the bins of all earlier times.
        bins = np.flatnonzero(more.histograms[-1].any(axis=0))
        self._used = slice(int(bins[0]), int(bins[-1]) + 1) if len(bins) else slice(0, 0)
        self.history = self._room.part(slice(begin + len(more)))
        for mine, new in zip(self._touched(self.history), self._touched(more), strict=True):
            mine[begin:] = new

    def _touched(self, history: History) -> tuple[NDArray[np.int64], ...]:
        """The arrays of ``history``, without the bins of histograms that are zero everywhere."""
        return *history.arrays[:-1], history.histograms[:, :, self._used]


def _empty(times: int, like: History) -> History:
    """Arrays of zeros for ``times`` times; zeros take no memory before they are written."""
    return History(*(np.zeros((times, *array.shape[1:]), dtype=np.int64) for array in like.arrays))
