"""One list, from the block that is evicted next to the one that was inserted or used last.

``fifo``        blocks are evicted in the order in which they were inserted.
``lru``         a use makes a block the last to be evicted.
``lru-bottom``  LRU, but a sequential write is inserted as the next to be evicted, and moves no block.
                B. Gill and D. Modha ("SARC", USENIX 2005, "Prior Work") describe it for all sequential data.
``bypass``      LRU, but a sequential write is not kept at all.
"""

from __future__ import annotations

from collections import OrderedDict

from sim.engine.model.policies.policy import Access, Policy


class FIFO(Policy):
    """First in, first out."""

    def __init__(self, capacity: int) -> None:
        super().__init__(capacity)
        self._blocks: OrderedDict[int, None] = OrderedDict()

    def __len__(self) -> int:
        return len(self._blocks)

    def find(self, block: int, access: Access) -> bool:
        if block not in self._blocks:
            return False
        self._use(block, access)
        return True

    def _use(self, block: int, access: Access) -> None:
        """Record a hit of ``block``."""

    def insert(self, block: int, access: Access) -> None:  # noqa: ARG002  (the contract)
        if len(self) == self.capacity:
            self.evict()
        self._blocks[block] = None

    def evict(self) -> None:
        self._blocks.popitem(last=False)


class LRU(FIFO):
    """Least recently used."""

    def _use(self, block: int, access: Access) -> None:  # noqa: ARG002  (the contract)
        self._blocks.move_to_end(block)


class LRUBottom(LRU):
    """Sequential writes get no further than the least recently used end."""

    def _use(self, block: int, access: Access) -> None:
        if not (access.sequential and access.write):
            super()._use(block, access)

    def insert(self, block: int, access: Access) -> None:
        super().insert(block, access)
        if access.sequential and access.write:
            self._blocks.move_to_end(block, last=False)


class Bypass(LRUBottom):
    """Sequential writes go past the cache."""

    def insert(self, block: int, access: Access) -> None:
        if not (access.sequential and access.write):
            super().insert(block, access)
