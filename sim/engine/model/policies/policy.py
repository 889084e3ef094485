"""The interface of all policies, which decide the blocks that a cache keeps and evicts.

A look-up calls ``find``, and after a miss ``insert``, which evicts blocks until there is room. A policy knows
blocks by number only. The compiled engine has the same policies over flat memory
(``sim.engine.events.compiled.cache_policies``), and both must agree in every hit and miss.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Access:
    """Properties of an access that a policy may use, beside the number of the block."""

    sequential: bool = False
    write: bool = False


class Policy:
    """The blocks that are kept.

    Attributes:
        capacity: the most blocks that it may keep.
    """

    def __init__(self, capacity: int) -> None:
        self.capacity = capacity

    def __len__(self) -> int:
        """Number of blocks kept, without ghosts, of which only the number is remembered."""
        raise NotImplementedError

    def find(self, block: int, access: Access) -> bool:
        """Return True if ``block`` is kept, and record this use of it."""
        raise NotImplementedError

    def insert(self, block: int, access: Access) -> None:
        """Insert ``block``, which was not found, unless the policy bypasses the cache.

        It evicts first if there is no room: nobody else does.
        """
        raise NotImplementedError

    def evict(self) -> None:
        """Evict one block by the policy, which keeps at least one."""
        raise NotImplementedError
