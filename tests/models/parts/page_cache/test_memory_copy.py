"""Processor time of a call of a file in memory: itself, its first pages, and its bytes."""

from __future__ import annotations

import pytest

from layers import engines_agree, layer_of, model_of, per_second
from models.io import FileIO
from models.parts.page_cache.memory_copy import Copy

CALL, FIRST, RATE = "1us", "0.2us", "20GB/s"


def layer(cores="1"):
    return layer_of(Copy, cores=cores, read_call=CALL, read_first=FIRST, read_rate=RATE, write_call="3us")


def reads(size_bytes):
    return lambda number: FileIO("read", size_bytes, process=number)


@pytest.mark.parametrize(
    ("size_bytes", "pages"), [(512, 1), (4096, 1), (8192, 2), (16384, 4), (65536, 4), (1 << 20, 4)]
)
def test_only_the_first_four_pages_of_a_call_cost_more(size_bytes, pages):
    expected = 1 / (1e-6 + pages * 0.2e-6 + size_bytes / 20e9)
    assert per_second(model_of(layer(), reads(size_bytes))) == pytest.approx(expected, rel=0.005)


def test_cores_are_shared_by_processes_and_no_more():
    alone = per_second(model_of(layer("2"), reads(65536)))
    assert per_second(model_of(layer("2"), reads(65536), 2)) == pytest.approx(2 * alone, rel=0.005)
    assert per_second(model_of(layer("2"), reads(65536), 16)) == pytest.approx(2 * alone, rel=0.005)


def test_a_write_has_costs_of_its_own_and_so_has_a_flush():
    assert per_second(model_of(layer(), lambda _: FileIO("write", 12000))) == pytest.approx(1 / 4e-6, rel=0.005)
    assert per_second(model_of(layer(), lambda _: FileIO("flush", 0))) == pytest.approx(1 / 0.2e-6, rel=0.005)


def test_engines_agree():
    assert engines_agree(model_of(layer("2"), reads(16384), 3))
