"""The kind ``array cache``: hits by the policy, writes behind, runs that are fetched ahead, batteries."""

from __future__ import annotations

import pytest

from layers import Below, engines_agree, layer_of, model_of, per_second
from models.io import FileIO
from models.parts.array_cache.kind import ArrayCache
from sim import InputError, Station, Use

PAGE = 8192
CALL_S = 50e-6
DISK_S = 5e-3
MEMORY = {"memory": "1MiB", "data": "4MiB"}


class Disk:
    """One I/O at a time, whatever its size."""

    def path(self, _io):
        return (Use(Station("disk"), DISK_S),)


def at_random(op, **more):
    return lambda number: FileIO(op, PAGE, process=number, **more)


def array(**fields):
    return layer_of(ArrayCache, Disk(), **{**MEMORY, **fields})


def test_a_quarter_of_uniform_reads_hits_a_cache_of_a_quarter_of_the_data():
    """LRU keeps any quarter; the rest waits for the only disk."""
    rate = per_second(model_of(array(), at_random("read"), 16), precision=0.02)
    assert rate == pytest.approx(1 / DISK_S / (1 - 1 / 4), rel=0.03)


def test_a_skewed_load_hits_more_often():
    plain, skewed = (per_second(model_of(array(skew=skew), at_random("read"), 16)) for skew in (0.0, 1.0))
    assert skewed > 1.5 * plain


def test_sustained_writes_have_the_rate_of_the_disk_except_for_dirty_pages():
    """Dirty for certain are 60 % of 40 % of 128 pages, of 512: a write of one of them costs nothing."""
    rate = per_second(model_of(array(), at_random("write"), 16), precision=0.02)
    assert rate == pytest.approx(1 / DISK_S / (1 - int(51 * 0.6) / 512), rel=0.03)


def test_without_batteries_a_write_waits_for_the_disk():
    rate = per_second(model_of(array(battery="no"), at_random("write")))
    assert rate == pytest.approx(1 / (CALL_S + DISK_S), rel=0.01)


def test_with_batteries_a_write_that_finds_room_takes_the_controller_only():
    model = model_of(layer_of(ArrayCache, Below(1e-3), memory="1GiB"), at_random("write"))
    assert per_second(model) == pytest.approx(1 / CALL_S, rel=0.05)


def test_sequential_reads_come_from_prefetched_data():
    """128 pieces ahead, each of 1 ms: the controllers are what takes time."""
    run = lambda number: FileIO("read", PAGE, process=number, sequential=True)  # noqa: E731
    ahead, none = (
        per_second(model_of(layer_of(ArrayCache, Below(1e-3), memory="64MiB", ahead=size), run))
        for size in ("1MiB", "0B")
    )
    assert ahead == pytest.approx(1 / CALL_S, rel=0.02)
    assert none == pytest.approx(1 / (CALL_S + 1e-3), rel=0.02)


def test_pages_of_a_write_leave_memory_in_chunks():
    """13 pages in chunks of 64 KiB: as many leave as came."""
    layer = layer_of(ArrayCache, Below(1e-4), memory="2MiB", data="4MiB")
    odd = lambda number: FileIO("write", 100 * 1024, process=number)  # noqa: E731
    assert per_second(model_of(layer, odd, 4)) > 100


def test_a_write_larger_than_memory_is_refused():
    with pytest.raises(InputError, match="a write of 128KiB finds no room above the high watermark of 408KiB"):
        array().path(FileIO("write", 128 * 1024))


def test_a_flush_is_free():
    assert array().path(FileIO("flush", 0)) == ()


def test_swapped_watermarks_are_refused():
    with pytest.raises(InputError, match="the low watermark lies below the other"):
        array(low=0.9)


@pytest.mark.parametrize("op", ["read", "write"])
def test_the_engines_agree(op):
    assert engines_agree(model_of(array(), at_random(op), 4), (10**7, 10**9))
