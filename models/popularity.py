"""Popularity of the pages of a database: misses of a pool that keeps the recent ones, pages touched by accesses.

Pages are independent, each with a share pᵢ of all accesses, and are kept as groups of equally popular ones: a
terabyte of pages takes as long as a thousand. A page of an LRU pool stays for the same number of accesses t after
its last one, whichever it is (Che, Tung and Wang, "Hierarchical web caching systems", IEEE JSAC 20, 2002):

    Σ 1 − exp(−pᵢ t) = pages of the pool,    hit ratio = Σ pᵢ (1 − exp(−pᵢ t))        (1)

Of n accesses, Σ 1 − (1 − pᵢ)ⁿ is the expected number of distinct pages.        (2)
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sim import ModelError

Numbers = NDArray[np.float64]

EXACT_RANKS = 1000
"""Ranks of Zipf's law that are groups of their own; later ones are grouped, each group this much longer."""
GROWTH = 1.02


@dataclass(frozen=True)
class Popularity:
    """Groups of equally popular pages.

    Attributes:
        groups: (pages, share of all accesses that go to the group); shares add up to 1.
    """

    groups: tuple[tuple[float, float], ...]

    def __post_init__(self) -> None:
        if not self.groups or any(pages < 1.0 or share <= 0.0 for pages, share in self.groups):
            raise ModelError("a popularity needs groups of at least one page, with shares above 0")
        total = math.fsum(share for _, share in self.groups)
        if not math.isclose(total, 1.0, rel_tol=1e-9):
            raise ModelError(f"shares of accesses add up to {total:g}; they must add up to 1")

    @property
    def pages(self) -> float:
        """Number of all pages."""
        return math.fsum(pages for pages, _ in self.groups)

    def age(self, pool_pages: float) -> float:
        """Accesses for which an LRU pool of ``pool_pages`` keeps a page since its last one: t of equation 1."""
        count, each = self._each()
        if pool_pages >= self.pages:
            return math.inf
        if pool_pages <= 0.0:
            return 0.0
        low, high = 0.0, pool_pages  # each access brings in one page at most, so t >= pages of the pool
        while -(count @ np.expm1(-each * high)) < pool_pages:
            low, high = high, 2.0 * high
        while high - low > 1e-12 * high:
            middle = (low + high) / 2.0
            low, high = (middle, high) if -(count @ np.expm1(-each * middle)) < pool_pages else (low, middle)
        return high

    def hit_ratio(self, pool_pages: float) -> float:
        """Share of accesses that an LRU pool of ``pool_pages`` serves: equation 1."""
        age = self.age(pool_pages)
        if math.isinf(age):
            return 1.0
        count, each = self._each()
        return float(-((count * each) @ np.expm1(-each * age)))

    def touched(self, accesses: float) -> float:
        """Expected number of distinct pages of ``accesses``: equation 2."""
        count, each = self._each()
        certain = each >= 1.0
        none_left = np.expm1(accesses * np.log1p(-np.where(certain, 0.0, each)))
        return float(-(count @ np.where(certain, -float(accesses > 0.0), none_left)))

    def _each(self) -> tuple[Numbers, Numbers]:
        """Pages of each group, and the share of one of them."""
        count, share = np.array(self.groups, dtype=np.float64).T
        return count, share / count


def uniform(pages: float) -> Popularity:
    """Each of ``pages`` equally likely."""
    return Popularity(((pages, 1.0),))


def zipf(pages: float, exponent: float) -> Popularity:
    """Page k of ``pages`` with probability ∝ 1 / k**exponent; sums of late ranks are integrals."""
    last = int(pages)
    exact = np.arange(1, min(last, EXACT_RANKS) + 1, dtype=np.float64)
    ends = [len(exact)]
    while ends[-1] < last:
        ends.append(min(last, math.ceil(ends[-1] * GROWTH)))
    edges = np.array(ends) + 0.5
    power = 1.0 - exponent
    summed = np.log(edges) if math.isclose(power, 0.0, abs_tol=1e-12) else edges**power / power
    weights = np.concatenate((exact**-exponent, np.diff(summed)))
    counts = np.concatenate((np.ones(len(exact)), np.diff(ends)))
    shares = weights / math.fsum(weights)
    return Popularity(tuple(zip(counts.tolist(), shares.tolist(), strict=True)))


def mixed(*parts: tuple[float, Popularity]) -> Popularity:
    """Pages apart, such as tables or hot sets: (share of all accesses, their popularity among themselves)."""
    return Popularity(tuple((pages, part * share) for part, of in parts for pages, share in of.groups))
