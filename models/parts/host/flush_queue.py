"""Flushes in the block layer of Linux, above any device.

flush ──> is one of its queue under way?  no:  below
                                        yes: wait for its end ──> below, one for all who wait

The first begins at once, even if several come in the same instant: of n clients that flush in a loop, half share
each flush.

Source: block/blk-flush.c: blk_kick_flush issues all that is pending as one once none is under way (C1 to C3).
"""

from __future__ import annotations

from dataclasses import dataclass

from models.io import FileIO
from models.layer import FileLayer
from sim import Await, Buffer, Fork, Gate, Gather, Hold, IfAny, Lock, Path, Put, Take, Wake
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
    """Queues, called ``name`` and a number, above the device."""

    name: str
    count: int
    below: FileLayer

    def path(self, io: FileIO) -> Path:
        """Merge a flush with those that wait; other I/Os pass through."""
        below = self.below.path(io)
        if io.op != "flush" or not below:
            return below
        name = f"{self.name} {io.process % self.count + 1} flush"
        busy, called = Lock(f"{name} busy"), Buffer(f"{name} called", 1, role="internal")
        waiting = Gate(f"{name} done", role="internal")
        shared = (Take(called), IfAny(waiting, (Gather(waiting), *below, Wake(waiting))))
        call = (Put(called), Fork(Hold(busy.exclusive, *shared), wait=False))
        return (IfAny(busy, (IfAny(called, (), call), Await(waiting)), Hold(busy.exclusive, *below)),)
