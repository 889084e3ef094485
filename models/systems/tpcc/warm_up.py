"""A cold cache on a volume that limits I/Os: transactions and misses after a number of I/Os.

N transactions with a page accesses each have read as many pages as they touched, T(a N) (``models.popularity``,
equation 2), and made f other I/Os each. A volume that passes n I/Os has passed so many transactions, whenever:

    f N + T(a N) = n        (1)

So the number of transactions depends on the number of I/Os alone, and twice the rate does more than twice the work
in the same time: the cache is warm sooner. The published runs bear it out: MyRocks made 680,184 transactions in an
hour of 2,000 IOPS, and 677,268 in half an hour of 4,000.
"""

from __future__ import annotations

from dataclasses import dataclass

from models.popularity import Popularity


@dataclass(frozen=True)
class WarmUp:
    """From an empty cache that will hold all pages.

    Attributes:
        popularity: of the pages.
        accesses: of a transaction: a.
        others: I/Os of a transaction beside reads: f.
    """

    popularity: Popularity
    accesses: float
    others: float

    def transactions(self, ios: float) -> float:
        """N of equation 1; by bisection."""
        low, high = 0.0, ios / self.others
        while high - low > 1e-9 * high:
            middle = (low + high) / 2.0
            done = self.others * middle + self.popularity.touched(self.accesses * middle)
            low, high = (middle, high) if done < ios else (low, middle)
        return high

    def missed(self, first: float, last: float) -> float:
        """Share of page accesses that are read, between ``first`` and ``last`` I/Os."""
        since, until = self.transactions(first), self.transactions(last)
        read = self.popularity.touched(self.accesses * until) - self.popularity.touched(self.accesses * since)
        return read / (self.accesses * (until - since))


@dataclass(frozen=True)
class Volume:
    """I/Os that a volume passes; after a burst, if it has credits.

    Attributes:
        iops: sustained.
        burst: while credits last; at least ``iops``.
        credits: I/Os beyond the sustained ones.
    """

    iops: float
    burst: float
    credits: float = 0.0

    def passed(self, seconds: float) -> float:
        """I/Os in the first ``seconds``."""
        return min(self.burst * seconds, self.iops * seconds + self.credits)
