"""Blocks dealt over several members, as in RAID 0, LVM stripes and the objects of a distributed file system.

                   ┌──> member 3: first unit, fourth unit ──┐
large I/O ── cut ──┼──> member 1: second unit               ┼──> done when all are
                   └──> member 2: third unit                ┘
small I/O ──> one member

Members of a large I/O work in parallel; its parts on one of them are adjacent there, and are one I/O.
"""

from __future__ import annotations

from dataclasses import dataclass

from models.io import FileIO
from models.layer import Degraded, FileLayer
from sim import Choose, Fork, InputError, Path, Step
from sim.system import settings
from sim.system.settings import count, number, size
from sim.system.stack.kinds import Below


@dataclass(frozen=True)
class Stripe:
    """Members, each a copy of the layers below, and the bytes that lie together on one."""

    count: int = count(4, "members", high=1024)
    unit: int = size(64 * 1024, "bytes on one member before those of the next (lvcreate --stripesize)")
    lost: int = settings.count(0, "lost members: refused, as a stripe has no copy", low=0, high=1024)
    slow: float = number(1.0, "factor on all times of the devices of member 1", low=1.0, high=1e6)

    def layer(self, name: str, below: Below) -> Striped:  # noqa: ARG002  (a stripe has no places of its own)
        """The stripe over its members.

        Raises:
            InputError: a member is lost.
        """
        if self.lost:
            raise InputError(
                f"lost is {self.lost} of {self.count} members, and a stripe has no copy of what they held; put "
                "replicas above it or below it, and lose one of those"
            )
        first, *others = (below(f"member {number} ") for number in range(1, self.count + 1))
        return Striped((Degraded(first, self.slow) if self.slow > 1.0 else first, *others), self.unit)


@dataclass(frozen=True)
class Striped:
    """An I/O begins at any member with equal probability, at the start of a unit; a flush goes to all."""

    members: tuple[FileLayer, ...]
    unit_bytes: int

    def path(self, io: FileIO) -> Path:
        """The parts of every member, in parallel."""
        if io.op == "flush":
            return (Fork(*(member.path(io) for member in self.members)),)
        shares = self._shares(io.size_bytes)
        parts = {size: [member.path(io.piece(size)) for member in self.members] for size in set(shares)}
        if len(shares) == len(self.members) and len(parts) == 1:
            return (Fork(*parts[shares[0]]),)
        count = len(self.members)
        return (Choose(*((1 / count, self._from(first, shares, parts)) for first in range(count))),)

    def _shares(self, size_bytes: int) -> list[int]:
        """Bytes on each member with any, beginning with that of the first byte."""
        units, rest = divmod(size_bytes, self.unit_bytes)
        count = len(self.members)
        whole = [self.unit_bytes * (units // count + (number < units % count)) for number in range(count)]
        whole[units % count] += rest
        return [size for size in whole if size] or [0]

    def _from(self, first: int, shares: list[int], parts: dict[int, list[Path]]) -> Step | Path:
        """The parts of an I/O whose first byte lies on the member ``first``."""
        branches = [parts[size][(first + number) % len(self.members)] for number, size in enumerate(shares)]
        return Fork(*branches) if len(branches) > 1 else branches[0]
