"""Several hosts: each has its own copy of the layers below, down to the first that is shared.

process 0 ──> node 1 ──┐
process 1 ──> node 2 ──┼──> shared
process 2 ──> node 1 ──┘

With hosts lost, their processes run on those left.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from models.io import FileIO
from models.layer import Layer
from sim import InputError, Path
from sim.system import settings
from sim.system.settings import count
from sim.system.stack.kinds import Below


@dataclass(frozen=True)
class Nodes:
    """Identical hosts, to which processes are dealt round-robin."""

    count: int = count(2, "hosts", high=10_000)
    lost: int = settings.count(0, "lost hosts; their processes move to those left", low=0, high=9_999)

    def layer(self, name: str, below: Below) -> Hosts:  # noqa: ARG002  (hosts have no places of their own)
        """The remaining hosts, each with its layers below.

        Raises:
            InputError: no host is left.
        """
        if self.lost >= self.count:
            raise InputError(f"lost is {self.lost} of {self.count} hosts; allowed: fewer than there are")
        return Hosts(tuple(below(f"node {number} ") for number in range(1, self.count - self.lost + 1)))


@dataclass(frozen=True)
class Hosts:
    """The layers below on each host."""

    below: tuple[Layer, ...]

    def path(self, io: FileIO) -> Path:
        """The path on the host of its process, which is renumbered from 0 on each host."""
        process, node = divmod(io.process, len(self.below))
        processes = -(-(io.processes - node) // len(self.below))
        host, hosts = io.host + io.hosts * node, io.hosts * len(self.below)
        on_node = replace(io, process=process, processes=processes, host=host, hosts=hosts)
        return self.below[node].path(on_node)
