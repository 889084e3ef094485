"""ARC: one list of blocks used once and one of those used again; hits in ghosts of both adapt their lengths.

N. Megiddo and D. Modha, "ARC: A Self-Tuning, Low Overhead Replacement Cache", FAST 2003, figure 4.
"""

from __future__ import annotations

from collections import OrderedDict

from sim.engine.model.policies.policy import Access, Policy


class ARC(Policy):
    """The paper's T1 is ``_once``, T2 ``_again``, B1 and B2 the ghosts of these, and p ``_aim``."""

    def __init__(self, capacity: int) -> None:
        super().__init__(capacity)
        self._aim = 0.0
        self._once: OrderedDict[int, None] = OrderedDict()
        self._again: OrderedDict[int, None] = OrderedDict()
        self._ghosts_once: OrderedDict[int, None] = OrderedDict()
        self._ghosts_again: OrderedDict[int, None] = OrderedDict()

    def __len__(self) -> int:
        return len(self._once) + len(self._again)

    def find(self, block: int, access: Access) -> bool:  # noqa: ARG002  (the contract)
        if block not in self._once and block not in self._again:
            return False
        self._once.pop(block, None)
        self._again[block] = None
        self._again.move_to_end(block)
        return True

    def insert(self, block: int, access: Access) -> None:  # noqa: ARG002  (the contract)
        once, again = len(self._ghosts_once), len(self._ghosts_again)
        if block in self._ghosts_once:
            self._aim = min(float(self.capacity), self._aim + max(1.0, again / once))
            self._make_room()
            del self._ghosts_once[block]
            self._again[block] = None
        elif block in self._ghosts_again:
            self._aim = max(0.0, self._aim - max(1.0, once / again))
            self._make_room(ghost_again=True)
            del self._ghosts_again[block]
            self._again[block] = None
        else:
            self._forget()
            self._once[block] = None

    def _forget(self) -> None:
        """Make room for a block without a ghost: the paper's case IV."""
        recent = len(self._once) + len(self._ghosts_once)
        if recent == self.capacity and not self._ghosts_once:
            self._once.popitem(last=False)
            return
        if recent == self.capacity:
            self._ghosts_once.popitem(last=False)
        elif recent + len(self._again) + len(self._ghosts_again) == 2 * self.capacity:
            self._ghosts_again.popitem(last=False)
        self._make_room()

    def _make_room(self, *, ghost_again: bool = False) -> None:
        if len(self) == self.capacity:
            self._replace(ghost_again=ghost_again)

    def evict(self) -> None:
        self._replace(ghost_again=False)

    def _replace(self, *, ghost_again: bool) -> None:
        once = len(self._once)
        if once and (once > self._aim or (ghost_again and once == self._aim) or not self._again):
            gone, _ = self._once.popitem(last=False)
            self._ghosts_once[gone] = None
        else:
            gone, _ = self._again.popitem(last=False)
            self._ghosts_again[gone] = None
