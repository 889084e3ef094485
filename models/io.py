"""The request that all layers share: a read or a write of so many bytes, or of so many pages of a cache."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from sim import AddressSource

Op = Literal["read", "write"]


@dataclass(frozen=True)
class IO:
    """One read or write of ``size_bytes`` bytes."""

    op: Op
    size_bytes: int

    def split(self, max_bytes: int) -> Iterator[tuple[int, IO]]:
        """Yield (how many, piece): pieces of at most ``max_bytes``, whole ones first, then the rest."""
        whole, rest = divmod(self.size_bytes, max_bytes)
        for size_bytes, times in Counter({max_bytes: whole, rest: 1}).items():
            if size_bytes and times:
                yield times, IO(self.op, size_bytes)


@dataclass(frozen=True)
class PagedIO(IO):
    """One that goes to ``pages`` pages, one after the other in ``addresses``; ``sequential``: a piece of a run."""

    addresses: AddressSource
    pages: int
    sequential: bool
