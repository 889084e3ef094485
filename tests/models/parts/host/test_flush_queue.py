"""One flush of a queue under way, and one for all who came meanwhile."""

from __future__ import annotations

import pytest

from layers import Below, engines_agree, layer_of, model_of, per_second
from models.io import FileIO
from models.parts.host.flush_queue import FlushQueue
from sim import Delay

FLUSH_S = 1e-3


class Written:
    """A write that takes next to nothing, and its flush."""

    def __init__(self, below):
        self.below = below

    def path(self, io):
        return (Delay(1e-9), *self.below.path(io))


def flush(number):
    return FileIO("flush", 0, process=number)


def model(processes, **fields):
    return model_of(Written(layer_of(FlushQueue, Below(FLUSH_S), **fields)), flush, processes)


def rate(processes, **fields):
    return per_second(model(processes, **fields))


def test_one_process_flushes_alone():
    assert rate(1) == pytest.approx(1 / FLUSH_S, rel=0.01)


@pytest.mark.parametrize("processes", [2, 5, 16])
def test_flush_that_arrives_during_another_shares_the_next(processes):
    """And none that has begun: half of them, or all but one, wait for one flush and then have their own."""
    assert rate(processes) == pytest.approx(processes / (2 * FLUSH_S), rel=0.05)


def test_the_device_sees_one_flush_for_all_of_a_queue():
    below = Below(FLUSH_S)
    layer = layer_of(FlushQueue, below, count=4)
    assert layer.path(flush(1)) == layer.path(flush(5)) != layer.path(flush(2))


def test_writes_pass_the_flush_queue():
    write = FileIO("write", 4096)
    below = Below(FLUSH_S)
    assert layer_of(FlushQueue, below).path(write) == below.path(write)


def test_engines_agree():
    assert engines_agree(model(5, count=2))
