"""The contract of all policies: which blocks a cache keeps, and which it evicts.

A look-up calls ``find``, and after a miss ``insert``, which evicts blocks until there is room. A policy knows
blocks by number only. The compiled engine has the same policies over flat memory
(``sim.engines.compiled.cache_policies``), and both must agree in every hit and miss.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Access:
    """The properties of an access that a policy may know, beside the number of the block."""

    sequential: bool = False
    write: bool = False


class Policy:
    """The blocks that are kept, at most ``capacity`` of them."""

    def __init__(self, capacity: int) -> None:
        self.capacity = capacity

    def __len__(self) -> int:
        """The number of blocks kept, without those that are only remembered (ghosts)."""
        raise NotImplementedError

    def find(self, block: int, access: Access) -> bool:
        """Whether ``block`` is kept; if so, this is a use of it."""
        raise NotImplementedError

    def insert(self, block: int, access: Access) -> None:
        """Keep ``block``, which was not found, unless the policy bypasses the cache."""
        raise NotImplementedError

    def evict(self) -> None:
        """Evict the block that the policy chooses; there is at least one."""
        raise NotImplementedError
