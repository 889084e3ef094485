"""Requests in flight together are done together: n of them take a + n b, and no two queues wait for each other."""

from __future__ import annotations

import pytest

from layers import engines_agree, layer_of, model_of, per_second
from models.io import FileIO
from models.parts.host.virtqueue import Virtqueue
from sim import Delay

WAY_S, COMMAND_S = 40e-6, 10e-6


class Thread:
    """Work of the thread for a request: more for one that writes."""

    def path(self, io):
        return (Delay(COMMAND_S if io.op == "read" else 3 * COMMAND_S),)


class OnItsWay:
    """To the queue and back, in no queue."""

    def __init__(self, below):
        self.below = below

    def path(self, io):
        return (Delay(WAY_S), *self.below.path(io))


def layer(**fields):
    return OnItsWay(layer_of(Virtqueue, Thread(), **fields))


def read(number):
    return FileIO("read", 4096, process=number)


def read_or_write(number):
    return FileIO("write" if number % 2 else "read", 4096, process=number)


@pytest.mark.parametrize("processes", [1, 2, 8, 32])
def test_requests_in_flight_complete_as_one_batch(processes):
    expected = processes / (WAY_S + processes * COMMAND_S)
    assert per_second(model_of(layer(), read, processes)) == pytest.approx(expected, rel=0.01)


def test_a_short_request_waits_for_a_long_one_that_came_with_it():
    expected = 8 / (WAY_S + 4 * COMMAND_S + 4 * 3 * COMMAND_S)
    assert per_second(model_of(layer(), read_or_write, 8)) == pytest.approx(expected, rel=0.01)


@pytest.mark.parametrize(("count", "processes"), [(2, 8), (4, 8), (8, 8)])
def test_queues_do_not_wait_for_each_other(count, processes):
    each = processes / count
    expected = count * each / (WAY_S + each * COMMAND_S)
    assert per_second(model_of(layer(count=count), read, processes)) == pytest.approx(expected, rel=0.01)


@pytest.mark.parametrize("processes", [1, 3, 16])
def test_engines_agree(processes):
    assert engines_agree(model_of(layer(), read_or_write, processes))
