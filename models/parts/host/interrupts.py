"""Interrupts that a device holds back: between two of one queue lies a while, and each is for all before it.

completion ──> has an interrupt come within the interval?   no: an interrupt ──> the interval begins
                                                           yes: wait ──> it ends: one interrupt for all who wait

With little in flight completions are rarer than the interval and hardly wait; with more, all wait for half of it
and come at once, so that a core has them to do one after the other, and the device has nothing to do meanwhile.
Each process has a queue of its own.
"""

from __future__ import annotations

from dataclasses import dataclass

from models.io import FileIO
from models.layer import FileLayer
from sim import Await, Buffer, Delay, Fork, Gate, Gather, IfAny, Path, Put, Take, Wake


@dataclass(frozen=True)
class HeldInterrupts:
    """What is below, whose interrupts come ``interval_s`` apart; its places are named after ``name``."""

    name: str
    interval_s: float
    below: FileLayer

    def path(self, io: FileIO) -> Path:
        """One I/O, which goes on once the device has said that it is done."""
        return (*self.below.path(io), *self._interrupted(f"{self.name} queue {io.process + 1}"))

    def _interrupted(self, queue: str) -> Path:
        begun, held = Buffer(f"{queue} interval", 1), Gate(f"{queue} completions")
        at_its_end = (Take(begun), IfAny(held, (Gather(held), Wake(held))))
        begin = (Put(begun), Fork((Delay(self.interval_s), *at_its_end), wait=False))
        return (IfAny(begun, Await(held)), IfAny(begun, (), begin))
