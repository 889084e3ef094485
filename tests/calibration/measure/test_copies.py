"""Copies of several cores at once, and what they say of the memory that these share."""

from __future__ import annotations

import os

import pytest

from layered import Below, rate
from models.parts.host.host import Host
from models.parts.page_cache.memory_copy import Copy
from sim.calibration.host.copies import measured_copies, memory_bytes_per_s


def test_one_core_copies_alone_and_all_of_them_at_once():
    copies = measured_copies(seconds=0.01)
    assert list(copies) == sorted(copies)
    assert {1, len(os.sched_getaffinity(0))} <= set(copies)
    assert all(rate > 0.0 for rates in copies.values() for rate in rates)


def test_two_cores_that_copy_8_in_place_of_10_gigabytes_share_memory_of_40():
    """A byte takes a core T alone and D of that the memory: two take T + D²/T each, so D = T/2."""
    assert memory_bytes_per_s({1: [10e9] * 4, 2: [8e9] * 4}) == pytest.approx(40e9)


def test_host_with_the_fitted_memory_copies_at_the_measured_rate():
    copy = Copy(cores=4, read_call=0.0, read_rate=10e9)
    memory = memory_bytes_per_s({1: [10e9] * 4, 4: [6e9] * 4})
    host = Host(switch=0.0, memory=memory).layer("host", lambda _: copy.layer("copy", lambda _: Below(0.0)))
    assert rate(host, processes=4, size=1 << 20) * (1 << 20) == pytest.approx(4 * 6e9, rel=0.02)


@pytest.mark.parametrize(
    "copies",
    [{1: [10e9] * 4}, {1: [10e9] * 4, 2: [10e9] * 4}, {1: [8e9, 9e9, 10e9, 11e9, 12e9], 2: [9.5e9] * 4}],
    ids=["one core", "as fast", "no slower than one alone now and then"],
)
def test_cores_that_do_not_slow_each_other_down_say_nothing_of_memory(copies):
    assert memory_bytes_per_s(copies) is None


def test_cores_that_copy_one_after_the_other_have_all_of_it():
    assert memory_bytes_per_s({1: [10e9] * 4, 4: [2e9] * 4}) == pytest.approx(20e9, rel=0.01)
