"""A cache that fills from cold: hit ratios over time by closed form, and against look-ups in a simulated cache."""

from __future__ import annotations

import numpy as np
import pytest

from layers import Below, engines_agree, layer_of, model_of
from models.io import FileIO
from models.parts.page_cache.cache import PageCache
from sim import Cache, Closed, Delay, Lookup, Model, Uniform, Zipf
from sim.engine.simulation.over_time import over_time

MIB = 1 << 20
MISS_S, HIT_S = 1e-4, 1e-6
"""Times of reads of 4 KiB."""


def reading(*, sequential=False, below=None, **fields):
    fields = {"call": "1us", "copy": "unlimited", "wake": "0us", "read_ahead": "4KiB"} | fields
    layer = layer_of(PageCache, below or Below(MISS_S), **fields)
    return model_of(layer, lambda _: FileIO("read", 4096, sequential=sequential))


def hits(answer):
    """Hit ratio in each part, from the mean time of its reads."""
    return 1.0 - (answer.latencies_s - HIT_S) / MISS_S


def test_uniform_reads_fill_by_an_exponential_law():
    """After n reads of N blocks the share 1 - exp(-n / N) is in memory."""
    blocks = 256 * MIB // 4096
    answer = over_time(reading(data="256MiB"), 20.0, resolution_s=0.5)
    reads = np.concatenate([[0.0], np.cumsum(answer.rates) * 0.5])
    expected = 1.0 - np.exp(-reads / blocks)
    early = reads < 3 * blocks
    assert answer.levels["pagecache data"][early] / blocks == pytest.approx(expected[early], abs=0.02)
    assert hits(answer)[-1] == pytest.approx(1.0, abs=1e-3)


@pytest.mark.parametrize(("exponent", "memory"), [(0.0, 64), (0.0, 200), (0.9, 64), (0.9, 16), (1.2, 32)])
def test_hits_are_those_of_a_simulated_cache(exponent, memory):
    blocks = 256 * MIB // 4096
    addresses = Zipf(blocks, exponent) if exponent else Uniform(blocks)
    cache = Cache("cache", memory * MIB // 4096)
    look_up = Lookup(cache, addresses, hit=Delay(HIT_S), miss=Delay(HIT_S + MISS_S))
    true = over_time(Model([Closed("reader", 1, [look_up])]), 40.0, resolution_s=1.0)
    answer = over_time(reading(data="256MiB", memory=f"{memory}MiB", zipf=exponent), 40.0, resolution_s=1.0)
    assert hits(answer) == pytest.approx(hits(true), abs=0.03)
    assert hits(answer)[-5:].mean() == pytest.approx(hits(true)[-5:].mean(), abs=0.01)


@pytest.mark.parametrize(("memory", "warm"), [(0, 1.0), (64, 1.0), (63, 0.0)])
def test_sequential_passes_hit_all_or_nothing(memory, warm):
    answer = over_time(reading(sequential=True, data="64MiB", memory=f"{memory}MiB"), 10.0, resolution_s=0.25)
    cold_s = 64 * MIB / 4096 * (MISS_S + HIT_S)
    assert hits(answer)[0] == pytest.approx(0.0, abs=0.02)
    assert hits(answer)[int(cold_s / 0.25) + 2 :] == pytest.approx(warm, abs=0.02)


def test_full_memory_costs_the_freeing_of_pages():
    free, costly = (
        over_time(reading(data="256MiB", memory="16MiB", reclaim=cost), 20.0) for cost in ("0us", "50us")
    )
    misses = 1.0 - 16 / 256
    times = [1.0 / each.rates[-50:].mean() for each in (free, costly)]
    assert times[1] - times[0] == pytest.approx(misses * 50e-6, rel=0.02)


def test_share_in_memory_at_the_start():
    answer = over_time(reading(data="256MiB", resident=0.5), 1.0, resolution_s=0.2)
    assert hits(answer)[0] == pytest.approx(0.5, abs=0.04)


def test_engines_agree():
    assert engines_agree(reading(data="1MiB", memory="512KiB", zipf=0.8, reclaim="1us"))
