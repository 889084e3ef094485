"""ASM: the host spreads data over all targets and writes each byte twice, to two of them.

write ──> any two neighbouring targets at once
read  ──> any one target

With a target lost, its mirror copies, which lie on all others, are read; a write of which one copy would go to it
is written once. So it is until ASM drops the target and makes new copies (disk_repair_time, hours).
"""

from __future__ import annotations

from dataclasses import dataclass

from models.io import IO
from models.layer import Layer
from models.paths import any_of, mirrored
from sim import Path


@dataclass(frozen=True)
class NormalRedundancy:
    """Normal redundancy.

    Attributes:
        targets: a layer for each place that data can go to, at least two.
        lost: how many of them are lost, of which there may be one: two would have both copies of some data.
    """

    targets: tuple[Layer, ...]
    lost: int = 0

    def path(self, io: IO) -> Path:
        """One target is as likely as another; both copies leave the host on their own."""
        paths = [target.path(io) for target in self.targets[: len(self.targets) - self.lost]]
        return mirrored(paths, self.lost) if io.op == "write" else any_of(paths)
