"""Copies of the same data: a write goes to all of them, and returns once enough of them have it.

parallel   write ──┬──> copy 1 ──┐
                   ├──> copy 2 ──┼──> as many as acknowledge it ──> done
                   └──> copy 3 ┄┄┘   the others go on to their end
chain      write ──> copy 1 ──> copy 2 ──> done, with two acknowledgements ┄┄> copy 3
read       ──> the leader, which is copy 1, or the copy of its process, or any

Every copy but the first is a hop away from the leader, or from the copy before it in the chain. Each copy is one
of all that is below. With some lost, those left have the whole load. A rebuild beside it fills replacements, which
have all writes, too, and no reads. A chain is that of van Renesse and Schneider, "Chain replication for supporting
high throughput and availability" (OSDI 2004): a copy hands on what it has written. A quorum is that of Gifford,
"Weighted voting for replicated data" (SOSP 1979), in parallel.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from models.io import FileIO, Op
from models.layer import Degraded, FileLayer
from models.parts.rebuild import Rebuild, block_io
from sim import Choose, Delay, Fork, InputError, Path, Workload
from sim.system import Measure
from sim.system.quantities import bandwidth, duration
from sim.system.settings import choice, count, number
from sim.system.stack.kinds import Below


@dataclass(frozen=True)
class Replicas:
    """How many copies, and what a write and a read need of them."""

    copies: int = count(3, "copies of the data, each on its own copy of what is below", high=100)
    writes: str = choice("parallel", "to all copies at once, or from one to the next", ("parallel", "chain"))
    acknowledged: int = count(
        0, "copies that must have a write before it returns; 0: all that are left", low=0, high=100
    )
    reads: str = choice(
        "leader",
        "from the first copy; from one for each process; from any, by chance",
        ("leader", "process", "random"),
    )
    hop: float = duration(
        0.0, "round trip, without bytes, from the leader to another copy, or from one in a chain to the next"
    )

    lost: int = count(0, "copies that are lost; those left have their load", low=0, high=99)
    rebuild: float = bandwidth(
        0.0,
        "bytes a second at which replacements of the lost copies are filled beside the load; 0: there are none",
        low=0.0,
        high=1e12,
    )
    slow: float = number(1.0, "how many times as long the devices of copy 1 take", low=1.0, high=1e6)

    def layer(self, name: str, below: Below) -> Copies:
        """The copies.

        Raises:
            InputError: no copy is left, none is lost that could be rebuilt, or a write is to be acknowledged by
                more copies than there are.
        """
        self._check()
        left = self.copies - self.lost
        copies = tuple(
            below(f"copy {number} ") for number in range(1, 1 + (self.copies if self.rebuild else left))
        )
        if self.slow > 1.0:
            copies = (Degraded(copies[0], self.slow), *copies[1:])
        rebuild = Rebuild(f"{name} rebuild", self.rebuild) if self.rebuild else None
        return Copies(
            copies[:left],
            copies[left:],
            self.lost,
            self.writes == "chain",
            self.acknowledged or len(copies),
            self.reads,
            self.hop,
            rebuild,
        )

    def _check(self) -> None:
        left = self.copies - self.lost
        if self.acknowledged > self.copies:
            raise InputError(
                f"acknowledged is {self.acknowledged} of {self.copies} copies; allowed: at most as many as copies"
            )
        if left < 1:
            raise InputError(
                f"lost is {self.lost} of {self.copies} copies; allowed: fewer than copies, as one holds data"
            )
        if self.rebuild and not self.lost:
            raise InputError(
                "rebuild fills the replacement of a copy, and none is lost; add lost = 1, or leave it out"
            )
        if self.acknowledged > left and not self.rebuild:
            raise InputError(
                f"acknowledged is {self.acknowledged}, and {left} of {self.copies} copies are left: no write "
                "would return; lose fewer, or wait for fewer"
            )


@dataclass(frozen=True)
class Copies:
    """What is below of each copy.

    Attributes:
        left: those that hold the data, the leader first.
        replacements: those that are being filled: they have all writes, too.
        lost: how many do not hold the data.
    """

    left: tuple[FileLayer, ...]
    replacements: tuple[FileLayer, ...]
    lost: int
    chain: bool
    acknowledged: int
    reads: str
    hop_s: float = 0.0
    rebuild: Rebuild | None = None

    def path(self, io: FileIO) -> Path:
        """A read of one copy; a write or a flush of all."""
        if io.op == "read":
            return self._read(io)
        return self._handed_on(io) if self.chain else self._at_once(io)

    def background(self) -> Iterator[Workload]:
        """The rebuild: each block from one copy that is left, as likely as another, to one replacement."""
        if self.rebuild:
            read, write = (self._any(block_io(op), copies) for op, copies in self._ends)
            yield from self.rebuild.workloads(read, (*self._half_hop, *write, *self._half_hop))

    def measures(self) -> Mapping[str, Measure]:
        """How fast the rebuild comes on."""
        return self.rebuild.measures() if self.rebuild else {}

    @property
    def _ends(self) -> tuple[tuple[Op, tuple[FileLayer, ...]], ...]:
        return ("read", self.left), ("write", self.replacements)

    def _read(self, io: FileIO) -> Path:
        if self.reads == "random":
            return self._any(io, self.left)
        return self.left[self._number(io) if self.reads == "process" else 0].path(io)

    def _number(self, io: FileIO) -> int:
        """The copy that a process reads: one that is lost shares its processes out among those left."""
        turn, number = divmod(io.host + io.process, len(self.left) + self.lost)
        return number if number < len(self.left) else turn % len(self.left)

    @staticmethod
    def _any(io: FileIO, copies: tuple[FileLayer, ...]) -> Path:
        if len(copies) == 1:
            return copies[0].path(io)
        return (Choose(*((1 / len(copies), copy.path(io)) for copy in copies)),)

    def _at_once(self, io: FileIO) -> Path:
        return (Fork(*self._written(io), needed=self.acknowledged),)

    def _handed_on(self, io: FileIO) -> Path:
        paths = self._written(io)
        waited = [step for path in paths[: self.acknowledged] for step in path]
        behind = [step for path in paths[self.acknowledged :] for step in path]
        return (*waited, Fork(behind, wait=False)) if behind else tuple(waited)

    def _written(self, io: FileIO) -> list[Path]:
        """The path of a write to each copy, from where it is handed on."""
        first, *others = (copy.path(io) for copy in (*self.left, *self.replacements))
        return [first, *((*self._half_hop, *path, *self._half_hop) for path in others)]

    @property
    def _half_hop(self) -> Path:
        return (Delay(self.hop_s / 2),) if self.hop_s else ()
