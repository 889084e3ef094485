"""Mirrors: each byte on two targets or more, as in RAID 1 and ASM.

RAID 1   write ──> all members at once
         read  ──> any one member
ASM      write ──> any two neighbouring targets at once
         read  ──> any one target

With a target of ASM lost, its mirror copies, which lie on all others, are read; a write with a copy on it is
written once. This lasts until ASM drops the target and makes new copies (disk_repair_time, hours).
"""

from __future__ import annotations

from dataclasses import dataclass

from models.io import IO
from models.layer import Layer
from models.parts.replicas import Copies, Replicas, SpreadCopies
from models.paths import any_of, mirrored
from sim import Path
from sim.system import settings
from sim.system.quantities import bandwidth
from sim.system.settings import count, number
from sim.system.stack.kinds import Below


@dataclass(frozen=True)
class Mirror:
    """RAID 1 over the layers below: a member for each copy, on one host."""

    resizes = True  # each member gets what is written
    count: int = count(2, "members, each with all data", low=2, high=100)
    lost: int = settings.count(0, "lost members; those left have their load", low=0, high=99)
    rebuild: float = bandwidth(
        0.0,
        "bytes a second at which replacements are filled beside the load; 0: no replacements",
        low=0.0,
        high=1e12,
    )
    slow: float = number(1.0, "factor on all times of the devices of member 1", low=1.0, high=1e6)

    def layer(self, name: str, below: Below) -> Copies | SpreadCopies:
        """Copies without a hop, of which any serves a read.

        Raises:
            InputError: no member is left, or none is lost that could be filled.
        """
        copies = Replicas(copies=self.count, reads="random", lost=self.lost, rebuild=self.rebuild, slow=self.slow)
        return copies.layer(name, lambda copy: below(copy.replace("copy", "member")))


@dataclass(frozen=True)
class NormalRedundancy:
    """Normal redundancy of ASM.

    Attributes:
        targets: a layer for each target, at least two.
        lost: number of lost targets, 0 or 1: two would have both copies of some data.
    """

    targets: tuple[Layer, ...]
    lost: int = 0

    def path(self, io: IO) -> Path:
        """Any target with equal probability; both copies leave the host separately."""
        paths = [target.path(io) for target in self.targets[: len(self.targets) - self.lost]]
        return mirrored(paths, self.lost) if io.op == "write" else any_of(paths)
