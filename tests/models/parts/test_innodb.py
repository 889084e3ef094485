"""InnoDB: misses and writes of pages against a pool simulated access by access, redo and flushing by value."""

from __future__ import annotations

from collections import OrderedDict

import numpy as np
import pytest

from layers import Below, engines_agree, layer_of, made, model_of, per_second
from models.io import FileIO
from models.parts.innodb.innodb import InnoDB
from models.parts.innodb.pages import Pool
from models.popularity import mixed, uniform, zipf
from models.tpcc import ACCESSES, nurand, tpcc
from sim import Delay, InputError, Model, Station, Use, over_time

GIB = 1 << 30
POPULARITIES = {
    "uniform": uniform(300),
    "zipf": zipf(500, 1.0),
    "hot": mixed((0.8, uniform(20)), (0.2, uniform(480))),
}


def replayed(popularity, pool, changed, window, accesses=60_000):
    """Misses, dirty evictions and writes for a checkpoint, for each access to such a pool."""
    each = np.concatenate([np.full(int(pages), share / pages) for pages, share in popularity.groups])
    draw = np.random.default_rng(3)
    pages = draw.choice(len(each), accesses, p=each / each.sum()).tolist()
    changes = (draw.random(accesses) < changed).tolist()
    kept, dirty, counts = OrderedDict(), OrderedDict(), np.zeros(3)
    for now, (page, change) in enumerate(zip(pages, changes, strict=True)):
        if now == accesses // 4:
            counts[:] = 0.0
        while dirty and now - next(iter(dirty.values())) >= window:
            dirty.popitem(last=False)
            counts[2] += 1
        if page not in kept:
            counts[0] += 1
            if len(kept) == pool:
                counts[1] += dirty.pop(kept.popitem(last=False)[0], None) is not None
        kept[page] = None
        kept.move_to_end(page)
        if change:
            dirty.setdefault(page, now)
    return counts / (accesses - accesses // 4)


@pytest.mark.parametrize("name", POPULARITIES)
@pytest.mark.parametrize("pages", [60, 200])
@pytest.mark.parametrize("window", [50, 1000, 5000])
def test_a_replayed_pool_misses_and_writes_as_the_closed_form(name, pages, window):
    pool = Pool(POPULARITIES[name], pages, 0.4, window)
    expected = (pool.missed, pool.evicted_dirty, pool.checkpointed)
    assert expected == pytest.approx(replayed(POPULARITIES[name], pages, 0.4, window), abs=0.013)


def test_a_filling_pool_has_read_as_many_pages_as_it_holds():
    pool = Pool(uniform(1000), 600, 0.5, 1e4)
    accesses = sum(60 / missed for _, missed in pool.filling(10))
    assert accesses == pytest.approx(uniform(1000).age(600))


def test_a_page_changed_often_is_written_once_a_window():
    pool = Pool(uniform(10), 10, 1.0, 1e6)
    assert pool.missed == 0.0
    assert pool.checkpointed == pytest.approx(10 / 1e6, rel=1e-4)


def transaction(number=0):
    return FileIO("write", 512, process=number, processes=8, durable="data")


@pytest.mark.parametrize(
    "fields", [{}, {"start": "cold"}, {"start": "empty-log"}, {"doublewrite": False}, {"popular": "tpcc"}]
)
def test_engines_agree(fields):
    layer = layer_of(InnoDB, data=GIB, pool=GIB // 4, redo_capacity=8 << 20, batch=8, **fields)
    assert engines_agree(model_of(layer, transaction, 8))


def test_a_transaction_waits_for_each_page_that_it_misses_and_for_its_commit():
    layer = layer_of(InnoDB, popular="uniform", data=GIB, pool=GIB // 4, accesses=4, changed=0.001)
    assert per_second(model_of(layer, transaction), precision=0.01) == pytest.approx(
        1 / 4e-3, rel=0.02
    )  # 3 of 4, and a commit


class Written(Below):
    """As `Below`, for one page write at a time."""

    def path(self, io):
        self.seen.append(io)
        return (Use(Station("device"), 1e-3),) if io.op == "write" and io.durable == "no" else (Delay(0.0),)


def test_each_page_is_written_once_more_as_part_of_a_batch():
    """All of 16 accesses change a page of their own: 16 writes of 1 ms, and for each eight one of all."""
    fields = {"popular": "uniform", "data": 1 << 40, "pool": 1 << 40, "accesses": 16, "changed": 1.0, "batch": 8}
    rates = {
        doublewrite: per_second(
            model_of(
                layer_of(InnoDB, Written(), doublewrite=doublewrite, io_capacity_max=1e6, **fields), transaction, 8
            ),
            precision=0.02,
        )
        for doublewrite in (False, True)
    }
    pages = made(InnoDB, **fields).written[1]
    assert rates[False] == pytest.approx(1000 / pages, rel=0.04)
    assert rates[True] == pytest.approx(1000 / (pages * 9 / 8), rel=0.04)


def test_an_empty_redo_log_gives_a_burst_until_it_is_full():
    """Eight sessions of 1 ms make 8,000 a second; the device takes 1,000 pages a second, and each changes one."""
    fields = {
        "popular": "uniform",
        "data": 1 << 40,
        "pool": 1 << 40,
        "accesses": 1,
        "changed": 1.0,
        "doublewrite": False,
    }
    kind = {**fields, "redo": 1024, "redo_capacity": 256 << 20, "io_capacity_max": 1e6, "batch": 16}
    layer = layer_of(InnoDB, OneMillisecond(), start="empty-log", **kind)
    answer = over_time(model_of(layer, transaction, 8), 200.0)
    room = 15 / 16 * (256 << 20) / 1024
    assert answer.burst.end_s == pytest.approx(room / (8000 - 1000), rel=0.1)
    assert answer.burst.rate == pytest.approx(8000, rel=0.02)
    assert answer.sustained == pytest.approx(1000, rel=0.03)


class OneMillisecond(Written):
    """Page writes one at a time; a commit beside them."""

    def path(self, io):
        return (Delay(1e-3),) if io.durable != "no" and io.op == "write" else super().path(io)


def test_a_cold_pool_reads_every_page_once():
    """A pool as large as the data: after n accesses of equally popular pages a share exp(−n / pages) is missed."""
    layer = layer_of(InnoDB, popular="uniform", data=GIB, pool=GIB, accesses=1, changed=0.001, start="cold")
    answer = over_time(model_of(layer, transaction, 8), 60.0)
    pages = GIB // 16384
    read = answer.levels["innodb pages in the pool"]
    done = np.concatenate(([0.0], np.cumsum(answer.rates) * answer.resolution_s))
    assert read[1:] == pytest.approx(pages * -np.expm1(-done[1:] / pages), rel=0.06)
    assert answer.rates[-1] == pytest.approx(8000, rel=0.03)
    assert answer.rates[0] == pytest.approx(4000, rel=0.1)


def test_nurand_draws_as_the_specification_says():
    draw = np.random.default_rng(1)
    drawn = (draw.integers(0, 1024, 10**6) | draw.integers(1, 3001, 10**6)) - 1
    counted = np.bincount(drawn % 3000, minlength=3000) / 1e6
    assert np.abs(np.cumsum(nurand(1023, 3000)) - np.cumsum(counted)).max() < 0.003


def test_pages_of_tpcc_fill_the_data_but_for_tables_that_are_not_read():
    pages = tpcc(100 * 10**9, 16384)
    assert 0.85 < pages.pages * 16384 / 100e9 < 1.0
    assert sum(ACCESSES.values()) == pytest.approx(22.49, abs=0.01)


def test_smaller_pages_keep_more_of_the_popular_rows():
    small, large = (tpcc(100 * 10**9, page).hit_ratio(20e9 / page) for page in (4096, 16384))
    assert small > large + 0.03


def test_a_pool_without_room_is_refused():
    with pytest.raises(InputError, match=r"pool is 1048576 bytes; allowed: at least 64 pages, 4194304 bytes"):
        layer_of(InnoDB, pool=1 << 20, page=65536)


def test_reads_pass_through():
    below = Below()
    layer = layer_of(InnoDB, below)
    assert model_of(layer, lambda _number: FileIO("read", 4096))
    assert below.seen == [FileIO("read", 4096)]
    assert isinstance(model_of(layer, transaction), Model)
