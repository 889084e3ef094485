"""SARC: one list of sequential blocks and one of random ones, of which the more useful grows.

B. Gill and D. Modha, "SARC: Sequential Prefetching in Adaptive Replacement Cache", USENIX 2005. A hit near the
bottom of the random list shows the gain of a larger random list; sequential reads that miss, that of a larger
sequential list. Here the look-up says which accesses are sequential, reading ahead is the model's
business, and every block missed counts; a write that misses waits for no disk, so it does not.
"""

from __future__ import annotations

from collections import OrderedDict

from sim.engine.model.policies.policy import Access, Policy

LARGE_RATIO = 20.0
"""Above this ratio a hit at the bottom of the sequential list lets it grow at full speed."""

List = OrderedDict[int, int]
"""Blocks with the time of their last use, oldest first."""


def bottom(capacity: int) -> int:
    """The number of blocks at the bottom of a list: the paper's ΔL, "a small constant fraction" of the cache."""
    return max(1, capacity // 20)


class SARC(Policy):
    """SARC policy: ``_aim`` is the desired length of the sequential list, ``_drift`` its growth."""

    def __init__(self, capacity: int) -> None:
        super().__init__(capacity)
        self._bottom = bottom(capacity)
        self._random: List = OrderedDict()
        self._sequential: List = OrderedDict()
        self._clock = self._missed = 0
        self._aim = self._drift = 0.0

    def __len__(self) -> int:
        return len(self._random) + len(self._sequential)

    def find(self, block: int, access: Access) -> bool:  # noqa: ARG002  (a block stays in its list)
        blocks = self._random if block in self._random else self._sequential
        if block not in blocks:
            return False
        if self._at_bottom(blocks, blocks[block]):
            length = len(self._sequential)
            ratio = 2.0 * self._missed * self._bottom / length if length else 0.0
            if blocks is self._random:
                self._missed, self._drift = 0, max(-1.0, min(ratio - 1.0, 1.0))
            elif ratio > LARGE_RATIO:
                self._drift = 1.0
        self._use(blocks, block)
        return True

    def _at_bottom(self, blocks: List, used: int) -> bool:
        """True if a block is at the bottom, by the time ``used`` of its last use, taken as evenly spread."""
        oldest, newest = blocks[next(iter(blocks))], blocks[next(reversed(blocks))]
        return (used - oldest) * len(blocks) <= self._bottom * (newest - oldest)

    def _use(self, blocks: List, block: int) -> None:
        blocks[block] = self._clock
        blocks.move_to_end(block)
        self._clock += 1

    def insert(self, block: int, access: Access) -> None:
        self._missed += access.sequential and not access.write
        if len(self) == self.capacity:
            self.evict()
        self._use(self._sequential if access.sequential else self._random, block)

    def evict(self) -> None:
        self._victims().popitem(last=False)
        self._aim = self._aim + self._drift / 2.0 if self._aim > 0.0 else float(len(self._sequential))

    def _victims(self) -> List:
        """The list to evict from: the one with the oldest block while one is short, else the too long one."""
        if not (self._random and self._sequential):
            return self._random or self._sequential
        if min(len(self._random), len(self._sequential)) < self._bottom:
            oldest = [blocks[next(iter(blocks))] for blocks in (self._random, self._sequential)]
            return self._random if oldest[0] < oldest[1] else self._sequential
        return self._sequential if len(self._sequential) > self._aim else self._random
