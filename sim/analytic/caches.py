"""Hit ratios of caches, without simulating look-ups.

Che's approximation: a block stays for the same *characteristic time* whichever it is, so that with LRU it is
found if it was asked for within that time, and with FIFO with probability a / (1 + a) of a asked within it. Che,
Tung and Wang, "Hierarchical web caching systems", IEEE JSAC 20 (2002); for FIFO, Martina, Garetto and Leonardi, "A
unified approach to the performance analysis of caching systems", INFOCOM 2014. Addresses that come in a fixed
order are followed exactly through the order, once the cache is warm.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from sim.analytic.stations import Chain
from sim.errors import ModelError
from sim.model.addresses import AddressSource, Replayed, Sequential, Uniform, Zipf
from sim.model.places import Cache

Shares = NDArray[np.float64]

POLICIES = ("lru", "fifo")
"""Of which hit ratios are known."""

MOST_LOOKUPS = 1_000_000
"""Look-ups up to which the rounds of a fixed order are followed, three at least."""


@dataclass(eq=False)
class Hits:
    """One cache: who looks up in it, from which addresses, and the hit ratio of each source.

    Attributes:
        lookups: of each source, who and how often in a walk.
        ratios: hits a look-up of each source.
    """

    cache: Cache
    lookups: dict[AddressSource, list[tuple[Chain, float]]] = field(default_factory=dict)
    ratios: dict[AddressSource, float] = field(default_factory=dict)

    def ratio(self, source: AddressSource) -> float:
        """The hit ratio of ``source``; a first guess if it is new."""
        if source not in self.ratios:
            self.ratios[source] = _alone(self.cache, source)
        return self.ratios[source]

    def update(self) -> float:
        """Hit ratios for the present throughputs; returns by how much one changed at most."""
        if len(self.lookups) == 1:
            return 0.0
        shuffled = [each for each in self.lookups if isinstance(each, Uniform | Zipf)]
        if len(shuffled) < len(self.lookups):
            raise ModelError(
                f"{self.cache} is looked up in with a fixed order of addresses beside other addresses; the "
                "analytic engine cannot tell its hit ratio: simulate, or give each a cache of its own"
            )
        rates = [
            sum(who.throughput * who.copies * often for who, often in self.lookups[each]) for each in shuffled
        ]
        found = dict[AddressSource, float](zip(shuffled, _che(self.cache, shuffled, rates), strict=True))
        change = max(abs(found[each] - self.ratios[each]) for each in shuffled)
        self.ratios.update(found)
        return change


def _alone(cache: Cache, source: AddressSource) -> float:
    return _che(cache, [source], [1.0])[0] if isinstance(source, Uniform | Zipf) else _in_order(cache, source)


def popularity(source: Uniform | Zipf) -> Shares:
    """Share of look-ups of each block, shape (extent,)."""
    exponent = source.exponent if isinstance(source, Zipf) else 0.0
    weights = np.arange(1, source.extent + 1, dtype=np.float64) ** -exponent
    return np.asarray(weights / weights.sum())


def _che(cache: Cache, sources: Sequence[Uniform | Zipf], rates: list[float]) -> list[float]:
    each = [popularity(source) for source in sources]
    asked: Shares = np.zeros(max(map(len, each)))
    for rate, shares in zip(rates, each, strict=True):
        asked[: len(shares)] += rate * shares
    if np.count_nonzero(asked) <= cache.capacity:
        return [1.0] * len(sources)
    found = _found(cache, asked, _characteristic_time(cache, asked))
    return [float(shares @ found[: len(shares)]) for shares in each]


def _found(cache: Cache, asked: Shares, time: float) -> Shares:
    """Probability that each block is in the cache."""
    if cache.policy == "lru":
        return np.asarray(-np.expm1(-asked * time))
    return np.asarray(asked * time / (1.0 + asked * time))


def _characteristic_time(cache: Cache, asked: Shares) -> float:
    """The time for which as many blocks are found as the cache holds; by bisection on its logarithm."""
    low = high = cache.capacity / float(asked.sum())
    while _found(cache, asked, high).sum() < cache.capacity:
        high *= 2.0
    for _ in range(60):
        middle = (low * high) ** 0.5
        low, high = (middle, high) if _found(cache, asked, middle).sum() < cache.capacity else (low, middle)
        if high / low < 1.0 + 1e-10:
            break
    return high


def _in_order(cache: Cache, source: AddressSource) -> float:
    """Hits of a fixed order that begins again and again, once the cache is warm."""
    match source:
        case Sequential():
            return float(source.extent <= cache.capacity)
        case Replayed():
            return _over_rounds(cache, source.addresses)
    raise ModelError(
        f"{cache} is given addresses {source!r}, of which the analytic engine knows nothing; simulate"
    )


def _over_rounds(cache: Cache, addresses: Sequence[int]) -> float:
    """Hits a look-up over the rounds until the cache is as it was: with FIFO these may be many."""
    kept: OrderedDict[int, None] = OrderedDict()
    began: dict[tuple[int, ...], int] = {}
    hits: list[int] = []
    while tuple(kept) not in began and len(hits) < max(MOST_LOOKUPS // len(addresses), 3):
        began[tuple(kept)] = len(hits)
        hits.append(_round(cache, kept, addresses))
    warm = hits[began.get(tuple(kept), 1) :]
    return sum(warm) / len(warm) / len(addresses)


def _round(cache: Cache, kept: OrderedDict[int, None], addresses: Iterable[int]) -> int:
    hits = 0
    for address in addresses:
        if address in kept:
            hits += 1
            if cache.policy == "lru":
                kept.move_to_end(address)
            continue
        if len(kept) == cache.capacity:
            kept.popitem(last=False)
        kept[address] = None
    return hits
