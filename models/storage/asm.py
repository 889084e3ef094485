"""ASM: the host spreads data over all targets and writes each byte twice, to two of them.

write ──> any two neighbouring targets at once
read  ──> any one target
"""

from __future__ import annotations

from dataclasses import dataclass

from models.io import IO
from models.layer import Layer
from sim import Choose, Fork, Path


@dataclass(frozen=True)
class NormalRedundancy:
    """``targets``: a layer for each place that data can go to, at least two."""

    targets: tuple[Layer, ...]

    def path(self, io: IO) -> Path:
        """One target is as likely as another; both copies leave the host on their own."""
        share = 1.0 / len(self.targets)
        paths = [target.path(io) for target in self.targets]
        if io.op == "write":
            paths = [(Fork(*pair),) for pair in zip(paths, paths[1:] + paths[:1], strict=True)]
        return (Choose(*((share, path) for path in paths)),)
