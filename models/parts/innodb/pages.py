"""Pages of a buffer pool in the long run: which are missed, which are written, and why.

A page that gets a share p of all accesses, of which a share w change it, waits 1 / (w p) accesses for a change
that makes it dirty. It is written by the one that comes first:

    checkpoint   W accesses later, when the redo log needs the room of that change
    eviction     once it was not accessed for the age t of the pool, which takes (exp(p t) − 1) / p accesses
                 from any access on (the mean of a first gap of t between arrivals)

The time to eviction is taken as t and an exponential rest of mean r = (exp(p t) − 1) / p − t, which is exact for
rare pages and for popular ones. So a page is evicted dirty, and written, of its own pages and of an access:

    e = 1 − exp(−(W − t) / r), or 0 if W < t;    d = t + r e, or W if W < t        (1)
    writes = 1 / (1 / (w p) + d)        (2)

of which a share e is by eviction, and the rest by the checkpoint.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np

from models.popularity import Numbers, Popularity

EVER_READ = 0.99
"""Share of the data after which a pool that holds it all counts as full."""


@dataclass(frozen=True)
class Pool:
    """A buffer pool over its data, in the long run; all rates are for each access.

    Attributes:
        popularity: of the pages of the data.
        pages: pages of the pool.
        changed: share of accesses that change their page: w.
        window: accesses for which a page may stay dirty: W.
    """

    popularity: Popularity
    pages: float
    changed: float
    window: float

    @cached_property
    def missed(self) -> float:
        """Pages read."""
        return 1.0 - self.popularity.hit_ratio(self.pages)

    @cached_property
    def evicted_dirty(self) -> float:
        """Pages written as they leave the pool."""
        writes, evicted = self._written
        return float(writes @ evicted)

    @cached_property
    def checkpointed(self) -> float:
        """Pages written for the redo log to go on."""
        writes, evicted = self._written
        return float(writes @ (1.0 - evicted))

    def filling(self, rungs: int) -> list[tuple[float, float]]:
        """(level, share of accesses missed) while an empty pool fills up to each of ``rungs`` equal levels.

        A pool that has filled to L pages holds those of its last accesses, as an LRU pool of L pages does. Of data
        that fit, the last pages are never read: that takes for ever.
        """
        full = min(self.pages, EVER_READ * self.popularity.pages)
        levels = [full * rung / rungs for rung in range(rungs + 1)]
        ages = [self.popularity.age(level) for level in levels]
        return [
            (high, (high - low) / (until - since))
            for (low, high), (since, until) in zip(pairwise(levels), pairwise(ages), strict=True)
        ]

    @cached_property
    def _written(self) -> tuple[Numbers, Numbers]:
        """Equations 2 and 1 of each group of pages: writes of the group for each access, share by eviction."""
        pages, share = np.array(self.popularity.groups, dtype=np.float64).T
        each = share / pages
        stay = np.full(len(each), self.window)
        evicted = np.zeros(len(each))
        age = self.popularity.age(self.pages)
        if self.window > age:
            with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
                rest = np.expm1(each * age) / each - age
                evicted = -np.expm1(-(self.window - age) / rest)
                stay = age + np.where(np.isfinite(rest), rest * evicted, self.window - age)
        with np.errstate(divide="ignore"):
            return pages / (1.0 / (self.changed * each) + stay), evicted
