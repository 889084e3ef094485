"""2Q: blocks used once in a FIFO, blocks used again after leaving it in an LRU list.

T. Johnson and D. Shasha, "2Q: A Low Overhead High Performance Buffer Management Replacement Algorithm", VLDB 1994,
section 3 ("full version"), with the recommended sizes: a quarter of the blocks for the FIFO, and ghosts for half
of the blocks.
"""

from __future__ import annotations

from collections import OrderedDict

from sim.engine.model.policies.policy import Access, Policy


def max_once(capacity: int) -> int:
    """The paper's Kin: most blocks in the FIFO."""
    return max(1, capacity // 4)


def max_ghosts(capacity: int) -> int:
    """The paper's Kout: most ghosts."""
    return max(1, capacity // 2)


class TwoQueues(Policy):
    """The paper's A1in is ``_once``, its Am ``_again`` and its A1out ``_ghosts``."""

    def __init__(self, capacity: int) -> None:
        super().__init__(capacity)
        self._max_once = max_once(capacity)
        self._max_ghosts = max_ghosts(capacity)
        self._once: OrderedDict[int, None] = OrderedDict()
        self._again: OrderedDict[int, None] = OrderedDict()
        self._ghosts: OrderedDict[int, None] = OrderedDict()

    def __len__(self) -> int:
        return len(self._once) + len(self._again)

    def find(self, block: int, access: Access) -> bool:  # noqa: ARG002  (the contract)
        if block in self._again:
            self._again.move_to_end(block)
            return True
        return block in self._once

    def insert(self, block: int, access: Access) -> None:  # noqa: ARG002  (the contract)
        target = self._again if block in self._ghosts else self._once
        self._ghosts.pop(block, None)
        if len(self) == self.capacity:
            self.evict()
        target[block] = None

    def evict(self) -> None:
        if self._again and len(self._once) <= self._max_once:
            self._again.popitem(last=False)
            return
        gone, _ = self._once.popitem(last=False)
        self._ghosts[gone] = None
        if len(self._ghosts) > self._max_ghosts:
            self._ghosts.popitem(last=False)
