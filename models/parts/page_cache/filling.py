"""Data that reads bring into memory: cold at first, and as much of it as memory holds in the end.

    read   ──> in memory?  with a probability that grows with what is [in memory]: copy
                           else: below ──> memory is full?  free other pages ──> put into [in memory]

With independent references the hit ratio depends only on how much is in memory, while it fills and when it is
full: after n reads of blocks with probabilities pᵢ

    in memory = Σ (1 - exp(-n pᵢ)),    hit ratio = Σ pᵢ (1 - exp(-n pᵢ))                                  (1)

and a full memory of that size, which frees what was used longest ago, has the same (Che, Tung and Wang, IEEE JSAC
20 (2002), with n in place of the characteristic time). Read in sequence again and again, all is found if it fits,
and nothing if it does not.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from models.io import FileIO
from models.parts.page_cache.bands import by_level
from sim import Buffer, Choose, IfAny, Path, Put, Take

PAGE_BYTES = 4096

BANDS = 32
"""Bands of the level; from one to the next the hit ratio rises by equal steps."""

RANKS = 1000
"""Groups of blocks of about equal popularity by which equation 1 is summed."""


def kept(level: Buffer, held: int, pages: int, reclaimed: Path) -> IfAny:
    """Keep ``pages`` more in memory of ``held``; if it is full, others are ``reclaimed`` first."""
    full = (*reclaimed, Take(level, pages), Put(level, pages))
    return IfAny(level, full, Put(level, pages), least=max(1, held - pages + 1))


@dataclass(frozen=True)
class Filling:
    """Data in memory; amounts are pages.

    Attributes:
        level: pages in memory.
        held: pages that memory holds.
        data: pages that reads choose from.
        exponent: that of Zipf's law for the popularity of blocks; 0: all are equally popular.
    """

    level: Buffer
    held: int
    data: int
    exponent: float

    @classmethod
    def of(cls, name: str, data_bytes: int, memory_bytes: int, exponent: float, resident: float) -> Filling:
        """Data of ``data_bytes``, of which the share ``resident`` is in memory at the start."""
        data = max(1, data_bytes // PAGE_BYTES)
        held = max(1, min(data, memory_bytes // PAGE_BYTES)) if memory_bytes else data
        first = min(held, round(resident * data))
        # a few reads that end at the same time may exceed what is held
        return cls(Buffer(f"{name} data", 2 * held + 4096, first, role="internal"), held, data, exponent)

    def path(self, io: FileIO, hit: Path, missed: Path, reclaimed: Path) -> Path:
        """A read: ``hit`` or ``missed``, and ``reclaimed`` if other pages must go for it."""
        pages = min(self.held, -(-io.size_bytes // PAGE_BYTES))
        miss = (*missed, kept(self.level, self.held, pages, reclaimed))
        if io.sequential:
            whole = IfAny(self.level, hit, miss, least=self.held - pages + 1)
            return (whole,) if self.held == self.data else miss
        levels, ratios = self._curve(pages)
        paths = [(Choose((ratio, hit), (1.0 - ratio, miss)),) for ratio in ratios]
        return by_level(self.level, levels, paths)

    def _curve(self, pages: int) -> tuple[list[int], list[float]]:
        """Thresholds of the level, and the hit ratio between them, for reads of ``pages``: equation 1."""
        shares, blocks = _popularity(max(1, self.data // pages), self.exponent)
        reads = np.geomspace(1e-3 / shares.max(), 50.0 / shares.min(), 1000)
        found = -np.expm1(-np.outer(reads, shares))
        levels, ratios = found @ blocks * pages, found @ (blocks * shares)
        last = 1.0 if self.held == self.data else float(np.interp(self.held, levels, ratios))
        steps = np.linspace(0.0, last, 2 * BANDS + 1)
        starts = np.interp(steps[2:-1:2], ratios, levels)
        thresholds: list[int] = []
        found_in = [float(steps[1])]
        for start, ratio in zip([*starts, self.held - pages + 1], [*steps[3::2], last], strict=True):
            if start >= max(thresholds, default=0) + 1:
                thresholds.append(int(start))
                found_in.append(float(ratio))
        return thresholds, found_in


def _popularity(blocks: int, exponent: float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Share of reads of one block, and number of blocks, of each group of about equally popular ones."""
    edges = np.unique(np.round(np.geomspace(1.0, blocks + 1.0, RANKS + 1)))
    numbers = np.diff(edges)
    weights = np.sqrt(edges[:-1] * (edges[1:] - 1.0)) ** -exponent
    return weights / (weights @ numbers), numbers
