"""Processes on FUSE clients of CubeFS: clients, network and data nodes, wired."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from models import data_folder
from models.filesystem.fuse_request import FuseRequests, RequestTimes
from models.host.asleep import Depth, SleepingMachine
from models.paths import any_of
from models.storage.data_nodes.cards import Card, Network
from models.storage.data_nodes.node import DataNode, NodeTimes
from models.storage.data_nodes.volume import Asker, ReplicatedVolume
from models.systems.cubefs.parameters import PARAMETERS, CubeFSParameters
from models.systems.cubefs.settings import CubeFSSettings
from sim import Closed, Delay, InputError, Model, Path, Pool, Station
from sim.system import Scenario, Settings, System

MIB = 1 << 20


@dataclass(frozen=True)
class _Cluster:
    settings: CubeFSSettings
    parameters: CubeFSParameters

    @cached_property
    def newer(self) -> bool:
        return self.settings.hardware == "newer"

    @cached_property
    def cpu(self) -> float:
        return self.settings.cpu_speed * (self.parameters.newer_cpu if self.newer else 1.0)

    def machine(self, name: str, after_s: float) -> SleepingMachine:
        p = self.parameters
        speed = p.newer_wake if self.newer else 1.0
        return SleepingMachine(name, (Depth(after_s, p.wake_s / speed), Depth(p.deep_after_s, p.deep_wake_s / speed)))

    @cached_property
    def times(self) -> NodeTimes:
        p = self.parameters
        ssd = p.newer_ssd if self.newer else 1.0
        return NodeTimes(
            p.node_s / self.cpu,
            p.commit_s / self.cpu,
            p.commit_threads,
            p.node_byte_s / self.cpu,
            p.read_access_s / ssd,
            p.write_access_s / ssd,
            p.ssd_byte_s / ssd,
        )

    def node(self, number: int) -> DataNode:
        name = f"node {number}"
        ssds = tuple(Station(f"{name} ssd {ssd}") for ssd in range(1, self.settings.ssds_per_node + 1))
        return DataNode(
            self.machine(name, self.parameters.sleep_after_s), Card.of(name), Station(f"{name} cpu", self.settings.cpus_per_node), ssds, self.times
        )

    @cached_property
    def volume(self) -> ReplicatedVolume:
        s, p = self.settings, self.parameters
        if s.replicas > s.data_nodes:
            raise InputError(
                f"replicas is {s.replicas} on {s.data_nodes} data nodes; allowed: at most one on each"
            )
        network = Network(s.nic * p.payload, p.one_way_s, int(p.header_bytes))
        return ReplicatedVolume(
            network, tuple(self.node(number) for number in range(1, s.data_nodes + 1)), s.replicas, s.follower_read
        )

    def requests(self, name: str) -> FuseRequests:
        p = self.parameters
        times = RequestTimes(p.fuse_queue_s / self.cpu, p.client_s / self.cpu, p.client_byte_s / self.cpu, 0.0)
        return FuseRequests(
            times,
            Pool(f"{name} requests", 1 << 20),
            Station(f"{name} fuse queue"),
            Station(f"{name} cpu", self.settings.cpus_per_node),
        )

    def asked(self, asker: Asker, leader: int) -> Path:
        """What the client asks of the data node ``leader``."""
        s, volume = self.settings, self.volume
        if s.op == "read":
            return volume.read(asker, leader, s.block)
        if s.order == "random":
            return volume.overwrite(asker, leader, s.block)
        return (*volume.append(asker, leader, s.block), *self.recorded(asker, leader))

    def recorded(self, asker: Asker, leader: int) -> Path:
        """The new end of the file goes into its metadata, which another node leads."""
        nodes = self.settings.data_nodes
        update = self.volume.overwrite(asker, (leader + nodes // 2) % nodes, 0)
        return (Delay(self.parameters.append_s / self.cpu), *update)

    def client(self, number: int) -> Iterator[Closed]:
        name = f"client {number + 1}"
        asker = Asker(self.machine(name, self.parameters.client_after_s), Card.of(name))
        requests = self.requests(name)
        s = self.settings
        nodes = range(s.data_nodes)
        if s.order == "random":
            ways = [(name, s.processes, any_of([self.asked(asker, leader) for leader in nodes]))]
        else:
            counts = Counter((process * s.clients + number) % s.data_nodes for process in range(s.processes))
            ways = [(f"{name} on node {leader + 1}", many, self.asked(asker, leader)) for leader, many in counts.items()]
        for each, many, path in ways:
            yield Closed(each, clients=many, path=requests.moved(s.op, s.block, path), group="processes")


def _build(settings: CubeFSSettings, parameters: CubeFSParameters) -> Scenario:
    cluster = _Cluster(settings, parameters)
    workloads = [each for number in range(settings.clients) for each in cluster.client(number)]
    return Scenario(Model(workloads), "processes", settings.block / MIB, "MiB/s")


CUBEFS = System(
    name="cubefs",
    title="processes on FUSE clients of CubeFS (replicated data nodes, 10 and 50 Gb/s Ethernet)",
    settings=Settings.of(CubeFSSettings),
    parameters=PARAMETERS,
    build=_build,
    data_package=data_folder(),
)
