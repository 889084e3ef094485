"""Sources of the block addresses of cache look-ups, drawn in blocks by NumPy."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sim.engine import checks
from sim.engine.errors import ModelError
from sim.engine.model import memory

Addresses = NDArray[np.int64]

MAX_CELLS_BITS = 26
"""log2 of the most cells of a guide table: powers of two, because products with them are exact."""


class AddressSource:
    """Frozen description of a sequence of block addresses."""

    def blocks(self, generator: np.random.Generator, count: int) -> Iterator[Addresses]:
        """Yield the sequence for ever, ``count`` addresses at a time, each of shape (count,)."""
        raise NotImplementedError


@dataclass(frozen=True)
class Uniform(AddressSource):
    """Each of ``extent`` blocks equally likely, independently: addresses 0 … extent-1."""

    extent: int

    def __post_init__(self) -> None:
        object.__setattr__(self, "extent", checks.whole("the extent of uniform addresses", self.extent, 1))

    def blocks(self, generator: np.random.Generator, count: int) -> Iterator[Addresses]:
        while True:
            yield generator.integers(self.extent, size=count)


@dataclass(frozen=True)
class Zipf(AddressSource):
    """Block k (from 0) with probability ∝ 1/(k+1)**exponent, independently, among ``extent`` blocks.

    Inversion with a guide table (Chen and Asau 1974; Devroye, Non-Uniform Random Variate Generation, 1986,
    section III.2.4): the table gives the start in the cumulated probabilities, and most draws end there
    or one further. The result equals that of a binary search.
    """

    extent: int
    exponent: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "extent", checks.whole("the extent of Zipf addresses", self.extent, 1))
        object.__setattr__(
            self, "exponent", checks.number("the exponent of Zipf addresses", self.exponent, low=0.0, high=20.0)
        )

    def blocks(self, generator: np.random.Generator, count: int) -> Iterator[Addresses]:
        cells = 1 << min(self.extent.bit_length() + 2, MAX_CELLS_BITS)
        cumulated, guide = self._tables(cells)
        while True:
            drawn = generator.random(count)
            addresses = guide.take((drawn * cells).astype(np.int64)).astype(np.int64)
            addresses += cumulated.take(addresses) <= drawn
            beyond = np.flatnonzero(cumulated.take(addresses) <= drawn)
            addresses[beyond] = np.searchsorted(cumulated, drawn[beyond], side="right")
            yield addresses

    def _tables(self, cells: int) -> tuple[NDArray[np.float64], NDArray[np.unsignedinteger]]:
        """Cumulated probabilities, shape (extent,), and their guide table, shape (cells,)."""
        memory.check(
            f"the table of Zipf addresses among {self.extent} blocks",
            24 * max(self.extent, cells),  # three arrays of eight bytes at a time
            "lower the extent",
        )
        weights = np.arange(1, self.extent + 1, dtype=np.float64) ** -self.exponent
        cumulated = np.cumsum(weights) / weights.sum()
        cumulated[-1] = 1.0  # exact in spite of rounding
        guide = np.searchsorted(cumulated, np.arange(cells) / cells, side="right")
        return cumulated, guide.astype(np.min_scalar_type(self.extent))


@dataclass(frozen=True)
class Sequential(AddressSource):
    """Blocks ``start``, ``start``+1, … ``start``+``extent``-1, then again from ``start``."""

    extent: int
    start: int = 0

    def __post_init__(self) -> None:
        object.__setattr__(self, "extent", checks.whole("the extent of sequential addresses", self.extent, 1))
        object.__setattr__(self, "start", checks.whole("the start of sequential addresses", self.start, 0))

    def blocks(self, generator: np.random.Generator, count: int) -> Iterator[Addresses]:  # noqa: ARG002  (draws nothing)
        position = np.arange(count, dtype=np.int64)
        while True:
            yield self.start + position % self.extent
            position += count


@dataclass(frozen=True)
class Replayed(AddressSource):
    """The given addresses in order, repeated from the first."""

    addresses: tuple[int, ...]

    def __init__(self, addresses: Sequence[int]) -> None:
        checked = tuple(
            checks.whole("a replayed address", address, 0)
            for address in checks.listed("replayed addresses", addresses)
        )
        if not checked:
            raise ModelError("replayed addresses are empty; give at least one block address")
        object.__setattr__(self, "addresses", checked)

    def blocks(self, generator: np.random.Generator, count: int) -> Iterator[Addresses]:
        order = Sequential(len(self.addresses)).blocks(generator, count)
        addresses = np.asarray(self.addresses, dtype=np.int64)
        for positions in order:
            yield addresses[positions]
