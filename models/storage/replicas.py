"""Copies of the same data: a write goes to all of them, and returns once enough of them have it.

parallel   write ──┬──> copy 1 ──┐
                   ├──> copy 2 ──┼──> as many as acknowledge it ──> done
                   └──> copy 3 ┄┄┘   the others go on to their end
chain      write ──> copy 1 ──> copy 2 ──> done, with two acknowledgements ┄┄> copy 3
read       ──> the leader, which is copy 1, or the copy of its process, or any

Every copy but the first is a hop away from the leader, or from the copy before it in the chain.
Each copy is one of all that is below. A chain is that of van Renesse and Schneider, "Chain replication for
supporting high throughput and availability" (OSDI 2004): a copy hands on what it has written. A quorum is that of
Gifford, "Weighted voting for replicated data" (SOSP 1979), in parallel.
"""

from __future__ import annotations

from dataclasses import dataclass

from models.io import FileIO
from models.layer import Layer
from sim import Choose, Delay, Fork, InputError, Path
from sim.system.quantities import duration
from sim.system.settings import choice, count
from sim.system.stack.kinds import Below


@dataclass(frozen=True)
class Replicas:
    """How many copies, and what a write and a read need of them."""

    copies: int = count(3, "copies of the data, each on its own copy of what is below", high=100)
    writes: str = choice("parallel", "to all copies at once, or from one to the next", ("parallel", "chain"))
    acknowledged: int = count(0, "copies that must have a write before it returns; 0: all", low=0, high=100)
    reads: str = choice(
        "leader",
        "from the first copy; from one for each process; from any, by chance",
        ("leader", "process", "random"),
    )
    hop: float = duration(
        0.0, "round trip, without bytes, from the leader to another copy, or from one in a chain to the next"
    )

    def layer(self, name: str, below: Below) -> Copies:  # noqa: ARG002  (copies have no places of their own)
        """The copies.

        Raises:
            InputError: a write is to be acknowledged by more copies than there are.
        """
        if self.acknowledged > self.copies:
            raise InputError(
                f"acknowledged is {self.acknowledged} of {self.copies} copies; allowed: at most as many as copies"
            )
        copies = tuple(below(f"copy {number} ") for number in range(1, self.copies + 1))
        return Copies(copies, self.writes == "chain", self.acknowledged or self.copies, self.reads, self.hop)


@dataclass(frozen=True)
class Copies:
    """What is below of each copy, the leader first."""

    copies: tuple[Layer, ...]
    chain: bool
    acknowledged: int
    reads: str
    hop_s: float = 0.0

    def path(self, io: FileIO) -> Path:
        """A read of one copy; a write or a flush of all."""
        if io.op == "read":
            return self._read(io)
        return self._handed_on(io) if self.chain else self._at_once(io)

    def _read(self, io: FileIO) -> Path:
        if self.reads == "random":
            return (Choose(*((1 / len(self.copies), copy.path(io)) for copy in self.copies)),)
        number = (io.host + io.process) % len(self.copies) if self.reads == "process" else 0
        return self.copies[number].path(io)

    def _at_once(self, io: FileIO) -> Path:
        return (Fork(*self._written(io), needed=self.acknowledged),)

    def _handed_on(self, io: FileIO) -> Path:
        paths = self._written(io)
        waited = [step for path in paths[: self.acknowledged] for step in path]
        behind = [step for path in paths[self.acknowledged :] for step in path]
        return (*waited, Fork(behind, wait=False)) if behind else tuple(waited)

    def _written(self, io: FileIO) -> list[Path]:
        """The path of a write to each copy, from where it is handed on."""
        first, *others = (copy.path(io) for copy in self.copies)
        half = (Delay(self.hop_s / 2),) if self.hop_s else ()
        return [first, *((*half, *path, *half) for path in others)]
