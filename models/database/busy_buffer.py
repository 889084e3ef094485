"""A block in the buffer cache that sessions change one at a time.

session  ──> is it free? ┄┄> it is not: asleep until it is (buffer busy waits), wake up ──> [change it]

A session that slept does not own the block when it wakes up: it may have to wait again, without sleep.
"""

from __future__ import annotations

from dataclasses import dataclass

from sim import Buffer, Hold, IfAny, Path, Pool, Put, Station, Take, Use

BUFFER_BUSY = "buffer busy waits"
"""The wait event: a pool, of which a waiting session holds a token."""


@dataclass(frozen=True)
class BusyBuffer:
    """A contended block.

    Attributes:
        sessions: number of sessions.
        change_s: CPU time of a change, with exclusive use of the block.
        wake_up: steps to wake a session that waited.
    """

    cpu: Station
    sessions: int
    change_s: float
    wake_up: Path

    def change(self) -> Path:
        """Change the block."""
        free = Buffer("block that all sessions change", 1, 1)
        busy = Hold(Pool(BUFFER_BUSY, self.sessions), Take(free), Put(free), *self.wake_up)
        return (IfAny(free, (), busy), Take(free), Use(self.cpu, self.change_s), Put(free))
