"""A history in one memory is what it would be were everything copied."""

from __future__ import annotations

import numpy as np
import pytest

from sim.engine.events.protocol import History
from sim.engine.simulation import growing_history
from sim.engine.simulation.growing_history import GrowingHistory, _empty


def counted(begin, times, bins=slice(3, 6)):
    """Counters that grow by their own number at each time, and histograms of which only some bins are used."""
    now = np.arange(begin, begin + times)
    histograms = np.zeros((times, 1, 9), dtype=np.int64)
    histograms[:, :, bins] = now[:, None, None]
    rows = now[:, None, None] * np.arange(1, 7).reshape(1, 2, 3)
    return History(now, rows, rows[:, :1], histograms)


def joined(one, other):
    return History(*(np.concatenate(pair) for pair in zip(one.arrays, other.arrays, strict=True)))


@pytest.mark.parametrize("more", [[1], [3, 0, 5], [1, 1, 1, 1, 1, 1], [40, 2, 7], [0, 1, 100]])
@pytest.mark.parametrize("halves", [0, 1, 2, 3])
def test_history_is_appended_and_thinned_by_two(more, halves):
    growing, expected = GrowingHistory(counted(0, 1)), counted(0, 1)
    for times in more:
        added = counted(len(expected), times, slice(2, 6) if times > 1 else slice(3, 6))
        growing.append(added)
        expected = joined(expected, added)
        for _ in range(halves):
            growing.halve()
            expected = History(*(array[::2] for array in expected.arrays))
        for mine, wanted in zip(growing.history.arrays, expected.arrays, strict=True):
            assert mine.tolist() == wanted.tolist()


def test_a_history_is_copied_each_time_that_it_has_doubled(monkeypatch):
    rooms = []
    monkeypatch.setattr(growing_history, "_empty", lambda times, like: rooms.append(times) or _empty(times, like))
    growing = GrowingHistory(counted(0, 1))
    for time in range(1, 50):
        growing.append(counted(time, 1))
    assert rooms == [4, 10, 22, 46, 94]
