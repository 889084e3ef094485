"""Hit ratios of caches, without simulating look-ups.

Che's approximation: every block stays for the same *characteristic time* t after it was brought in (FIFO) or last
looked up (LRU). Block i is looked up λᵢ times a second and found with probability hᵢ:

    Σ hᵢ(t) = capacity,    hᵢ(t) = 1 - exp(-λᵢ t) with LRU,    hᵢ(t) = λᵢ t / (1 + λᵢ t) with FIFO        (28)

Che, Tung and Wang, "Hierarchical web caching systems", IEEE JSAC 20 (2002); for FIFO, Martina, Garetto and
Leonardi, "A unified approach to the performance analysis of caching systems", INFOCOM 2014. Addresses in a fixed
order are followed exactly, once the cache is warm.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from sim.engine.analytic.stations import Chain
from sim.engine.errors import ModelError
from sim.engine.model.addresses import AddressSource, Replayed, Sequential, Uniform, Zipf
from sim.engine.model.places import Cache

Shares = NDArray[np.float64]

POLICIES = ("lru", "fifo")
"""Policies with known hit ratios."""

MAX_LOOKUPS = 1_000_000
"""Largest number of look-ups in simulated rounds of a fixed order; at least three rounds are simulated."""


@dataclass(eq=False)
class Hits:
    """One cache: its chains, and the hit ratio of each address source.

    Attributes:
        lookups: for each source, chains and their look-ups per request.
        ratios: hits per look-up of each source.
    """

    cache: Cache
    lookups: dict[AddressSource, list[tuple[Chain, float]]] = field(default_factory=dict)
    ratios: dict[AddressSource, float] = field(default_factory=dict)

    def ratio(self, source: AddressSource) -> float:
        """Hit ratio of ``source``; a new source is taken to be alone."""
        if source not in self.ratios:
            self.ratios[source] = _alone(self.cache, source)
        return self.ratios[source]

    def update(self) -> float:
        """Update the hit ratios to the present throughputs; return the largest change."""
        if len(self.lookups) == 1:
            return 0.0
        shuffled = [source for source in self.lookups if isinstance(source, Uniform | Zipf)]
        if len(shuffled) < len(self.lookups):
            raise ModelError(
                f"{self.cache} is looked up in with a fixed order of addresses beside other addresses; the "
                "analytic engine cannot tell its hit ratio: simulate, or give each a cache of its own"
            )
        rates = [
            sum(chain.throughput * chain.copies * lookups for chain, lookups in self.lookups[source])
            for source in shuffled
        ]
        ratios = dict[AddressSource, float](zip(shuffled, _che(self.cache, shuffled, rates), strict=True))
        change = max(abs(ratios[source] - self.ratios[source]) for source in shuffled)
        self.ratios.update(ratios)
        return change


def _alone(cache: Cache, source: AddressSource) -> float:
    return _che(cache, [source], [1.0])[0] if isinstance(source, Uniform | Zipf) else _in_order(cache, source)


def popularity(source: Uniform | Zipf) -> Shares:
    """Share of look-ups of each block, shape (extent,)."""
    exponent = source.exponent if isinstance(source, Zipf) else 0.0
    weights = np.arange(1, source.extent + 1, dtype=np.float64) ** -exponent
    return np.asarray(weights / weights.sum())


def _che(cache: Cache, sources: Sequence[Uniform | Zipf], rates: list[float]) -> list[float]:
    """Hit ratio of each of ``sources``, by look-ups per second: equation 28."""
    popularities = [popularity(source) for source in sources]
    lookups: Shares = np.zeros(max(map(len, popularities)))
    for rate, shares in zip(rates, popularities, strict=True):
        lookups[: len(shares)] += rate * shares
    if np.count_nonzero(lookups) <= cache.capacity:
        return [1.0] * len(sources)
    resident = _resident(cache, lookups, _characteristic_time(cache, lookups))
    return [float(shares @ resident[: len(shares)]) for shares in popularities]


def _resident(cache: Cache, lookups: Shares, time_s: float) -> Shares:
    """Probability that each block is in the cache; ``lookups`` are per second, shape (extent,)."""
    if cache.policy == "lru":
        return np.asarray(-np.expm1(-lookups * time_s))
    return np.asarray(lookups * time_s / (1.0 + lookups * time_s))


def _characteristic_time(cache: Cache, lookups: Shares) -> float:
    """The time at which the expected number of resident blocks is the capacity; by bisection on its logarithm."""
    low = high = cache.capacity / float(lookups.sum())
    while _resident(cache, lookups, high).sum() < cache.capacity:
        high *= 2.0
    for _ in range(60):
        middle = (low * high) ** 0.5
        low, high = (middle, high) if _resident(cache, lookups, middle).sum() < cache.capacity else (low, middle)
        if high / low < 1.0 + 1e-10:
            break
    return high


def _in_order(cache: Cache, source: AddressSource) -> float:
    """Hit ratio of a fixed order that is repeated endlessly, once the cache is warm."""
    match source:
        case Sequential():
            return float(source.extent <= cache.capacity)
        case Replayed():
            return _over_rounds(cache, source.addresses)
    raise ModelError(
        f"{cache} is given addresses {source!r}, of which the analytic engine knows nothing; simulate"
    )


def _over_rounds(cache: Cache, addresses: Sequence[int]) -> float:
    """Hits per look-up over the rounds until the cache's state recurs; with FIFO these can be many."""
    resident: OrderedDict[int, None] = OrderedDict()
    began: dict[tuple[int, ...], int] = {}
    hits: list[int] = []
    while tuple(resident) not in began and len(hits) < max(MAX_LOOKUPS // len(addresses), 3):
        began[tuple(resident)] = len(hits)
        hits.append(_round(cache, resident, addresses))
    warm = hits[began.get(tuple(resident), 1) :]
    return sum(warm) / len(warm) / len(addresses)


def _round(cache: Cache, resident: OrderedDict[int, None], addresses: Iterable[int]) -> int:
    """Hits of one round through ``addresses``; ``resident`` is in the order of eviction."""
    hits = 0
    for address in addresses:
        if address in resident:
            hits += 1
            if cache.policy == "lru":
                resident.move_to_end(address)
            continue
        if len(resident) == cache.capacity:
            resident.popitem(last=False)
        resident[address] = None
    return hits
