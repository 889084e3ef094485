"""Answers of commands on files besides names a second: times of a whole command, and of processors."""

from __future__ import annotations

from models.systems.dbfs.cluster import Node
from sim.engine.result import Result
from sim.engine.statistics.estimates import Estimate, point


def elapsed(result: Result, requests: float) -> Estimate:
    """Elapsed time of all ``requests``: of a finished job, else at the measured rate."""
    if result.elapsed:
        return result.elapsed
    return result.throughput.duration(requests)


def system_s(nodes: list[Node], copies_s: float, result: Result, requests: float) -> Estimate:
    """System time of a node's mount: its queue, and the kernel's copies."""
    shares = [result.places[node.queue.name].utilisation for node in nodes]
    return point(sum(shares) / len(shares) * elapsed(result, requests).value + copies_s)


def cores(nodes: list[Node], result: Result) -> Estimate:
    """Share of a node's cores that its daemon and its database keep busy, in per cent."""
    shares = [result.places[node.cpu.name].utilisation for node in nodes]
    return point(100.0 * sum(shares) / len(shares))
