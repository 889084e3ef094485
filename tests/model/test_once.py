"""Values computed once for an object: by identity, and no longer than the object lives."""

from __future__ import annotations

import gc
from weakref import ref

import pytest

from sim import Delay
from sim.engine.model.once import once_for_each


@pytest.fixture
def read():
    """Values read so far, and a function that reads the time of a delay once."""
    calls = []

    @once_for_each
    def mean_s(step):
        calls.append(step.time.mean)
        return step.time.mean

    return calls, mean_s


def test_value_is_computed_once_for_each_object(read):
    calls, mean_s = read
    one, equal = Delay(1.0), Delay(1.0)
    assert one == equal
    assert [mean_s(one), mean_s(one), mean_s(equal), mean_s(one)] == [1.0] * 4
    assert calls == [1.0, 1.0]


def test_objects_are_released_and_reused_addresses_are_read_anew(read):
    calls, mean_s = read
    first = Delay(1.0)
    mean_s(first)
    gone = ref(first)
    del first
    gc.collect()
    assert gone() is None
    assert [mean_s(Delay(float(number))) for number in range(2, 100)] == list(range(2, 100))
    assert len(calls) == 99


def test_an_error_is_raised_each_time():
    @once_for_each
    def refused(step):
        raise ValueError(f"{step.time.mean} of a second")

    step = Delay(1.0)
    for _ in range(2):
        with pytest.raises(ValueError, match="of a second"):
            refused(step)
