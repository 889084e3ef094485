"""The machines of a CubeFS cluster, as settings and parameters describe them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from models.parts.data_nodes.node import DataNode, Disks, Handling, NodeTimes
from models.parts.data_nodes.volume import Asker, ReplicatedVolume
from models.parts.flash import Flash
from models.parts.fuse.request import FuseRequests, RequestTimes
from models.parts.host.asleep import Depth, SleepingMachine
from models.parts.host.memory import CopyingCores
from models.parts.link.messages import Card, Network
from models.systems.cubefs.parameters import CubeFSParameters
from models.systems.cubefs.settings import CubeFSSettings
from sim import InputError, Pool, Station, Step, Use
from sim.system.quantities import TimeTable, linear

ANY_NUMBER = 1 << 20
"""Requests of a client's daemon at once, without limit: a goroutine for each."""


@dataclass(frozen=True)
class Cluster:
    """The parts of one cluster."""

    settings: CubeFSSettings
    parameters: CubeFSParameters

    @cached_property
    def cpu(self) -> float:
        """Speed of a processor, relative to those of the older hardware."""
        return self.settings.cpu_speed * (self.parameters.newer_cpu if self._newer else 1.0)

    @property
    def append(self) -> Handling:
        """Handling of a write at the end of an extent."""
        return Handling(self.settings.replicas, sequential=True)

    @property
    def commit(self) -> Handling:
        """Handling of a write through the log."""
        p = self.parameters
        needed = self.settings.replicas // 2 + 1
        return Handling(needed, work_s=p.commit_s / self.cpu, threads=p.commit_threads)

    @cached_property
    def volume(self) -> ReplicatedVolume:
        """The data nodes.

        Raises:
            InputError: there are fewer nodes than copies.
        """
        s, p = self.settings, self.parameters
        if s.replicas > s.data_nodes:
            raise InputError(
                f"replicas is {s.replicas} on {s.data_nodes} data nodes; allowed: at most one on each node"
            )
        network = Network(s.nic * p.payload, p.one_way_s, int(p.header_bytes))
        nodes = tuple(self._node(f"node {number}") for number in range(1, s.data_nodes + 1))
        return ReplicatedVolume(network, nodes, s.replicas, s.follower_read)

    def asker(self, name: str) -> Asker:
        """The client ``name`` as the data nodes see it."""
        return Asker(self._machine(name, self.parameters.client_after_s), Card.of(name))

    def requests(self, name: str) -> FuseRequests:
        """The mount of the client ``name``."""
        p = self.parameters
        queue_s = p.fuse_queue_s if self.settings.op == "read" else p.fuse_write_queue_s
        times = RequestTimes(
            queue_s=queue_s / self.cpu,
            handler_s=p.client_s / self.cpu,
            copy_s_per_byte=0.0,
            wake_s=0.0,
        )
        queue, cpu = Station(f"{name} fuse queue"), Station(f"{name} cpu", self.settings.cpus_per_node)
        return FuseRequests(times, Pool(f"{name} requests", ANY_NUMBER), queue, CopyingCores(cpu))

    def copied(self, name: str) -> Step:
        """Copies of a request's bytes between processes, daemon and card of the client ``name``."""
        s, p = self.settings, self.parameters
        byte_s = p.client_byte_s if s.op == "read" else p.client_write_byte_s
        return Use(Station(f"{name} copies"), s.block * byte_s / self.cpu)

    @property
    def _newer(self) -> bool:
        return self.settings.hardware == "newer"

    def _node(self, name: str) -> DataNode:
        machine = self._machine(name, self.parameters.node_after_s)
        cpu, ssds = Station(f"{name} cpu", self.settings.cpus_per_node), self.settings.ssds_per_node
        return DataNode(machine, Card.of(name), cpu, Disks.of(name, ssds, self._ssd), self._times)

    @cached_property
    def _ssd(self) -> Flash:
        """An SSD: parallel accesses, and transfers one at a time in each direction."""
        p = self.parameters
        speed, at_once = (p.newer_access, round(p.newer_ssd_at_once)) if self._newer else (1.0, 1)
        access_s = (p.read_access_s / speed, p.write_access_s / speed)
        byte_s = p.ssd_byte_s / (p.newer_bytes if self._newer else 1.0)
        return Flash(
            latency=TimeTable(*(linear(time_s, byte_s).read for time_s in access_s)),
            access=TimeTable(*(linear(time_s).read for time_s in access_s)),
            units=at_once,
            placement="free",
            variation=1.0,
            bandwidth=1.0 / byte_s,
        )

    def _machine(self, name: str, after_s: float) -> SleepingMachine:
        p = self.parameters
        speed = p.newer_wake if self._newer else 1.0
        depths = (Depth(after_s, p.wake_s / speed), Depth(p.deep_after_s, p.deep_wake_s / speed))
        return SleepingMachine(name, depths)

    @cached_property
    def _times(self) -> NodeTimes:
        p = self.parameters
        return NodeTimes(request_s=p.node_s / self.cpu, byte_s=p.node_byte_s / self.cpu)
