"""Interrupt coalescing: a device's interrupts are an interval apart, and each serves all completions before it.

completion ──> has an interrupt come within the interval?   no: an interrupt ──> the interval begins
                                                           yes: wait ──> it ends: one interrupt for all who wait

With few I/Os in flight, completions are rarer than the interval and hardly wait; with more, all wait for half of
it and come together, so that a core processes them one after the other while the device is idle. Each process has
a queue of its own.
"""

from __future__ import annotations

from dataclasses import dataclass

from models.io import FileIO
from models.layer import FileLayer
from sim import Await, Buffer, Delay, Fork, Gate, Gather, IfAny, Path, Put, Take, Wake


@dataclass(frozen=True)
class HeldInterrupts:
    """The layer below, with interrupts ``interval_s`` apart; its places are named after ``name``."""

    name: str
    interval_s: float
    below: FileLayer

    def path(self, io: FileIO) -> Path:
        """One I/O, up to the interrupt for its completion."""
        return (*self.below.path(io), *self._interrupted(f"{self.name} queue {io.process + 1}"))

    def _interrupted(self, queue: str) -> Path:
        begun, held = Buffer(f"{queue} interval", 1), Gate(f"{queue} completions", role="internal")
        at_its_end = (Take(begun), IfAny(held, (Gather(held), Wake(held))))
        begin = (Put(begun), Fork((Delay(self.interval_s), *at_its_end), wait=False))
        return (IfAny(begun, Await(held)), IfAny(begun, (), begin))
