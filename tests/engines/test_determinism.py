"""A seed gives an equal run everywhere; names alone decide who draws what."""

from __future__ import annotations

import os
import subprocess
import sys
from itertools import chain, islice
from pathlib import Path

import numpy as np
import pytest

import sim.engine.events.random_streams
from sim import (
    Cache,
    Choose,
    Closed,
    Delay,
    Empirical,
    Erlang,
    Exponential,
    Gamma,
    Hold,
    Lognormal,
    Lookup,
    Model,
    Open,
    Poisson,
    Pool,
    Replayed,
    Sequential,
    Station,
    Uniform,
    Use,
    Zipf,
)
from sim.engine.events.compiled import CompiledEngine
from sim.engine.events.random_streams import Streams
from sim.engine.events.reference import ReferenceEngine

ENGINES = pytest.mark.parametrize("engine", [ReferenceEngine, CompiledEngine])

RUN = """
from sim import *
from sim.engine.events.compiled import CompiledEngine
from sim.engine.events.reference import ReferenceEngine
disk, net, log = Station("disk", 2), Station("net"), Lock("log")
times = [Exponential(2e-6), Gamma(1e-6, 0.5), Erlang(1e-6, 3), Lognormal(1e-6, 2.0), Empirical([1e-6, 3e-6])]
path = [
    Hold(log.shared, Use(disk, times[0]), Delay(times[1])),
    Lookup(Cache("pages", 7), Zipf(50, 0.8), hit=Use(net, times[2]), miss=Use(disk, times[3])),
    Choose((0.3, Hold(log.exclusive, Delay(times[4]))), (0.7, Fork(Use(net, 1e-6), Use(disk, 1e-6)))),
]
model = Model([
    Closed("users", clients=3, path=path, think=Exponential(1e-6)),
    Open("crowd", arrivals=Poisson(5e4), path=[Use(net, times[4])]),
])
for engine in (ReferenceEngine, CompiledEngine):
    run = engine(model, 11, record=True)
    run.advance(1_000_000)
    assert len(run.completions) > 100
    print([(each.workload, each.client, each.started_ns, each.ended_ns) for each in run.completions])
"""


def test_processes_and_hash_seeds_do_not_matter():
    runs = [
        subprocess.Popen(
            [sys.executable, "-c", RUN],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONHASHSEED": hash_seed},
            cwd=Path(__file__).parents[2],
        )
        for hash_seed in ("0", "1", "random")
    ]
    told = [run.communicate(timeout=50) for run in runs]
    assert [run.returncode for run in runs] == [0, 0, 0], told
    lines = [line for out, _ in told for line in out.splitlines()]
    assert len(lines) == 6
    assert len(set(lines)) == 1


def completions(engine, model, seed, until_ns=200_000):
    run = engine(model, seed, record=True)
    run.advance(until_ns)
    assert len(run.completions) > 20
    return run.completions


def of(workload, found):
    return [(each.started_ns, each.ended_ns) for each in found if each.workload == workload]


BUSY = Model([Closed("busy", clients=2, path=Use(Station("disk"), Exponential(1e-6)))])


@ENGINES
def test_every_seed_is_a_run_of_its_own(engine):
    found = [completions(engine, BUSY, seed) for seed in (0, 1, 2, 3, 2**40, 2**70)]
    assert completions(engine, BUSY, 0) == found[0]
    starts = {tuple(of("busy", each)[:5]) for each in found}
    assert len(starts) == len(found)


def first(stream, count=50):
    return list(islice(stream, count))


DISTRIBUTIONS = [
    Exponential(2.0),
    Gamma(1.0, 0.3),
    Gamma(1.0, 3.0),
    Erlang(1.0, 4),
    Lognormal(1.0, 0.7),
    Empirical([1.0, 2.0, 5.0]),
]
SOURCES = [Uniform(1000), Zipf(1000, 0.9), Sequential(700, 5), Replayed([3, 1, 4, 1, 5, 9])]


@pytest.mark.parametrize("distribution", DISTRIBUTIONS, ids=str)
def test_streams_depend_on_seed_and_owner_alone(distribution):
    alone = first(Streams(4).variates("disk", distribution))
    crowded = Streams(4)
    for owner in ("new", "renamed", "Disk", "disk "):
        assert first(crowded.variates(owner, distribution)) != alone
    first(crowded.uniforms("disk"))
    assert first(crowded.variates("disk", distribution)) == alone
    assert first(Streams(5).variates("disk", distribution)) != alone


def test_streams_of_choices_and_addresses_depend_on_the_owner():
    crowded = Streams(0)
    uniforms, addresses = first(crowded.uniforms("a")), first(crowded.addresses("a", Uniform(1000)))
    assert uniforms != first(crowded.uniforms("b"))
    assert addresses != first(crowded.addresses("b", Uniform(1000)))
    alone = Streams(0)
    assert first(alone.addresses("a", Uniform(1000))) == addresses
    assert first(alone.uniforms("a")) == uniforms
    assert first(Streams(1).uniforms("a")) != uniforms
    assert first(Streams(1).addresses("a", Uniform(1000))) != addresses


def test_a_stream_continues_and_a_changed_mean_keeps_it():
    streams = Streams(3)
    both = first(streams.variates("disk", Exponential(1.0)), 5) + first(
        streams.variates("disk", Exponential(9.0)), 5
    )
    assert both == first(Streams(3).variates("disk", Exponential(2.0)), 10)


@ENGINES
def test_a_station_keeps_its_times_if_others_change(engine):
    disk = Station("disk", 2)
    mine = Closed("mine", clients=3, path=[Use(disk, Exponential(1e-6)), Delay(Gamma(2e-6, 0.5))])

    def beside(*others):
        return of("mine", completions(engine, Model([*others, mine]), 5))

    def other(name, place):
        choice = Choose((0.5, Use(place, Exponential(1e-6))), (0.5, Delay(Exponential(1e-6))))
        return Closed(name, clients=2, path=[choice, Delay(1e-7)])

    alone = beside()
    assert beside(other("other", Station("net"))) == alone
    assert beside(other("other", Station("wire"))) == alone
    assert beside(other("other", Station("net")), other("a third", Station("bus"))) == alone
    # What is renamed itself draws something else.
    renamed = Closed("mine", clients=3, path=[Use(Station("disc", 2), Exponential(1e-6)), mine.path[1]])
    assert of("mine", completions(engine, Model([renamed]), 5)) != alone
    moved = Closed("ours", clients=3, path=mine.path)
    assert of("ours", completions(engine, Model([moved]), 5)) != alone


@ENGINES
def test_a_place_added_on_the_path_leaves_the_times_at_the_others_alone(engine):
    """One client, so requests differ by the added constant only."""
    time = Lognormal(1e-6, 1.0)

    def lengths(*added):
        path = [Use(Station("disk"), time), *added]
        found = completions(engine, Model([Closed("mine", clients=1, path=path)]), 5)
        return [each.ended_ns - each.started_ns for each in found][:40]

    plain = lengths()
    assert lengths(Hold(Pool("credits", 3), Use(Station("net"), 1e-6))) == [each + 1000 for each in plain]


@ENGINES
def test_branches_and_look_ups_depend_on_their_workload_alone(engine):
    def completed(name):
        look_up = Lookup(Cache("pages", 5), Uniform(10), hit=Delay(1e-7), miss=Delay(2e-6))
        path = [look_up, Choose((0.4, Delay(1e-6)), (0.6, Delay(3e-6)))]
        arrivals = Open("crowd", arrivals=Poisson(1e6), path=Delay(1e-6))
        model = Model([arrivals, Closed(name, clients=1, path=path)])
        found = completions(engine, model, 2)
        return of("crowd", found), of(name, found)

    (crowd, mine), (same_crowd, others) = completed("mine"), completed("others")
    assert crowd == same_crowd
    assert mine != others


BLOCKS = (64, 1000, 16384)
ENOUGH = 40_000


def in_blocks(draw, size):
    parts = []
    while len(parts) * size < ENOUGH:
        parts.append(draw(size))
    return np.concatenate(parts)[:ENOUGH]


@pytest.mark.parametrize("distribution", DISTRIBUTIONS, ids=str)
def test_the_size_of_a_block_does_not_change_the_times(distribution):
    found = []
    for size in BLOCKS:
        generator = Streams(9).generator("disk", distribution.standard)
        found.append(in_blocks(lambda count, to=generator: distribution.draw(to, count), size))
    assert (found[0] == found[1]).all()
    assert (found[0] == found[2]).all()
    assert len(np.unique(found[0])) > 2


@pytest.mark.parametrize("source", SOURCES, ids=str)
def test_the_size_of_a_block_does_not_change_the_addresses(source):
    found = []
    for size in BLOCKS:
        blocks = source.blocks(Streams(9).generator("users", repr(source)), size)
        found.append(list(islice(chain.from_iterable(each.tolist() for each in blocks), ENOUGH)))
    assert found[0] == found[1] == found[2]
    assert len(set(found[0])) > 4


@pytest.mark.parametrize("extent", [1, 2, 7, 1000, 100_000])
@pytest.mark.parametrize("exponent", [0.0, 0.9, 3.0, 20.0])
@pytest.mark.parametrize("bits", [3, 26])
def test_guide_table_of_any_size_equals_binary_search(extent, exponent, bits, monkeypatch):
    monkeypatch.setattr("sim.engine.model.addresses.MAX_CELLS_BITS", bits)
    drawn = Streams(9).generator("users", "zipf").random(20_000)
    weights = np.arange(1, extent + 1) ** -exponent
    sought = np.searchsorted(np.cumsum(weights) / weights.sum(), drawn, side="right")
    found = next(Zipf(extent, exponent).blocks(Streams(9).generator("users", "zipf"), 20_000))
    assert found.dtype == np.int64
    assert (found == np.minimum(sought, extent - 1)).all()


@pytest.mark.parametrize("size", [64, 1000, 16384])
def test_the_size_of_a_block_does_not_change_a_run(size, monkeypatch):
    path = [Use(Station("disk"), Exponential(1e-6)), Choose((0.5, Delay(Gamma(1e-6, 2.0))), (0.5, Delay(1e-6)))]
    model = Model([Closed("busy", clients=3, path=path)])
    expected = completions(ReferenceEngine, model, 1, 2_000_000)
    assert len(expected) > 1024  # more than a block
    monkeypatch.setattr(sim.engine.events.random_streams, "BLOCK", size)
    assert completions(ReferenceEngine, model, 1, 2_000_000) == expected
    monkeypatch.setattr("sim.engine.events.compiled.engine.LARGEST_BLOCK", size)
    assert completions(CompiledEngine, model, 1, 2_000_000) == expected
