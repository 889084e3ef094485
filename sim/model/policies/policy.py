"""The contract of all policies: what a cache of blocks keeps, and what it lets go.

A look-up asks ``find``; after a miss it calls ``insert``, which lets blocks go until there is room. A policy knows
blocks by number only. The compiled engine has the same policies over flat memory
(``sim.engines.compiled.cache_policies``), and both must find and miss alike.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Access:
    """What a policy may know about an access beside the number of the block."""

    sequential: bool = False
    write: bool = False


class Policy:
    """Which blocks are kept; at most ``capacity`` of them."""

    def __init__(self, capacity: int) -> None:
        self.capacity = capacity

    def __len__(self) -> int:
        """How many blocks are kept; remembered ones (ghosts) are not."""
        raise NotImplementedError

    def find(self, block: int, access: Access) -> bool:
        """Whether ``block`` is kept; if so, this is a use of it."""
        raise NotImplementedError

    def insert(self, block: int, access: Access) -> None:
        """Keep ``block``, which was not found, unless the policy would rather not."""
        raise NotImplementedError

    def evict(self) -> None:
        """Let the block go whose turn it is; there is at least one."""
        raise NotImplementedError
