"""A flash translation layer that maps pages and cleans greedily, written for itself: an independent check."""

from __future__ import annotations

import numpy as np


class Drive:
    """Blocks of pages, filled one after the other; ``programs`` counts pages programmed so far."""

    def __init__(self, blocks, pages, used, seed=1):
        self.pages, self.used, self.random = pages, used, np.random.default_rng(seed)
        self.where = [-1] * used
        self.owner = [[-1] * pages for _ in range(blocks)]
        self.valid = [0] * blocks
        self.erased, self.full = list(range(1, blocks)), set()
        self.open, self.next, self.programs = 0, 0, 0

    def fill(self):
        for page in range(self.used):
            self.write(page)

    def amplification(self, writes):
        """Pages programmed for each of so many random writes."""
        before = self.programs
        for page in self.random.integers(self.used, size=writes).tolist():
            self.write(page)
        return (self.programs - before) / writes

    def write(self, page):
        if self.where[page] >= 0:
            block, place = divmod(self.where[page], self.pages)
            self.owner[block][place] = -1
            self.valid[block] -= 1
        self._program(page)
        while len(self.erased) < 2:
            self._clean()

    def _clean(self):
        block = min(self.full, key=self.valid.__getitem__)
        self.full.discard(block)
        for page in [each for each in self.owner[block] if each >= 0]:
            self._program(page)
        self.owner[block], self.valid[block] = [-1] * self.pages, 0
        self.erased.append(block)

    def _program(self, page):
        if self.next == self.pages:
            self.full.add(self.open)
            self.open, self.next = self.erased.pop(0), 0
        self.owner[self.open][self.next] = page
        self.where[page] = self.open * self.pages + self.next
        self.valid[self.open] += 1
        self.next += 1
        self.programs += 1
