"""Popularity of pages: closed forms, and LRU pools simulated access by access."""

from __future__ import annotations

import math
from collections import OrderedDict

import numpy as np
import pytest

from models.popularity import Popularity, mixed, uniform, zipf
from sim import ModelError

HOT = mixed((0.8, uniform(20)), (0.15, zipf(80, 0.9)), (0.05, uniform(400)))
POPULARITIES = {"uniform": uniform(300), "zipf": zipf(500, 1.1), "hot sets": HOT}


def drawn(popularity: Popularity, accesses: int, seed: int = 7) -> list[int]:
    each = np.concatenate([np.full(int(pages), share / pages) for pages, share in popularity.groups])
    pages: list[int] = np.random.default_rng(seed).choice(len(each), accesses, p=each / each.sum()).tolist()
    return pages


def simulated_hits(pages: list[int], pool: int) -> float:
    kept: OrderedDict[int, None] = OrderedDict()
    hits = 0
    for number, page in enumerate(pages):
        if page in kept:
            hits += number >= len(pages) // 5
            kept.move_to_end(page)
        elif len(kept) == pool:
            kept.popitem(last=False)
        kept[page] = None
    return hits / (len(pages) - len(pages) // 5)


@pytest.mark.parametrize("name", POPULARITIES)
@pytest.mark.parametrize("pool", [20, 60, 150])
def test_a_simulated_lru_pool_has_the_hit_ratio_of_ches_formula(name: str, pool: int) -> None:
    simulated = simulated_hits(drawn(POPULARITIES[name], 40_000), pool)
    assert POPULARITIES[name].hit_ratio(pool) == pytest.approx(simulated, abs=0.015)


@pytest.mark.parametrize("name", POPULARITIES)
@pytest.mark.parametrize("accesses", [1, 30, 500])
def test_drawn_accesses_touch_the_expected_number_of_pages(name: str, accesses: int) -> None:
    counted = [len(set(drawn(POPULARITIES[name], accesses, seed))) for seed in range(40)]
    assert POPULARITIES[name].touched(accesses) == pytest.approx(np.mean(counted), rel=0.03)


def test_a_pool_hits_its_share_of_equally_popular_pages() -> None:
    assert uniform(1e9).hit_ratio(0.25e9) == pytest.approx(0.25)
    assert uniform(1e9).age(0.25e9) == pytest.approx(1e9 * math.log(4 / 3))


def test_accesses_to_equally_popular_pages_touch_them_as_balls_hit_bins() -> None:
    assert uniform(10).touched(1) == pytest.approx(1.0)
    assert uniform(10).touched(5) == pytest.approx(10 * (1 - 0.9**5))
    assert uniform(1).touched(3) == 1.0
    assert uniform(1).touched(0) == 0.0


def test_a_pool_as_large_as_the_pages_misses_none_and_an_empty_one_all() -> None:
    assert HOT.hit_ratio(500) == 1.0
    assert HOT.hit_ratio(0) == 0.0


def test_grouped_ranks_of_zipfs_law_are_those_of_each_rank() -> None:
    for exponent in (0.0, 0.7, 1.0, 1.3):
        weights = np.arange(1.0, 200_001.0) ** -exponent
        each = Popularity(tuple((1.0, share) for share in (weights / weights.sum()).tolist()))
        for pool in (500, 5_000, 50_000):
            assert zipf(200_000, exponent).hit_ratio(pool) == pytest.approx(each.hit_ratio(pool), abs=2e-5)
            assert zipf(200_000, exponent).touched(pool) == pytest.approx(each.touched(pool), rel=1e-4)


def test_shares_that_do_not_add_up_are_refused() -> None:
    with pytest.raises(ModelError, match=r"add up to 0\.9"):
        mixed((0.5, uniform(10)), (0.4, uniform(10)))
    with pytest.raises(ModelError, match="at least one page"):
        uniform(0)
