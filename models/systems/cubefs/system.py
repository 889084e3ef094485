"""Processes on FUSE clients of CubeFS: the layers of one cluster, wired.

client 1..n:  process 1..p ──> [FUSE queue] ──> [cpu] ──> [card] ──┐      data node 1..m:  awake or woken
                                                                   ├───>  [card] ──> [cpu] ──> [one of its SSDs]
                                                                   ┘      and copies on other nodes
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from models import data_folder
from models.parts.data_nodes.volume import Asker
from models.paths import any_of
from models.systems.cubefs.cluster import Cluster
from models.systems.cubefs.parameters import MOST_PAYLOAD, PARAMETERS, CubeFSParameters
from models.systems.cubefs.settings import CubeFSSettings
from sim import Closed, Model, Path
from sim.data.fitted import loaded
from sim.engine.units import KIB
from sim.system import Ceiling, Scenario, Settings, System

MIB = KIB * KIB
GROUP = "processes"


class _Load:
    """The processes of all clients on the data nodes of one cluster."""

    def __init__(self, settings: CubeFSSettings, parameters: CubeFSParameters) -> None:
        self.settings, self.parameters = settings, parameters
        self.cluster = Cluster(settings, parameters)

    def workloads(self) -> Iterator[Closed]:
        """Processes of each client, grouped by the nodes that they use."""
        for number in range(self.settings.clients):
            yield from self._client(f"client {number + 1}", number)

    def _client(self, name: str, number: int) -> Iterator[Closed]:
        s, asker = self.settings, self.cluster.asker(name)
        if s.order == "random":
            yield Closed(name, s.processes, self._request(name, self._at_random(asker)), group=GROUP)
            return
        # A process goes through an extent of 128 MiB before the next one: so it stays with one leader for long.
        leaders = Counter((process * s.clients + number) % s.data_nodes for process in range(s.processes))
        for leader, processes in leaders.items():
            path = self._request(name, self._asked(asker, leader))
            yield Closed(f"{name} at node {leader + 1}", processes, path, group=GROUP)

    def _request(self, name: str, below: Path) -> Path:
        """A request to the mount of the client ``name``, with its work ``below``."""
        copied = self.cluster.copied(name)
        work = (*below, copied) if self.settings.op == "read" else (copied, *below)
        return self.cluster.requests(name).served(*work)

    def _at_random(self, asker: Asker) -> Path:
        """Work of the data nodes for a random request."""
        s, volume = self.settings, self.cluster.volume
        if s.op == "read":
            return volume.random_read(asker, s.block)
        leaders = range(s.data_nodes)
        return any_of([volume.write(asker, leader, s.block, self.cluster.commit) for leader in leaders])

    def _asked(self, asker: Asker, leader: int) -> Path:
        """Work of the data node ``leader`` and its followers for a sequential request."""
        s, volume = self.settings, self.cluster.volume
        if s.op == "read":
            return volume.read(asker, leader, s.block)
        return (*volume.write(asker, leader, s.block, self.cluster.append), *self._recorded(asker, leader))

    def _recorded(self, asker: Asker, leader: int) -> Path:
        """Update of the file's size in the metadata, which lie on other nodes."""
        nodes = self.settings.data_nodes
        return self.cluster.volume.write(asker, (leader + nodes // 2) % nodes, 0, self.cluster.commit)


def _build(settings: CubeFSSettings, parameters: CubeFSParameters) -> Scenario:
    """All processes of all clients; the answer is their total throughput."""
    model = Model(list(_Load(settings, parameters).workloads()))
    return Scenario(model, watch=GROUP, amount=settings.block / MIB, unit="MiB/s")


_MIB = KIB * KIB


def _ceilings(settings: CubeFSSettings) -> tuple[Ceiling, ...]:
    """All bytes cross the cards of the clients and those of the data nodes; written ones once for each copy."""
    card = settings.nic * MOST_PAYLOAD / _MIB
    copies = settings.replicas if settings.op == "write" else 1
    written = f", {copies} copies of every byte" if copies > 1 else ""
    return (
        Ceiling("throughput", settings.clients * card, f"{settings.clients} x client's card at {card:.4g} MiB/s"),
        Ceiling(
            "throughput",
            settings.data_nodes * card / copies,
            f"{settings.data_nodes} x data node's card at {card:.4g} MiB/s{written}",
        ),
    )


CUBEFS = System(
    name="cubefs",
    title="processes on FUSE clients of CubeFS, replicated data nodes on 10 and 50 Gb/s Ethernet",
    settings=Settings.of(CubeFSSettings),
    parameters=loaded(PARAMETERS, data_folder(), "cubefs"),
    build=_build,
    ceilings=_ceilings,
    data_package=data_folder(),
)
