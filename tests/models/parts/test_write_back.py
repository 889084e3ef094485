"""Write-back of an array: a page that is written again while it is dirty goes to the disks once."""

from __future__ import annotations

import pytest

from models.io import PagedIO
from models.parts.array_cache.write_back import WriteBack
from sim import Closed, Delay, Model, Replayed, Sequential, Station, Uniform, Use, simulate
from sim.engine.events.compiled import CompiledEngine
from sim.engine.events.reference import ReferenceEngine

PAGE, DISK_S = 8192, 1e-3
DISK = Station("disk")


def written(size_bytes):
    """The disk, for as long whatever the size."""
    assert size_bytes % PAGE == 0
    return (Use(DISK, DISK_S),)


def memory(pages=100):
    return WriteBack.of(pages, low=0.6, high=0.8, destagers=4, chunk_bytes=8 * PAGE)


def model(addresses, *, pages=1, clients=4, room=100):
    write_back = memory(room)
    io = PagedIO("write", pages * PAGE, addresses, pages, pages > 1, stream="writes", clients=clients)
    load = Closed("load", clients=clients, path=(Delay(1e-5), *write_back.path(io)))
    return Model([load, write_back.behind(io, written)])


def per_second(addresses, **settings):
    return simulate(model(addresses, **settings)).groups["load"].throughput.value


def test_pages_that_are_never_written_again_go_at_the_speed_of_the_disk():
    assert per_second(Sequential(1000)) == pytest.approx(1 / DISK_S, rel=0.01)


@pytest.mark.parametrize("extent", [75, 120, 600])
def test_pages_written_last_are_dirty_for_certain_and_written_once(extent):
    """Of ``extent`` pages written at random the 60 of the low watermark are dirty; others cost a disk access."""
    assert per_second(Uniform(extent)) == pytest.approx(1 / DISK_S / (1 - 60 / extent), rel=0.03)


def test_a_few_pages_written_again_and_again_never_wait_for_the_disk():
    result = simulate(model(Replayed(range(50))))
    assert result.groups["load"].throughput.value == pytest.approx(4 / 1e-5, rel=0.01)
    assert result.places["disk"].utilisation < 0.01


def test_a_run_is_destaged_in_chunks():
    """16 pages are two chunks of eight."""
    assert per_second(Sequential(1600), pages=16, room=320) == pytest.approx(1 / DISK_S / 2, rel=0.01)


def test_without_the_page_being_dirty_any_more_nothing_coalesces():
    """In turn, one page more than are dirty for certain: each is gone when it is written again."""
    assert per_second(Sequential(61)) == pytest.approx(1 / DISK_S, rel=0.01)
    assert per_second(Sequential(60)) > 100 / DISK_S


def test_both_engines_agree():
    engines = [engine(model(Uniform(120)), 3, record=True) for engine in (ReferenceEngine, CompiledEngine)]
    for engine in engines:
        engine.advance(300_000_000)
    assert len(engines[0].completions) > 100
    assert engines[0].completions == engines[1].completions
