"""Prefetch of an array: a run comes as fast as so many pieces on their way at once allow."""

from __future__ import annotations

import pytest

from models.io import PagedIO
from models.parts.array_cache.prefetch import Prefetch
from sim import Cache, Closed, Delay, Lookup, Model, Sequential, Uniform, simulate
from sim.engine.events.compiled import CompiledEngine
from sim.engine.events.reference import ReferenceEngine

FETCH_S = 1e-3
CACHE = Cache("cache", 200)


def read(io):
    """From the cache, or in a millisecond."""
    return (Lookup(CACHE, io.addresses, miss=Delay(FETCH_S)),)


def run(clients=1, addresses=None):
    pages = addresses or Sequential(1_000_000)
    return PagedIO("read", 8192, pages, 1, sequential=True, stream="run", clients=clients)


def model(pieces, clients=1):
    prefetch, io = Prefetch(pieces), run(clients)
    load = Closed("load", clients=clients, path=(Delay(1e-6), *prefetch.path(io), *read(io)))
    return Model([load, prefetch.behind(io, read)])


@pytest.mark.parametrize(("pieces", "clients"), [(1, 1), (4, 1), (16, 1), (16, 8)])
def test_pieces_ahead_and_those_waited_for_are_on_their_way(pieces, clients):
    result = simulate(model(pieces, clients))
    assert result.groups["load"].throughput.value == pytest.approx((pieces + clients) / FETCH_S, rel=0.01)
    assert result.groups["load"].hit_ratio.value > 0.99


def test_a_reader_slower_than_the_fetching_never_waits():
    prefetch, io = Prefetch(8), run()
    load = Closed("load", clients=1, path=(Delay(2 * FETCH_S), *prefetch.path(io), *read(io)))
    result = simulate(Model([load, prefetch.behind(io, read)]))
    assert result.groups["load"].latency.p99.value == pytest.approx(2 * FETCH_S, rel=0.02)


def test_pages_evicted_before_their_read_are_fetched_again():
    """More ahead than the cache holds."""
    ratio = simulate(model(300)).groups["load"].hit_ratio
    assert ratio.value < 0.01


def test_prefetch_sees_runs_of_reads_only():
    assert Prefetch(4).sees(run())
    assert not Prefetch(4).sees(run(addresses=Uniform(100)))
    assert not Prefetch(0).sees(run())
    assert not Prefetch(4).sees(PagedIO("write", 8192, Sequential(9), 1, sequential=True, stream="w", clients=1))


def test_both_engines_agree():
    engines = [engine(model(5, 2), 3, record=True) for engine in (ReferenceEngine, CompiledEngine)]
    for engine in engines:
        engine.advance(100_000_000)
    assert len(engines[0].completions) > 100
    assert engines[0].completions == engines[1].completions
