"""Flushes in the block layer of Linux, above any device.

flush ──> [queue of its process]: one under way ──> below
                                  who comes meanwhile waits, and shares the next

Sources: block/blk-flush.c: blk_kick_flush issues the pending flushes as one once none is under way (C1 to C3).
"""

from __future__ import annotations

from dataclasses import dataclass

from models.io import FileIO
from models.layer import FileLayer
from models.paths import in_turn
from sim import Path
from sim.system.settings import count
from sim.system.stack.kinds import Below


@dataclass(frozen=True)
class FlushQueue:
    """Hardware queues, each with one flush under way."""

    count: int = count(1, "queues, to which processes are dealt in turn", high=4096)

    def layer(self, name: str, below: Below) -> FlushQueues:
        """The queues above ``below``."""
        return FlushQueues(name, self.count, below(""))


@dataclass(frozen=True)
class FlushQueues:
    """So many queues, called ``name`` and a number, and what they lead to."""

    name: str
    count: int
    below: FileLayer

    def path(self, io: FileIO) -> Path:
        """A flush shares one with those that wait with it; all else passes."""
        below = self.below.path(io)
        if io.op != "flush" or not below:
            return below
        return in_turn(f"{self.name} {io.process % self.count + 1} flush", below)
