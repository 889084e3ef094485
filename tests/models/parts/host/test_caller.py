"""Who calls does the work: a depth above one gets a process no more, and processes do not wait for each other."""

from __future__ import annotations

import pytest

from layers import Below, engines_agree, layer_of, model_of, per_second
from models.io import FileIO
from models.parts.host.caller import Caller
from models.parts.page_cache.memory_copy import Copy

SECONDS = 1e-3


def of_process(process, *, asynchronous=True):
    return lambda _number: FileIO("read", 4096, process=process, asynchronous=asynchronous)


@pytest.mark.parametrize("depth", [1, 2, 16])
def test_requests_of_one_process_follow_each_other(depth):
    model = model_of(layer_of(Caller, Below(SECONDS)), of_process(0), depth)
    assert per_second(model) == pytest.approx(1.0 / SECONDS, rel=0.01)


def test_processes_do_not_wait_for_each_other():
    model = model_of(layer_of(Caller, Below(SECONDS)), lambda number: of_process(number % 2)(number), 8)
    assert per_second(model) == pytest.approx(2.0 / SECONDS, rel=0.01)
    assert engines_agree(model)


def test_a_synchronous_call_needs_no_hold():
    below = Below(SECONDS)
    assert layer_of(Caller, below).path(of_process(0, asynchronous=False)(0)) == below.path(FileIO("read", 4096))


def test_a_copy_that_libaio_submits_takes_more_of_a_core():
    copy = layer_of(Copy, read_call="2us", read_rate="unlimited", submit="3us")
    plain, submitted = (
        per_second(model_of(copy, of_process(0, asynchronous=asynchronous))) for asynchronous in (False, True)
    )
    assert (plain, submitted) == (pytest.approx(1 / 2e-6, rel=0.01), pytest.approx(1 / 5e-6, rel=0.01))
