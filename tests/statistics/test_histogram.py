"""Bins of times, in Python and compiled, and percentiles of samples that are known."""

from __future__ import annotations

import math
import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim import Closed, Delay, Model
from sim.engine.events.compiled import CompiledEngine
from sim.engine.statistics.histogram import BINS, Quantiles, bin_of, lowest_of, percentile_ns

TIMES = st.integers(0, 2**62 - 1) | st.builds(
    lambda bits, off: max(0, min(2**62 - 1, 2**bits + off)), st.integers(0, 62), st.integers(-2, 2)
)


@given(TIMES)
def test_bin_contains_times_from_its_lowest(time_ns):
    index = bin_of(time_ns)
    assert 0 <= index < BINS
    assert lowest_of(index) <= time_ns < lowest_of(index + 1)
    assert lowest_of(index + 1) - lowest_of(index) <= max(1, time_ns / 64)


@given(TIMES, TIMES)
def test_later_times_are_in_later_bins(one, other):
    low, high = sorted((one, other))
    assert bin_of(low) <= bin_of(high)
    if high > low * 1.02 + 2:
        assert bin_of(low) < bin_of(high)


def test_every_bin_counts_its_own_lowest_time():
    assert all(bin_of(lowest_of(index)) == index for index in range(BINS))


def counted(times_ns):
    counts = np.zeros(BINS, dtype=np.int64)
    np.add.at(counts, [bin_of(each) for each in times_ns], 1)
    return counts


def binned(times_ns):
    """Times of requests as counted by the compiled engine."""
    requests = [
        Closed(f"{each} ns", clients=1, path=[Delay(each / 1e9)], count=1, group="all") for each in times_ns
    ]
    engine = CompiledEngine(Model(requests), 1, record=True)
    engine.advance(1 << 61)
    return [each.ended_ns for each in engine.completions], engine.snapshot().histograms[0].tolist()


@given(st.lists(st.integers(1, 1 << 60), min_size=1, max_size=20, unique=True))
def test_the_compiled_bins_are_the_same(times_ns):
    taken_ns, found = binned(times_ns)
    assert len(taken_ns) == len(times_ns)
    assert found == counted(taken_ns).tolist()


def test_the_compiled_bins_are_the_same_at_every_edge():
    edges = sorted({(1 << bits) + off for bits in range(61) for off in (-1, 0, 1)})
    taken_ns, found = binned(edges)
    exact = [each for each in edges if each < 1 << 50]  # beyond, a time in seconds cannot tell neighbours apart
    assert taken_ns[: len(exact)] == exact
    assert len(taken_ns) == len(edges)
    assert found == counted(taken_ns).tolist()


def test_percentiles_of_a_known_sample():
    counts = counted(range(1, 101))  # exact below 128 ns
    shares = (0.01, 0.011, 0.07, 0.5, 0.501, 0.95, 0.99, 1.0)  # 0.07 * 100 is a little more than 7
    assert [percentile_ns(counts, share) for share in shares] == [1, 2, 7, 50, 51, 95, 99, 100]
    assert percentile_ns(counted([7, 7, 7, 90]), 0.75) == 7
    assert percentile_ns(counted([7, 7, 7, 90]), 0.76) == 90
    assert math.isnan(percentile_ns(counted([]), 0.5))


def test_percentiles_lie_within_their_bin_in_proportion():
    times_ns = range(1_000_000, 2_000_000, 7)  # evenly, in bins of 8192 and 16384 ns
    found = Quantiles(counted(times_ns))
    for share in (0.1, 0.123, 0.5, 0.9):
        assert found.at(share) == pytest.approx(1_000_000 + share * 1_000_000, abs=200)
        assert found.least(share) == found.at(share) == found.most(share)


def test_percentiles_are_certain_only_to_the_bounds_of_their_bin():
    found = Quantiles(counted([1_000_000] * 90 + [2_000_000] * 10))
    assert (bin_of(int(found.least(0.5))), bin_of(int(found.most(0.5)))) == (bin_of(1_000_000),) * 2
    assert found.least(0.5) <= 1_000_000 <= found.most(0.5)
    assert found.least(0.95) <= 2_000_000 <= found.most(0.95)
    assert found.most(0.5) - found.least(0.5) > 8_000


def test_percentiles_of_long_times():
    times_ns = [round(10 ** random.Random(each).uniform(0, 15)) for each in range(2001)]  # noqa: S311
    exact = sorted(times_ns)
    for share in (0.1, 0.5, 0.9, 0.999):
        expected = exact[math.ceil(share * 2001) - 1]
        assert percentile_ns(counted(times_ns), share) == pytest.approx(expected, rel=0.008)


def test_a_quantile_lies_as_far_into_its_bin_as_its_share_of_the_counts():
    """Times are whole nanoseconds: a bin reaches from half of one below its first to as much below the next."""
    index = bin_of(5000)
    low, width = lowest_of(index), lowest_of(index + 1) - lowest_of(index)
    counts = np.zeros(BINS, np.int64)
    counts[index] = 100
    assert width > 8
    assert Quantiles(counts).at(0.25) == pytest.approx(low - 0.5 + 0.25 * width)
    assert Quantiles(counts).at(0.5) == pytest.approx(low - 0.5 + 0.5 * width)
