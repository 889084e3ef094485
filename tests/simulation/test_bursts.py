"""The speed before a buffer is full, or empty, on runs written by hand."""

from __future__ import annotations

import numpy as np
import pytest

from recorded import snapshots_of
from sim import Buffer, Closed, Delay, Model, Put, Take
from sim.engine.simulation.bursts import MIN_COMPLETED, MIN_INTERVALS, Bursts
from sim.engine.statistics.estimates import Estimate


def sustained(value, low, high):
    return Estimate(value, low, high, 0.95)


def found_in(level, initial=0, capacity=1000, completed=100, precision=0.01, slow=None):
    """Bursts of a buffer at these levels, interval by interval of 1 µs, and so many requests completed in each."""
    buffer = Buffer("b", capacity, initial=initial)
    front = Closed("front", clients=1, path=[Delay(1e-6), Put(buffer)])
    model = Model([front, Closed("behind", clients=1, path=[Take(buffer), Delay(1e-6)])])
    snapshots = snapshots_of(
        model,
        len(level),
        places={"b": {"busy_ns": 1000 * np.asarray(level)}},
        workloads={"front": {"completed": completed}},
    )
    watched = Bursts(model, [0], 0.95)
    watched.look(snapshots)
    watched.look(snapshots)
    return watched.unlike(slow or sustained(1e7, 0.9e7, 1.1e7), precision)


def test_a_burst_lasts_until_the_buffer_is_full():
    """Full in the eleventh interval, and 1000 requests in the ten before: 10^8 a second."""
    (burst,) = found_in([*range(0, 1000, 100), 1000, 1000])
    assert burst.place == "buffer 'b'"
    assert burst.throughput.value == pytest.approx(1e8)
    end = 11e-6 / 0.99  # it counts as full a hundredth before it is
    assert (burst.seconds.low, burst.seconds.value, burst.seconds.high) == pytest.approx(
        (10e-6, (10e-6 + end) / 2, end)
    )
    assert (burst.throughput.confidence, burst.seconds.confidence) == (0.95, 0.95)


def test_a_buffer_within_a_hundredth_of_its_end_counts_as_full():
    assert found_in([0] * 10 + [990])
    assert not found_in([0] * 10 + [989])
    assert found_in([500] * 10 + [995], initial=500)
    assert not found_in([500] * 10 + [994], initial=500)


def test_a_burst_lasts_until_the_buffer_is_empty_if_it_was_not_at_first():
    (burst,) = found_in([*range(500, 0, -50), 5, 0], initial=500)
    assert burst.seconds.low == pytest.approx(10e-6)
    assert not found_in([500] * 10 + [6], initial=500)
    assert not found_in([0] * 12)
    assert found_in([1000] * 10 + [10], initial=1000)
    assert not found_in([1000] * 12, initial=1000)


def test_a_short_start_is_no_burst():
    assert (MIN_INTERVALS, MIN_COMPLETED) == (8, 500)
    assert found_in([0] * 8 + [1000])
    assert not found_in([0] * 7 + [1000])
    assert found_in([0] * 10 + [1000], completed=50)
    assert not found_in([0] * 10 + [1000], completed=49)


def test_only_a_different_rate_is_reported():
    """Two precisions of the sustained speed apart, and intervals that have nothing in common."""
    level = [0] * 10 + [1000]
    assert found_in(level, slow=sustained(0.979e8, 0.97e8, 0.99e8))
    assert not found_in(level, slow=sustained(0.981e8, 0.97e8, 0.99e8))
    assert not found_in(level, slow=sustained(0.9e8, 0.8e8, 1.01e8))
    assert found_in(level, slow=sustained(1.1e8, 1.05e8, 1.2e8))
    assert not found_in(level, slow=sustained(1.1e8, 0.99e8, 1.2e8))


def test_the_longest_burst_comes_last():
    first, second = Buffer("first", 10), Buffer("second", 10)
    front = Closed("front", clients=1, path=[Delay(1e-6), Put(second), Put(first)])
    model = Model([front, Closed("behind", clients=1, path=[Take(first), Take(second), Delay(1e-6)])])
    filled = {"first": [*[0] * 9, *[10_000] * 6], "second": [*[0] * 12, *[10_000] * 3]}
    snapshots = snapshots_of(
        model,
        15,
        places={name: {"busy_ns": level} for name, level in filled.items()},
        workloads={"front": {"completed": 100}},
    )
    watched = Bursts(model, [0], 0.95)
    watched.look(snapshots)
    found = watched.unlike(sustained(1e7, 0.9e7, 1.1e7), 0.01)
    assert [each.place for each in found] == ["buffer 'first'", "buffer 'second'"]


def test_level_counter_that_wraps_round_is_followed():
    """The counter begins anew in every other interval."""
    (burst,) = found_in([*range(0, 1 << 53, 1 << 50), 1 << 53, 1 << 53], capacity=1 << 53)
    assert burst.seconds.low == pytest.approx(8e-6)
